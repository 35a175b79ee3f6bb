"""One file for each command; no logic."""
