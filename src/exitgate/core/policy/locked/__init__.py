"""Policies of packages and of git repositories: how they are named, pinned and kept."""
