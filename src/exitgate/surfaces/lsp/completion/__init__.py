"""Completion: what may be written where the cursor is."""
