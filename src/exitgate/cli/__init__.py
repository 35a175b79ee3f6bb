"""The command line: its commands, and what they share."""

from __future__ import annotations

from exitgate.cli.byte_code import shorten

shorten()
