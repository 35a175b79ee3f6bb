"""Questions to a dataset: in SQL."""
