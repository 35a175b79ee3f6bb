"""Two policies held against each other: what is written differently, and what is decided differently."""
