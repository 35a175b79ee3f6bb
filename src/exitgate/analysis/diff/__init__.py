"""Two policies compared with each other: what is written differently, and what is decided differently."""
