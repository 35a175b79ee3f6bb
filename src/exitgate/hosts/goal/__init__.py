"""A goal in words: a loop that ends when a judge says that it is met, and the probes of the project pass."""

#: Characters of a condition.
LONGEST = 1000
