"""What the cases of a policy have shown of it: which rules decided, which leaves came out true and false."""
