"""Checks from Python: the gate that a program of agents asks, in its own process."""
