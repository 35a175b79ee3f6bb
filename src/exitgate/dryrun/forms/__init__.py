"""Forms of what dry runs, scores and comparisons find: one file each."""
