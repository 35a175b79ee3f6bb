"""A policy's tests compared with its mutants: which of them a test would notice."""
