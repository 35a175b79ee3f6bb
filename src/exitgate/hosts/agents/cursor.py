"""
Cursor: `stop`.

Read: `conversation_id`, `status`, `loop_count`, `workspace_roots`, `transcript_path`. There is no flag that
says a hook held the agent back: `loop_count` counts it. The message is in the transcript only. Holding back
is a `followup_message`; no reply shows anything to the user: notes go to stderr.
"""

from __future__ import annotations

from exitgate.hosts.hook import payload as payload_module
from exitgate.hosts.hook.protocol import Reply, Turn, on_stderr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.hook.payload import Payload
    from exitgate.hosts.install.host import EntrySpec, Host


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
    event = payload_module.word(payload, "hook_event_name")
    aside = payload_module.not_the_end(event, EVENT)
    status = payload_module.word(payload, "status")
    if status not in ("", ENDED):
        aside = f"the turn did not end normally: `{status[:80]}`"
    if payload_module.word(payload, "subagent_type", "subagent_id", "agent_id"):
        aside = payload_module.BELOW
    roots = payload.get("workspace_roots")
    places = [one for one in roots if isinstance(one, str)] if isinstance(roots, list) else []
    return Turn(
        payload_module.word(payload, "conversation_id", "session_id"),
        payload_module.folder(
            environment.get("CURSOR_PROJECT_DIR"), *places[:1], payload_module.text(payload, "cwd")
        ),
        message=payload_module.text(payload, "last_assistant_message", "text"),
        held=payload_module.number(payload, "loop_count"),
        transcript=payload_module.text(payload, "transcript_path"),
        aside=aside,
    )


def said(record: Payload) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    role, message = record.get("role"), record.get("message")
    content = message.get("content") if isinstance(message, dict) else record.get("content")
    text = payload_module.parts(content)
    if role not in ("user", "assistant") or text is None:
        return None
    return role == "user", text


#: No line of the transcript shows a stop.
stop_time = payload_module.no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that gives the agent `reason` as its next message; `note` goes to stderr."""
    return Reply({"followup_message": reason}, on_stderr(note).err)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; `note` goes to stderr."""
    return on_stderr(note)


# Cursor: `hooks.stop` of `hooks.json`.
#
# Fields: https://cursor.com/docs/hooks. The time limit is in seconds. Cursor counts follow-up messages and
# stops at `loop_limit`, 5 where it is not said: it is written out, one above our own limit, so that ours is
# reached first and the reason is reported.

LOOP_LIMIT = 5


def entry(wanted: EntrySpec) -> dict[str, object]:
    """Return the handler of one event."""
    limit = LOOP_LIMIT if wanted.max_blocks is None else wanted.max_blocks + 1
    return {"command": wanted.command, "timeout": wanted.timeout, "loop_limit": limit}


def settings() -> Host:
    """Return where the hook goes in this host's settings."""
    from exitgate.hosts.install.host import Host

    return Host(
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
