"""The language server: pure functions over a text and a place in it, and the edge of the protocol."""
