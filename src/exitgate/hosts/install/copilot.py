"""
Copilot CLI: `hooks.agentStop` of a file of our own below `.github/hooks`.

Fields: https://docs.github.com/en/copilot/reference/hooks-reference. The time limit is in seconds; without
one Copilot waits 30. Every `*.json` of the folder is read, so no other process's file is touched.
Tried with 1.0.102: comments and a byte-order mark are refused; a project's hooks run in a trusted folder.
"""

from __future__ import annotations

from exitgate.hosts.install.host import COMMENTS, MARK, Host, Wanted


def entry(wanted: Wanted) -> dict[str, object]:
    """Return the handler of one event."""
    return {"type": "command", "bash": wanted.command, "timeoutSec": wanted.timeout}


HOST = Host(
    "copilot",
    "Copilot CLI",
    ("copilot",),
    ".github/hooks/exitgate.json",
    "hooks/exitgate.json",
    ".copilot",
    ("agentStop",),
    entry,
    home_variable="COPILOT_HOME",
    command_keys=("bash", "command", "powershell"),
    head={"version": 1},
    tunable=("timeoutSec",),
    firm=True,
    switch="disableAllHooks",
    refuses=(COMMENTS, MARK),
    remark="without a terminal, Copilot CLI runs a project's hooks only with `--trust-folder`",
)
