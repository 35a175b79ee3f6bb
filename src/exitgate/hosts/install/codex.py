"""
Codex CLI: `hooks.Stop` of `hooks.json`.

Fields: https://developers.openai.com/codex/hooks and the schema `codex-hooks.json` of SchemaStore. The time
limit is in seconds; without one Codex waits 600. Codex runs a hook only after its user trusted that entry.
Tried with 0.171.0: comments and a byte-order mark are refused.
"""

from __future__ import annotations

from exitgate.hosts.install.host import COMMENTS, MARK, Host, Wanted


def entry(wanted: Wanted) -> dict[str, object]:
    """Return the handler of one event."""
    return {"type": "command", "command": wanted.command, "timeout": wanted.timeout}


HOST = Host(
    "codex",
    "Codex CLI",
    ("codex",),
    ".codex/hooks.json",
    "hooks.json",
    ".codex",
    ("Stop",),
    entry,
    home_variable="CODEX_HOME",
    grouped=True,
    climbs=True,
    refuses=(COMMENTS, MARK),
    remark="Codex runs a new or changed hook only after you trust it: type `/hooks` in Codex",
)
