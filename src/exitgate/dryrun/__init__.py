"""Policies walked over recorded runs; touches no state."""
