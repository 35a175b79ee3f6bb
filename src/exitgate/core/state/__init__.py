"""The state directory: where it is, what it holds of the run so far."""
