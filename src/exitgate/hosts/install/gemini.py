"""
Gemini CLI: `hooks.AfterAgent` of its settings.

Fields: https://geminicli.com/docs/hooks/reference. The time limit is in milliseconds; without one Gemini CLI
waits 60,000. Tried with 0.61.0: comments are read, a byte-order mark is refused.
"""

from __future__ import annotations

from exitgate.hosts.install.host import MARK, Host, Wanted


def entry(wanted: Wanted) -> dict[str, object]:
    """Return the handler of one event."""
    return {
        "name": "exitgate",
        "type": "command",
        "command": wanted.command,
        "timeout": wanted.timeout * 1000,
    }


HOST = Host(
    "gemini",
    "Gemini CLI",
    ("gemini",),
    ".gemini/settings.json",
    "settings.json",
    ".gemini",
    ("AfterAgent",),
    entry,
    grouped=True,
    refuses=(MARK,),
    remark="Gemini CLI runs a project's hooks only in a folder you trust, and asks about new hooks",
)
