"""Lints of what nothing uses."""
