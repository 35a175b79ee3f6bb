"""Settings of other projects' loops, taken over."""
