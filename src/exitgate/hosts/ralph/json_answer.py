"""What an agent's JSON says beside its text, in the three shapes that the loop reads: flat, object, array."""

from __future__ import annotations

from exitgate.hosts.ralph.files import count_in
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Plain = Mapping[str, object]

#: Lines and characters of a refused command that are shown.
SHOWN = 60
#: Points: for a result, for each sign of progress.
RESULT_POINTS, SIGN_POINTS = 20, 5
SHELL = "Bash"


class JsonAnswer(Value):
    """
    What is beside the text.

    Args:
        status: As it is, or `UNKNOWN`.
        work_type: As it is, or `UNKNOWN`.
        files_modified: Files the agent says that it changed.
        error_count: Errors the agent shows.
        summary: Its text.
        session: Id of the session, or empty.
        loop_number: As the agent counts, 0 where it does not.
        confidence: What it claims, with points for a result and for signs of progress.
        denied: Each refused call, as ``Bash(command)`` or the tool's name.
    """

    __slots__ = (
        "confidence", "denied", "error_count", "files_modified", "loop_number", "session", "status",
        "summary", "work_type",
    )  # fmt: skip

    def __init__(self, found: Plain) -> None:
        metadata = found.get("metadata")
        told: Plain = metadata if isinstance(metadata, dict) else {}
        errors = count_in(found, "error_count")
        self.status = _status(found, told)
        self.work_type = _text(found, "work_type") or "UNKNOWN"
        self.files_modified = count_in(told if "files_changed" in told else found, _files_key(told))
        self.error_count = errors or int(told.get("has_errors") is True)
        self.summary = _text(found, "result") or _text(found, "summary")
        self.session = _text(found, "sessionId") or _text(found, "session_id") or _text(told, "session_id")
        self.loop_number = count_in(told, "loop_number") or count_in(found, "loop_number")
        signs = told.get("progress_indicators")
        self.confidence = (
            count_in(found, "confidence")
            + (RESULT_POINTS if "result" in found else 0)
            + SIGN_POINTS * (len(signs) if isinstance(signs, list | dict | str) else 0)
        )
        denials = found.get("permission_denials")
        self.denied = tuple(_denied(one) for one in denials) if isinstance(denials, list) else ()


def answer_in(value: object) -> JsonAnswer | None:
    """
    Return what a JSON value says, None for a value that is neither an object nor an array.

    Of an array the last element of type `result` counts; a session that it does not name is the one
    of its first `init` element.
    """
    if isinstance(value, dict):
        return JsonAnswer(value)
    if not isinstance(value, list):
        return None
    parts = [part for part in value if isinstance(part, dict)]
    result = next((part for part in reversed(parts) if part.get("type") == "result"), {})
    begun = (part for part in parts if part.get("type") == "system" and part.get("subtype") == "init")
    session = next((_text(part, "session_id") for part in begun), "")
    named = _text(result, "sessionId") or _text(result, "session_id")
    return JsonAnswer(result if named or not session else {**result, "sessionId": session})


def _status(found: Plain, told: Plain) -> str:
    if _text(told, "completion_status").upper() == "COMPLETE":
        return "COMPLETE"
    return _text(found, "status") or "UNKNOWN"


def _files_key(told: Plain) -> str:
    return "files_changed" if "files_changed" in told else "files_modified"


def _text(found: Plain, name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _denied(one: object) -> str:
    if not isinstance(one, dict):
        return "unknown"
    tool = _text(one, "tool_name") or "unknown"
    given = one.get("tool_input")
    if tool != SHELL:
        return tool
    command = _text(given, "command") if isinstance(given, dict) else ""
    return f"{SHELL}({command.partition(chr(10))[0][:SHOWN] or '?'})"
