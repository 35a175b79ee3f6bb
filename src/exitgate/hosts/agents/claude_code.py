"""
Claude Code: `Stop`.

Read: `session_id`, `prompt_id`, `last_assistant_message`, `stop_hook_active`, `background_tasks`,
`session_crons`, `transcript_path`, `cwd`; `agent_id` tells a sub-agent.
"""

from __future__ import annotations

from exitgate.hosts.hook import payload as payload_module
from exitgate.hosts.hook.protocol import Turn, block, system_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
    event = payload_module.word(payload, "hook_event_name")
    aside = payload_module.not_the_end(event, EVENT)
    if payload_module.word(payload, "agent_id"):
        aside = payload_module.BELOW
    if payload_module.flag(payload, "is_interrupt"):
        aside = "the user interrupted"
    if "cursor_version" in payload:
        aside = "Cursor runs this from the settings of Claude Code"  # its own hook decides
    return Turn(
        payload_module.word(payload, "session_id"),
        payload_module.folder(environment.get("CLAUDE_PROJECT_DIR"), payload_module.text(payload, "cwd")),
        message=payload_module.text(payload, "last_assistant_message"),
        prompt_id=payload_module.word(payload, "prompt_id"),
        active=payload_module.flag(payload, "stop_hook_active"),
        waiting=(
            *payload_module.listed(payload, "background_tasks"),
            *payload_module.listed(payload, "session_crons"),
        ),
        transcript=payload_module.text(payload, "transcript_path"),
        aside=aside,
    )


def said(record: Payload) -> tuple[bool, str] | None:
    """Return whether a line of the transcript is the user's, and its text; None for other lines."""
    message = record.get("message")
    kind = record.get("type")
    if kind not in ("user", "assistant") or not isinstance(message, dict):
        return None
    content = message.get("content")
    # What a user's own command says at length is a list of parts; notes of Claude Code are texts.
    if any(record.get(flag) is True for flag in _UNTYPED):
        return None
    if record.get("isMeta") is True and not isinstance(content, list):
        return None
    found = payload_module.parts(content)
    if found is None or (kind == "user" and found.lstrip().startswith(_MADE)):
        return None
    return kind == "user", found


#: No line of the transcript shows a stop.
stop_time = payload_module.no_stop


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
        switch="disableAllHooks",
        refuses=(COMMENTS,),
        plugin="exitgate@exitgate",
    )
