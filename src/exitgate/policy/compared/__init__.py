"""What differs between two policies, as plain values: the analysis finds it, reports tell it."""
