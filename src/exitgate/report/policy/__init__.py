"""A policy as people read it, and what tests, proofs, mutants and lints found of it."""
