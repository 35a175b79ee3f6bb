"""One file for each command; no logic."""

from __future__ import annotations

from exitgate.cli.byte_code import shorten

shorten()
