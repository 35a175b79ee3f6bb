"""Lexicons made ready, and looked for in a text."""
