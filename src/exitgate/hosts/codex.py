"""
Codex CLI: `Stop`.

Read: `session_id`, `turn_id` (the same for every stop until the next prompt), `last_assistant_message` and
`transcript_path`, which may both be null, `stop_hook_active`, `cwd`.
"""

from __future__ import annotations

from exitgate.hosts import fields
from exitgate.hosts.limits import UNPUBLISHED_CAP
from exitgate.hosts.replies import block, shown
from exitgate.hosts.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.fields import Payload
    from exitgate.hosts.turn import Reply

EVENT = "Stop"
#: Kinds of what is said in a transcript; a reason that held the agent back is the user's.
_USER, _AGENT = ("user_message", "UserMessage", "HookPrompt"), ("agent_message", "AgentMessage")


def cap(_environment: Mapping[str, str]) -> int:
    """Return our own limit: Codex publishes none."""
    return UNPUBLISHED_CAP


def read(payload: Payload, _environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = fields.word(payload, "hook_event_name")
    aside = fields.not_the_end(event, EVENT)
    if fields.word(payload, "agent_id"):
        aside = fields.BELOW
    return Turn(
        fields.word(payload, "session_id"),
        fields.folder(fields.text(payload, "cwd")),
        message=fields.text(payload, "last_assistant_message"),
        prompt_id=fields.word(payload, "turn_id"),
        active=fields.flag(payload, "stop_hook_active"),
        transcript=fields.text(payload, "transcript_path"),
        aside=aside,
    )


def said(record: Payload) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    event = record.get("payload")
    if record.get("type") != "event_msg" or not isinstance(event, dict):
        return None
    kind, text = event.get("type"), fields.text(event, "message")
    item = event.get("item")
    if kind == "item_completed" and isinstance(item, dict):
        # Since 0.171; before, an event for each message.
        kind, text = item.get("type"), fields.parts(item.get("content") or item.get("fragments"))
    if kind not in (*_USER, *_AGENT) or text is None:
        return None
    return kind in _USER, text


#: No line of the transcript shows a stop.
stop_told = fields.no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that holds the agent back; Codex wants a reason that is not blank."""
    return block(reason, note)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; the user sees `note`."""
    return shown(note)
