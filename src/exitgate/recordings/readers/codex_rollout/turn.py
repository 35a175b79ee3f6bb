"""What one turn of a Codex session adds up to."""

from __future__ import annotations

import json

from exitgate.core.envelopes.calls import Calls, denial
from exitgate.core.envelopes.edits import patch_of
from exitgate.core.envelopes.members import count_at, object_at, text_at, texts_in
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import FileChange, Provenance, RecordedIteration, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.plans import Plans


#: Lines before the output of a command, and the last of them.
_HEADS = ("Chunk ID: ", "Wall time: ", "Exit code: ")
_STATUSES = ("Exit code: ", "Process exited with code ")
_OUTPUT = "Output:"
_HEAD_LINES = 12
#: How an output begins that was shortened.
_SHORTENED = ("Warning: truncated output", "Total output lines: ")
#: Whole output of a call that a person did not allow.
_REFUSED = ("exec command rejected by user", "patch rejected by user", "rejected by user")


class Call:
    """One call under way."""

    __slots__ = ("exit_status", "id", "input", "name", "result")

    def __init__(self, id: str | None, name: str, input: object) -> None:
        self.id = id
        self.name = name
        self.input = input
        self.result: str | None = None
        self.exit_status: int | None = None

    @property
    def failed(self) -> bool | None:
        """Whether its command failed, None where no status is reported."""
        return None if self.exit_status is None else self.exit_status != 0

    def told(self) -> ToolCall:
        """Return it as it is recorded."""
        return ToolCall(self.name, self.input, self.result, self.failed, self.exit_status, self.id)


class Turn:
    """
    One turn under way.

    Args:
        first: Number of its first line.
        at: Instant of that line, as it is written.
        marked: Whether the program says its beginning and ends.
        plans: The run's.
    """

    def __init__(self, first: int, at: str | None, plans: Plans, *, marked: bool = False) -> None:
        self.first = self.last = first
        self.marked = marked
        self.prompt: str | None = None
        self.final: str | None = None
        self.ended = self.aborted = self.worked = self.held = False
        self.error: str | None = None
        self.error_kind: str | None = None
        self.record: dict[str, object] = {}
        self.ended_at = self._started = at or ""
        self._plans = plans
        self._said: list[str] = []
        self._events: list[str] = []
        self._calls = Calls()
        self._calls.watch()
        self._open: dict[str, Call] = {}
        self._told: list[Call] = []
        self._denials: list[dict[str, object]] = []

    def saw(self, number: int, at: str | None) -> None:
        """Note that a line belongs to it."""
        self.last = number
        if at is not None and at > self.ended_at:
            self.ended_at = at
            self._started = self._started or at

    def said(self, text: str, *, event: bool = False) -> None:
        """Add a message of the agent's; the same one is there as an event and as an item."""
        self.worked = True
        if text.strip():
            (self._events if event else self._said).append(text)
            self.error = None

    def called(self, item: Event) -> None:
        """Add a call of a tool."""
        self.worked = True
        id, input = text_at(item, "call_id", "id"), input_of(item)
        name = text_at(item, "name") or text_at(item, "type") or ""
        event = input if isinstance(input, dict) else {}
        self._calls.call(id, event if isinstance(input, str) else input, tool=name)
        self._calls.files.update(change.moved or change.path for change in patch_of(input))
        call = Call(id, name, input)
        self._told.append(call)
        if id is not None:
            self._open[id] = call

    def answered(self, item: Event) -> None:
        """Add what a call gave back."""
        id = text_at(item, "call_id")
        text, status = output_of(item.get("output"))
        self._calls.answer(id, text, error=status not in (None, 0))
        call = self._open.pop(id or "", None)
        if call is None:
            return
        call.result, call.exit_status = text, status
        if text.strip() in _REFUSED:
            self._denials.append(denial(call.name, call.input))
        if call.failed:
            kept = {
                change.path for other in self._told if not other.failed for change in patch_of(other.input)
            }
            self._calls.files -= {change.path for change in patch_of(call.input)} - kept
        shown = None if text.startswith(_SHORTENED) else text
        self._plans.called(call.name, call.input, shown, call.failed)

    def patched(self, event: Event) -> None:
        """Take the program's word on a patch: one that failed changed nothing."""
        if event.get("success") is False:
            self._calls.files -= set(object_at(event, "changes"))

    def recorded(self, index: int, file: str, wants: frozenset[str]) -> RecordedIteration:
        """Return it as it is recorded, the `index`-th of its run."""
        said = self._said or self._events
        response = self.final if self.final is not None else (said[-1] if said else "")
        known = self.worked or self.ended
        changed = tuple(FileChange(path) for path in sorted(self._calls.files))
        return RecordedIteration(
            index,
            Provenance(file, self.first, self.last),
            response=response if known else None,
            output="\n\n".join(said) if known else None,
            tool_results="\n".join(self._calls.results) if capabilities.TOOL_RESULTS in wants else None,
            record=self._concluded(),
            prompt=self.prompt,
            started_at=instant(self._started),
            ended_at=instant(self.ended_at),
            error_kind=self.error_kind if self.error is not None else None,
            tool_calls=tuple(call.told() for call in self._told)
            if capabilities.TOOL_CALLS in wants
            else None,
            files_changed=changed
            if capabilities.FILES_CHANGED in wants and self._calls.files_changed() is not None
            else None,
            plan=self._plans.plan() if capabilities.PLAN in wants else None,
            files=self._plans.files() if capabilities.FILES in wants else {},
            not_known=({} if known else {"response": "the agent did not answer in this iteration"})
            | self._calls.gaps(),
        )

    def _concluded(self) -> dict[str, object]:
        record: dict[str, object] = {"format": JSON_LINES, **self.record, "tool_calls": self._calls.own}
        if self.error is not None:
            record |= {"is_error": True, "error": self.error}
        elif self.ended:
            record["is_error"] = False
        if (count := self._calls.files_changed()) is not None:
            record["files_changed"] = count
        if self._denials:
            record["denials"] = self._denials
        if self.aborted or (self.marked and not self.ended):
            record["truncated"] = True
        elif self.ended:
            record["truncated"] = False
        return record


def input_of(item: Event) -> object:
    """Return what a call was made with: an object, also where it is written as JSON text, or a text."""
    arguments = text_at(item, "arguments", "input")
    if arguments is None:
        return object_at(item, "action", "arguments", "input")
    if arguments[:1] != "{":
        return arguments
    try:
        value = json.loads(arguments, strict=False)
    except (ValueError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments


def output_of(output: object) -> tuple[str, int | None]:
    """Return the text that a call gave back, without what the program says of it, and its exit status."""
    if isinstance(output, dict):
        content = output.get("content")
        return texts_in(content), None if output.get("success") is not False else 1
    text = texts_in(output)
    if text.startswith('{"output":'):
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return text, None
        inner = text_at(value, "output") if isinstance(value, dict) else None
        if inner is not None:
            return inner, count_at(object_at(value, "metadata"), "exit_code")
    if text.startswith(_HEADS):
        return _unheaded(text)
    return text, None


def _unheaded(text: str) -> tuple[str, int | None]:
    status: int | None = None
    lines = text.split("\n", _HEAD_LINES)
    for at, line in enumerate(lines):
        for mark in _STATUSES:
            digits = line.removeprefix(mark).strip()
            if line.startswith(mark) and digits.isascii() and digits.isdigit():
                status = int(digits[:6])
        if line == _OUTPUT:
            return "\n".join(lines[at + 1 :]), status
    return text, status
