"""Observers: each reads one kind of source, changes nothing and says why it could not."""
