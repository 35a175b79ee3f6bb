"""`exitgate studio`: a page on loopback that shows recorded runs, and what a change of a policy moves."""
