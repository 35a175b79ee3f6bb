"""What is proved of a policy: its own promises, and what every policy is asked."""
