"""
Copilot CLI: `agentStop`, or `Stop` in the form with underscores.

Read: `sessionId`, `timestamp`, `cwd`, `transcriptPath`, `stopReason`, `stopHookActive`, each in either
spelling. The message is in the transcript only. No reply shows anything to the user: notes go to stderr.
"""

from __future__ import annotations

import time

from exitgate.core.model.json_object import object_or_none
from exitgate.hosts.hook.payload import BELOW, folder, not_the_end, parts
from exitgate.hosts.hook.protocol import Reply, Turn, block, on_stderr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.hosts.hook.payload import Payload
    from exitgate.hosts.install.host import EntrySpec, Host


EVENTS = ("agentStop", "Stop")
#: The one reason to stop that is the end of a turn.
ENDED = "end_turn"
#: Blocks in a row after which Copilot CLI ends the turn by itself, since 1.0.72.
CAP = 8
#: Milliseconds since the epoch above which a number is not a time: the year 9999.
_LATEST = 253_402_300_800_000


def cap(_environment: Mapping[str, str]) -> int:
    """Return the host's own limit."""
    return CAP


def read(payload: Payload, _environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = payload.word("hook_event_name", "hookEventName", "hookName")
    aside = not_the_end(event, *EVENTS)
    why = payload.word("stopReason", "stop_reason")
    if why not in ("", ENDED):
        aside = f"the agent stopped for another reason: `{why[:80]}`"
    if payload.word("agentName", "agent_name", "agentId", "agent_id"):
        aside = BELOW
    return Turn(
        payload.word("sessionId", "session_id"),
        folder(payload.first("cwd")),
        message=payload.first("lastAssistantMessage", "last_assistant_message"),
        stamp=_stamp(payload),
        active=payload.is_so("stopHookActive", "stop_hook_active"),
        transcript=payload.first("transcriptPath", "transcript_path"),
        aside=aside,
    )


def said(record: JsonObject) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    kind, told = record.get("type"), record.object("data")
    # One with a parent is said by an agent below the agent.
    if kind not in ("user.message", "assistant.message") or told.get("parentToolCallId"):
        return None
    text = parts(told.get("content"))
    return None if text is None else (kind == "user.message", text)


def stop_time(record: JsonObject) -> str | None:
    """
    Return the time of the stop whose hooks a line of the transcript says were started; None for other lines.

    Lines are written up to a second late, in order: once this one is there, so is the message before it.
    """
    told = record.object("data")
    given = object_or_none(told.get("input"))
    if given is None or record.get("type") != "hook.start" or told.get("hookType") not in EVENTS:
        return None
    return _stamp(given)


def _stamp(payload: JsonObject) -> str:
    """Return the time of an event: a payload in underscores writes it as text, its line in milliseconds."""
    at = payload.whole("timestamp")
    if at is not None and 0 <= at < _LATEST:
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(at // 1000))}.{at % 1000:03d}Z"
    return str(payload.text("timestamp", payload.number("timestamp", "")))[:80]


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that holds the agent back; `note` goes to stderr."""
    return Reply(block(reason).out, on_stderr(note).err)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; `note` goes to stderr."""
    return on_stderr(note)


# Copilot CLI: `hooks.agentStop` of a file of our own below `.github/hooks`.
#
# Fields: https://docs.github.com/en/copilot/reference/hooks-reference. The time limit is in seconds;
# without one Copilot waits 30. Every `*.json` of the folder is read, so no other process's file is touched.
# Tried with 1.0.102: comments and a byte-order mark are refused; a project's hooks run in a trusted folder.


def entry(wanted: EntrySpec) -> dict[str, object]:
    """Return the handler of one event."""
    return {"type": "command", "bash": wanted.command, "timeoutSec": wanted.timeout}


def settings() -> Host:
    """Return where the hook goes in this host's settings."""
    from exitgate.hosts.install.host import COMMENTS, MARK, Host

    return Host(
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
        time_key="timeoutSec",
        firm=True,
        switch="disableAllHooks",
        refuses=(COMMENTS, MARK),
        remark="without a terminal, Copilot CLI runs a project's hooks only with `--trust-folder`",
    )
