"""
Codex CLI: `Stop`.

Read: `session_id`, `turn_id` (the same for every stop until the next prompt), `last_assistant_message` and
`transcript_path`, which may both be null, `stop_hook_active`, `cwd`.
"""

from __future__ import annotations

from exitgate.hosts.hook.payload import BELOW, Payload, folder, no_stop, not_the_end, parts
from exitgate.hosts.hook.protocol import UNPUBLISHED_CAP, Turn, block, system_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.hosts.hook.protocol import Reply
    from exitgate.hosts.install.host import EntrySpec, Host


EVENT = "Stop"
#: Kinds of what is said in a transcript; a reason that held the agent back is the user's.
_USER, _AGENT = ("user_message", "UserMessage", "HookPrompt"), ("agent_message", "AgentMessage")


def cap(_environment: Mapping[str, str]) -> int:
    """Return our own limit: Codex publishes none."""
    return UNPUBLISHED_CAP


def read(payload: Payload, _environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = payload.word("hook_event_name")
    aside = not_the_end(event, EVENT)
    if payload.word("agent_id"):
        aside = BELOW
    return Turn(
        payload.word("session_id"),
        folder(payload.first("cwd")),
        message=payload.first("last_assistant_message"),
        prompt_id=payload.word("turn_id"),
        active=payload.is_so("stop_hook_active"),
        transcript=payload.first("transcript_path"),
        aside=aside,
    )


def said(record: JsonObject) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    event = Payload(record.object("payload"))
    if record.get("type") != "event_msg":
        return None
    kind, text, item = event.get("type"), event.first("message"), event.object("item")
    if kind == "item_completed":
        # Since 0.171; before, an event for each message.
        kind, text = item.get("type"), parts(item.get("content") or item.get("fragments"))
    if kind not in (*_USER, *_AGENT) or text is None:
        return None
    return kind in _USER, text


#: No line of the transcript shows a stop.
stop_time = no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that holds the agent back; Codex wants a reason that is not blank."""
    return block(reason, note)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; the user sees `note`."""
    return system_message(note)


# Codex CLI: `hooks.Stop` of `hooks.json`.
#
# Fields: https://developers.openai.com/codex/hooks and the schema `codex-hooks.json` of SchemaStore. The
# time limit is in seconds; without one Codex waits 600. Codex runs a hook only after its user trusted that
# entry. Tried with 0.171.0: comments and a byte-order mark are refused.


def entry(wanted: EntrySpec) -> dict[str, object]:
    """Return the handler of one event."""
    return {"type": "command", "command": wanted.command, "timeout": wanted.timeout}


def settings() -> Host:
    """Return where the hook goes in this host's settings."""
    from exitgate.hosts.install.host import COMMENTS, MARK, Host

    return Host(
        "codex",
        "Codex CLI",
        ("codex",),
        ".codex/hooks.json",
        "hooks.json",
        ".codex",
        ("Stop",),
        entry,
        home_variable="CODEX_HOME",
        grouped=True,
        climbs=True,
        waits=600,
        refuses=(COMMENTS, MARK),
        remark="Codex runs a new or changed hook only after you trust it: type `/hooks` in Codex",
    )
