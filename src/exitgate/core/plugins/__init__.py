"""Extractors of other packages: what the user allowed, whether it is as it was, the process it runs in."""
