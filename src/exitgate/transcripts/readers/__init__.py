"""Readers of recorded runs, one file each; `exitgate.transcripts.registry` lists them."""
