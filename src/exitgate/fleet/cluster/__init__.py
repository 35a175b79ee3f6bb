"""Transcripts read by a Dask cluster: one on this machine, or one that is there already."""
