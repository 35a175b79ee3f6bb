"""Bash functions under the names of other loops' scripts, which ask exitgate."""
