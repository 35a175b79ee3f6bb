"""What telemetry lost, as incidents that `exitgate doctor` shows."""

from __future__ import annotations

import os

from exitgate.gate.incidents import incidents, note

KIND = "telemetry"


def once(directory: str, text: str, **details: int) -> None:
    """
    Keep an incident beside a ledger, unless the latest one there says the same.

    Where the state directory is gone nothing is kept: its ledger is gone, too.
    """
    if not os.path.isdir(directory):
        return
    latest = incidents(directory)[-1:]
    if not any(one.get("message") == text for one in latest):
        note(directory, KIND, text, **details)


def why(error: Exception) -> str:
    """Return an error's reason as part of a sentence."""
    text = getattr(error, "strerror", None) or str(error)
    if not text:
        return type(error).__name__
    # A name in capitals stays one.
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
