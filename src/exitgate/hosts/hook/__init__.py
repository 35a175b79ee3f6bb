"""`exitgate hook`: from what a host sends at the end of a turn to the one reply."""
