"""Questions to the world: what they are, how they are asked, what was answered."""
