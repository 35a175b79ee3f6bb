"""Recorded runs of loops and agents: how their formats are read, replayed and scored."""
