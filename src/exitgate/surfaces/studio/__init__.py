"""`exitgate studio`: a page on loopback to look at recorded runs, and to change a policy and see what moves."""
