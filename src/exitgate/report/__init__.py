"""Decisions and diagnostics as text, JSON and annotations: one file a form."""
