"""
Gemini CLI: `AfterAgent`.

Read: `session_id`, `prompt`, `prompt_response` (all that was said since the prompt), `stop_hook_active`,
`timestamp`, `cwd`. Holding back is `deny`: the reason becomes the agent's next prompt.
"""

from __future__ import annotations

from exitgate.hosts.hook.payload import folder, no_stop, not_the_end, parts
from exitgate.hosts.hook.protocol import UNPUBLISHED_CAP, Turn, block, system_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.hosts.hook.payload import Payload
    from exitgate.hosts.hook.protocol import Reply
    from exitgate.hosts.install.host import EntrySpec, Host


EVENT = "AfterAgent"
#: What Gemini CLI puts where the agent said nothing.
SAID_NOTHING = "[no response text]"


def cap(_environment: Mapping[str, str]) -> int:
    """Return our own limit: Gemini CLI publishes none."""
    return UNPUBLISHED_CAP


def read(payload: Payload, environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = payload.word("hook_event_name")
    message = payload.first("prompt_response")
    return Turn(
        payload.word("session_id"),
        folder(environment.get("GEMINI_PROJECT_DIR"), payload.first("cwd")),
        message="" if message == SAID_NOTHING else message,
        prompt=payload.first("prompt"),
        stamp=payload.word("timestamp"),
        active=payload.is_so("stop_hook_active"),
        transcript=payload.first("transcript_path"),
        aside=not_the_end(event, EVENT),
        gathered=True,
    )


def said(record: JsonObject) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    kind, text = record.get("type"), parts(record.get("content"))
    if kind not in ("user", "gemini") or text is None:
        return None
    return kind == "user", text


#: No line of the transcript shows a stop.
stop_time = no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that makes the agent go on with `reason` as its prompt."""
    return block(reason, note, "deny")


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; the user sees `note`."""
    return system_message(note)


# Gemini CLI: `hooks.AfterAgent` of its settings.
#
# Fields: https://geminicli.com/docs/hooks/reference. The time limit is in milliseconds; without one Gemini
# CLI waits 60,000. Tried with 0.61.0: comments are read, a byte-order mark is refused.


def entry(wanted: EntrySpec) -> dict[str, object]:
    """Return the handler of one event."""
    return {
        "name": "exitgate",
        "type": "command",
        "command": wanted.command,
        "timeout": wanted.timeout * 1000,
    }


def settings() -> Host:
    """Return where the hook goes in this host's settings."""
    from exitgate.hosts.install.host import MARK, Host

    return Host(
        "gemini",
        "Gemini CLI",
        ("gemini",),
        ".gemini/settings.json",
        "settings.json",
        ".gemini",
        ("AfterAgent",),
        entry,
        grouped=True,
        per_second=1000,
        waits=60,
        refuses=(MARK,),
        remark="Gemini CLI runs a project's hooks only in a folder you trust, and asks about new hooks",
    )
