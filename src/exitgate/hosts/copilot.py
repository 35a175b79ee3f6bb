"""
Copilot CLI: `agentStop`, or `Stop` in the form with underscores.

Read: `sessionId`, `timestamp`, `cwd`, `transcriptPath`, `stopReason`, `stopHookActive`, each in either
spelling. The message is in the transcript only. No reply shows anything to the user: notes go to stderr.
"""

from __future__ import annotations

import time

from exitgate.hosts import fields
from exitgate.hosts.replies import block, told
from exitgate.hosts.turn import Reply, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.fields import Payload

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
    event = fields.word(payload, "hook_event_name", "hookEventName", "hookName")
    aside = fields.not_the_end(event, *EVENTS)
    why = fields.word(payload, "stopReason", "stop_reason")
    if why not in ("", ENDED):
        aside = f"the agent stopped for another reason: `{why[:80]}`"
    if fields.word(payload, "agentName", "agent_name", "agentId", "agent_id"):
        aside = fields.BELOW
    return Turn(
        fields.word(payload, "sessionId", "session_id"),
        fields.folder(fields.text(payload, "cwd")),
        message=fields.text(payload, "lastAssistantMessage", "last_assistant_message"),
        stamp=_stamp(payload),
        active=fields.flag(payload, "stopHookActive", "stop_hook_active"),
        transcript=fields.text(payload, "transcriptPath", "transcript_path"),
        aside=aside,
    )


def said(record: Payload) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    kind, told_of = record.get("type"), record.get("data")
    if kind not in ("user.message", "assistant.message") or not isinstance(told_of, dict):
        return None
    if told_of.get("parentToolCallId"):
        return None  # an agent below the agent
    text = fields.parts(told_of.get("content"))
    return None if text is None else (kind == "user.message", text)


def stop_told(record: Payload) -> str | None:
    """
    Return the time of the stop whose hooks a line of the transcript says were started; None for other lines.

    Lines are written up to a second late, in order: once this one is there, so is the message before it.
    """
    told_of = record.get("data")
    if record.get("type") != "hook.start" or not isinstance(told_of, dict):
        return None
    given = told_of.get("input")
    return _stamp(given) if told_of.get("hookType") in EVENTS and isinstance(given, dict) else None


def _stamp(payload: Payload) -> str:
    """Return the time of an event: a payload in underscores writes it as text, its line in milliseconds."""
    found = payload.get("timestamp")
    if isinstance(found, int) and 0 <= found < _LATEST:
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(found // 1000))}.{found % 1000:03d}Z"
    return str(found)[:80] if isinstance(found, str | int | float) else ""


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that holds the agent back; `note` goes to stderr."""
    return Reply(block(reason).out, told(note).err)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; `note` goes to stderr."""
    return told(note)
