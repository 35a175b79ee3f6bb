"""Layers of settings: where they are, what they set, who set what."""
