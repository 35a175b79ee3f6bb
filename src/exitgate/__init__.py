"""Decides when an autonomous agent loop should stop, from versioned YAML policies."""

__version__ = "0.1.0"
