"""The append-only file of facts and decisions: the only state."""
