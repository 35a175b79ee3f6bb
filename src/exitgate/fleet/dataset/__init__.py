"""The Parquet dataset of runs and decisions: what is in it, and how it is written and read."""
