"""Agents that ask from their own loop, and projects that come from another one."""
