"""Replies in the form that several hosts share: `decision`, `reason`, `systemMessage`."""

from __future__ import annotations

from exitgate.hosts.turn import NOTHING, Reply


def block(reason: str, note: str = "", decision: str = "block") -> Reply:
    """Return the reply that holds the agent back with `reason`; `note` is for the user."""
    out: dict[str, object] = {"decision": decision, "reason": reason}
    if note:
        out["systemMessage"] = note
    return Reply(out)


def shown(note: str) -> Reply:
    """Return the reply that lets the agent stop and shows `note` to the user."""
    return Reply({"systemMessage": note}) if note else NOTHING


def told(note: str) -> Reply:
    """Return the reply for a host that shows no message of a hook: nothing, and `note` on stderr."""
    return Reply({}, f"{note}\n") if note else NOTHING
