"""Lints of lexicons and of phrases."""
