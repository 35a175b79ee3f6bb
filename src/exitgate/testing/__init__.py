"""Policy tests: `tests.yaml` beside a policy, and its invariants."""
