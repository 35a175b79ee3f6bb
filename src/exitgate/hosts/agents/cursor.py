"""
Cursor: `stop`.

Read: `conversation_id`, `status`, `loop_count`, `workspace_roots`, `transcript_path`. There is no flag that
says a hook held the agent back: `loop_count` counts it. The message is in the transcript only. Holding back
is a `followup_message`; no reply shows anything to the user: notes go to stderr.
"""

from __future__ import annotations

from exitgate.core.model.json_object import object_or_none
from exitgate.hosts.hook.payload import BELOW, folder, no_stop, not_the_end, parts
from exitgate.hosts.hook.protocol import Reply, Turn, on_stderr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
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
    event = payload.word("hook_event_name")
    aside = not_the_end(event, EVENT)
    status = payload.word("status")
    if status not in ("", ENDED):
        aside = f"the turn did not end normally: `{status[:80]}`"
    if payload.word("subagent_type", "subagent_id", "agent_id"):
        aside = BELOW
    places = payload.texts("workspace_roots")
    return Turn(
        payload.word("conversation_id", "session_id"),
        folder(environment.get("CURSOR_PROJECT_DIR"), *places[:1], payload.first("cwd")),
        message=payload.first("last_assistant_message", "text"),
        held=payload.count("loop_count"),
        transcript=payload.first("transcript_path"),
        aside=aside,
    )


def said(record: JsonObject) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    role, message = record.get("role"), object_or_none(record.get("message"))
    text = parts((record if message is None else message).get("content"))
    if role not in ("user", "assistant") or text is None:
        return None
    return role == "user", text


#: No line of the transcript shows a stop.
stop_time = no_stop


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
