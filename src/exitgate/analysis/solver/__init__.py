"""Questions about a policy put to z3 (the extra `prove`): arithmetic, scores, long and unrolled runs."""
