"""Mutants: small mistakes made in a policy on purpose, to see whether its tests notice."""
