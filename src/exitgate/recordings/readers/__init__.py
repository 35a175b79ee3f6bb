"""Readers of recorded runs, one file each; `exitgate.recordings.registry` lists them."""
