"""
Claude Code: `hooks.Stop` and `hooks.SubagentStop` of its settings.

Fields: https://code.claude.com/docs/en/hooks and the schema `claude-code-settings.json` of SchemaStore. The
time limit is in seconds; without one Claude Code waits 600. `Stop` takes no matcher. Version 2.1.197 reads
nothing of settings with comments or with a comma too many (tried); a byte-order mark is all right.
"""

from __future__ import annotations

from exitgate.hosts.claude_code import CAP_VARIABLE
from exitgate.hosts.install.host import COMMENTS, Host, Wanted


def entry(wanted: Wanted) -> dict[str, object]:
    """Return the handler of one event."""
    return {"type": "command", "command": wanted.command, "timeout": wanted.timeout}


HOST = Host(
    "claude-code",
    "Claude Code",
    ("claude",),
    ".claude/settings.json",
    "settings.json",
    ".claude",
    ("Stop", "SubagentStop"),
    entry,
    home_variable="CLAUDE_CONFIG_DIR",
    beside=(".claude/settings.local.json",),
    grouped=True,
    firm=True,
    lifted_by=CAP_VARIABLE,
    switch="disableAllHooks",
    refuses=(COMMENTS,),
    plugin="exitgate@exitgate",
)
