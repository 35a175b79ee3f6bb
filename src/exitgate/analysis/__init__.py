"""Answers about a policy that are computed, not run: counterfactuals."""
