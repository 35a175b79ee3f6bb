"""
Cursor: `hooks.stop` of `hooks.json`.

Fields: https://cursor.com/docs/hooks. The time limit is in seconds. Cursor counts follow-up messages and
stops at `loop_limit`, 5 where it is not said: it is written out, one above our own limit, so that ours is
reached first and the reason is reported.
"""

from __future__ import annotations

from exitgate.hosts.install.host import Host, Wanted

LOOP_LIMIT = 5


def entry(wanted: Wanted) -> dict[str, object]:
    """Return the handler of one event."""
    limit = LOOP_LIMIT if wanted.max_blocks is None else wanted.max_blocks + 1
    return {"command": wanted.command, "timeout": wanted.timeout, "loop_limit": limit}


HOST = Host(
    "cursor",
    "Cursor",
    ("cursor-agent", "cursor"),
    ".cursor/hooks.json",
    "hooks.json",
    ".cursor",
    ("stop",),
    entry,
    head={"version": 1},
    tunable=("timeout", "loop_limit"),
)
