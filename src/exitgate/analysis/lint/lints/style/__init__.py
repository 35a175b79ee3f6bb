"""Lints of how a policy is written."""
