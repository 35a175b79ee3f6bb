"""What the studio writes: labels, tests, settings, policies; shown first, written whole, taken back."""
