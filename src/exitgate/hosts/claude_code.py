"""
Claude Code: `Stop`.

Read: `session_id`, `prompt_id`, `last_assistant_message`, `stop_hook_active`, `background_tasks`,
`session_crons`, `transcript_path`, `cwd`; `agent_id` tells a sub-agent.
"""

from __future__ import annotations

from exitgate.hosts import fields
from exitgate.hosts.replies import block, shown
from exitgate.hosts.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.fields import Payload
    from exitgate.hosts.turn import Reply

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
    event = fields.word(payload, "hook_event_name")
    aside = fields.not_the_end(event, EVENT)
    if fields.word(payload, "agent_id"):
        aside = fields.BELOW
    if fields.flag(payload, "is_interrupt"):
        aside = "the user interrupted"
    if "cursor_version" in payload:
        aside = "Cursor runs this from the settings of Claude Code"  # its own hook decides
    return Turn(
        fields.word(payload, "session_id"),
        fields.folder(environment.get("CLAUDE_PROJECT_DIR"), fields.text(payload, "cwd")),
        message=fields.text(payload, "last_assistant_message"),
        prompt_id=fields.word(payload, "prompt_id"),
        active=fields.flag(payload, "stop_hook_active"),
        waiting=(*fields.listed(payload, "background_tasks"), *fields.listed(payload, "session_crons")),
        transcript=fields.text(payload, "transcript_path"),
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
    found = fields.parts(content)
    if found is None or (kind == "user" and found.lstrip().startswith(_MADE)):
        return None
    return kind == "user", found


#: No line of the transcript shows a stop.
stop_told = fields.no_stop


def go_on(reason: str, note: str) -> Reply:
    """Return the reply that holds the agent back."""
    return block(reason, note)


def let_stop(note: str) -> Reply:
    """Return the reply that lets the agent stop; the user sees `note`."""
    return shown(note)
