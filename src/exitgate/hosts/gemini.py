"""
Gemini CLI: `AfterAgent`.

Read: `session_id`, `prompt`, `prompt_response` (all that was said since the prompt), `stop_hook_active`,
`timestamp`, `cwd`. Holding back is `deny`: the reason becomes the agent's next prompt.
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

EVENT = "AfterAgent"
#: What Gemini CLI puts where the agent said nothing.
SAID_NOTHING = "[no response text]"


def cap(_environment: Mapping[str, str]) -> int:
    """Return our own limit: Gemini CLI publishes none."""
    return UNPUBLISHED_CAP


def read(payload: Payload, environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = fields.word(payload, "hook_event_name")
    message = fields.text(payload, "prompt_response")
    return Turn(
        fields.word(payload, "session_id"),
        fields.folder(environment.get("GEMINI_PROJECT_DIR"), fields.text(payload, "cwd")),
        message="" if message == SAID_NOTHING else message,
        prompt=fields.text(payload, "prompt"),
        stamp=fields.word(payload, "timestamp"),
        active=fields.flag(payload, "stop_hook_active"),
        transcript=fields.text(payload, "transcript_path"),
        aside=fields.not_the_end(event, EVENT),
        gathered=True,
    )


def said(record: Payload) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    kind, text = record.get("type"), fields.parts(record.get("content"))
    if kind not in ("user", "gemini") or text is None:
        return None
    return kind == "user", text


#: No line of the transcript shows a stop.
stop_told = fields.no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that makes the agent go on with `reason` as its prompt."""
    return block(reason, note, "deny")


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; the user sees `note`."""
    return shown(note)
