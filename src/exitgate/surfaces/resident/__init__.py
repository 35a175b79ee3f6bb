"""The resident process of `exitgate serve`, and its clients."""
