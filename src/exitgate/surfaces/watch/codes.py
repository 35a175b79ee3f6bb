"""Diagnostic codes of watching."""

from __future__ import annotations

#: Code -> what it means.
CODES = {
    "EP582": "the command of `--notify` cannot be started",
    "EP583": "there is no run to show",
}
