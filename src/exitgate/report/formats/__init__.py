"""Formats that other programs read, and Markdown for a terminal."""
