"""Policies of packages and git repositories: fetched, taken apart, pinned, where a person asks for it."""
