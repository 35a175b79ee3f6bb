"""
Claude Code: `Stop`.

Read: `session_id`, `prompt_id`, `last_assistant_message`, `stop_hook_active`, `background_tasks`,
`session_crons`, `transcript_path`, `cwd`; `agent_id` tells a sub-agent.
"""

from __future__ import annotations

from exitgate.core.model.json_object import array_of
from exitgate.hosts.hook.payload import BELOW, folder, no_stop, not_the_end, parts
from exitgate.hosts.hook.protocol import Turn, block, system_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.hosts.hook.payload import Payload
    from exitgate.hosts.hook.protocol import Reply
    from exitgate.hosts.install.host import EntrySpec, Host


EVENT = "Stop"
CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
#: Blocks in a row after which Claude Code ends the turn by itself.
CAP = 8
#: How a line of the user's begins that Claude Code made: the name of a command, what one printed, a note,
#: the report of a task or a teammate, the words of a hook, the summary of a session that was shortened.
_MADE = (
    "<command-name>", "<command-message>", "<command-args>", "<local-command-", "<bash-input>", "<bash-std",
    "<system-", "<task-notification", "<teammate-message", "<user-prompt-submit-hook", "<session-start-hook",
    "Stop hook feedback", "SubagentStop hook feedback", "[Request interrupted by user",
    "This session is being continued from a previous conversation",
)  # fmt: skip
#: Flags of lines that were not typed, no matter what their text.
_UNTYPED = ("isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain")


def cap(environment: Mapping[str, str]) -> int:
    """Return the host's own limit, at least 1; where it is turned off (0), what it would be."""
    text = environment.get(CAP_VARIABLE, "")
    usable = text.isascii() and text.isdigit() and len(text) < 10
    return (int(text) if usable else 0) or CAP


def read(payload: Payload, environment: Mapping[str, str]) -> Turn:
    """Return the turn that a payload shows."""
    event = payload.word("hook_event_name")
    aside = not_the_end(event, EVENT)
    if payload.word("agent_id"):
        aside = BELOW
    if payload.is_so("is_interrupt"):
        aside = "the user interrupted"
    if "cursor_version" in payload:
        aside = "Cursor runs this from the settings of Claude Code"  # its own hook decides
    return Turn(
        payload.word("session_id"),
        folder(environment.get("CLAUDE_PROJECT_DIR"), payload.first("cwd")),
        message=payload.first("last_assistant_message"),
        prompt_id=payload.word("prompt_id"),
        active=payload.is_so("stop_hook_active"),
        waiting=(*payload.tasks("background_tasks"), *payload.tasks("session_crons")),
        transcript=payload.first("transcript_path"),
        aside=aside,
    )


def said(record: JsonObject) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    kind, content = record.get("type"), record.object("message").get("content")
    if kind not in ("user", "assistant"):
        return None
    # What a user's own command says at length is a list of parts; notes of Claude Code are texts.
    if any(map(record.flag, _UNTYPED)) or (record.flag("isMeta") and not array_of(content)):
        return None
    found = parts(content)
    if found is None or (kind == "user" and found.lstrip().startswith(_MADE)):
        return None
    return kind == "user", found


#: No line of the transcript shows a stop.
stop_time = no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that holds the agent back."""
    return block(reason, note)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; the user sees `note`."""
    return system_message(note)


# Claude Code: `hooks.Stop` and `hooks.SubagentStop` of its settings.
#
# Fields: https://code.claude.com/docs/en/hooks and the schema `claude-code-settings.json` of SchemaStore.
# The time limit is in seconds; without one Claude Code waits 600. `Stop` takes no matcher. Version 2.1.197
# reads nothing of settings with comments or with a comma too many (tried); a byte-order mark is all right.


def entry(wanted: EntrySpec) -> dict[str, object]:
    """Return the handler of one event."""
    return {"type": "command", "command": wanted.command, "timeout": wanted.timeout}


def settings() -> Host:
    """Return where the hook goes in this host's settings."""
    from exitgate.hosts.install.host import COMMENTS, Host

    return Host(
        "claude-code",
        "Claude Code",
        ("claude",),
        ".claude/settings.json",
        "settings.json",
        ".claude",
        ("Stop", "SubagentStop"),
        entry,
        home_variable="CLAUDE_CONFIG_DIR",
        beside=(".claude/settings.local.json",),
        grouped=True,
        firm=True,
        lifted_by=CAP_VARIABLE,
        waits=600,
        switch="disableAllHooks",
        refuses=(COMMENTS,),
        plugin="exitgate@exitgate",
    )
