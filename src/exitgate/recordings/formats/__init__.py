"""What readers share: times, JSON lines and documents, turns, steps, plans, kinds of errors."""
