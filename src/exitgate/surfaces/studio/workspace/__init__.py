"""The studio's data: recorded runs, the policies that decide on them, and what a change of one moves."""
