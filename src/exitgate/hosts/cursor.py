"""
Cursor: `stop`.

Read: `conversation_id`, `status`, `loop_count`, `workspace_roots`, `transcript_path`. There is no flag that
says a hook held the agent back: `loop_count` counts it. The message is in the transcript only. Holding back
is a `followup_message`; no reply shows anything to the user: notes go to stderr.
"""

from __future__ import annotations

from exitgate.hosts import fields
from exitgate.hosts.replies import told
from exitgate.hosts.turn import Reply, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.fields import Payload

EVENT = "stop"
#: The one status of a turn that came to its end; others are an interrupt or an error.
ENDED = "completed"
#: `loop_limit` where the user's `hooks.json` says none; that file may say another, and the payload does not.
CAP = 5


def cap(_environment: Mapping[str, str]) -> int:
    """Return the host's limit where the user set none."""
    return CAP


def read(payload: Payload, environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = fields.word(payload, "hook_event_name")
    aside = fields.not_the_end(event, EVENT)
    status = fields.word(payload, "status")
    if status not in ("", ENDED):
        aside = f"the turn did not end normally: `{status[:80]}`"
    if fields.word(payload, "subagent_type", "subagent_id", "agent_id"):
        aside = fields.BELOW
    roots = payload.get("workspace_roots")
    places = [one for one in roots if isinstance(one, str)] if isinstance(roots, list) else []
    return Turn(
        fields.word(payload, "conversation_id", "session_id"),
        fields.folder(environment.get("CURSOR_PROJECT_DIR"), *places[:1], fields.text(payload, "cwd")),
        message=fields.text(payload, "last_assistant_message", "text"),
        held=fields.number(payload, "loop_count"),
        transcript=fields.text(payload, "transcript_path"),
        aside=aside,
    )


def said(record: Payload) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    role, message = record.get("role"), record.get("message")
    content = message.get("content") if isinstance(message, dict) else record.get("content")
    text = fields.parts(content)
    if role not in ("user", "assistant") or text is None:
        return None
    return role == "user", text


#: No line of the transcript shows a stop.
stop_told = fields.no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that gives the agent `reason` as its next message; `note` goes to stderr."""
    return Reply({"followup_message": reason}, told(note).err)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; `note` goes to stderr."""
    return told(note)
