"""Lints of exceptions and of suppressions."""
