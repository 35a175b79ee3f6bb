"""Strict YAML with the place of everything."""
