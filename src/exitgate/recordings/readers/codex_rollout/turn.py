"""What one turn of a Codex session adds up to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.calls import Calls, denial
from exitgate.core.envelopes.edits import patch_of
from exitgate.core.envelopes.members import as_object, texts_in
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.steps import Call
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import FileChange, Provenance, RecordedIteration

#: Lines before the output of a command, and the last of them.
_HEADS = ("Chunk ID: ", "Wall time: ", "Exit code: ")
_STATUSES = ("Exit code: ", "Process exited with code ")
_OUTPUT = "Output:"
_HEAD_LINES = 12
#: How an output begins that was shortened.
_SHORTENED = ("Warning: truncated output", "Total output lines: ")
#: What stands before the number of a command that continues behind its output.
_GOES_ON = "Process running with session ID "
#: Whole output of a call that a person did not allow.
_REFUSED = ("exec command rejected by user", "patch rejected by user", "rejected by user")


class Item(Struct, frozen=True):
    """What the model or the program says, calls and gives back; items of each type have some of these."""

    type: str | None = None
    role: Any = None
    content: Any = None
    call_id: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None
    input: str | dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    output: Any = None


class _Output(Struct, frozen=True):
    """An output that is an object."""

    content: Any = None
    success: Any = None


class _Status(Struct, frozen=True):
    exit_code: Amount = None


class _Written(Struct, frozen=True):
    """An output that is written as JSON."""

    output: str | None = None
    metadata: _Status = _Status()


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
        self.record: dict[str, Any] = {}
        self.ended_at = self._started = at or ""
        self._plans = plans
        self._said: list[str] = []
        self._events: list[str] = []
        self._calls = Calls()
        self._calls.watch()
        self._open: dict[str, Call] = {}
        self._told: list[Call] = []
        self._denials: list[dict[str, object]] = []
        self._sessions: dict[str, Call] = {}

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

    def called(self, item: Item) -> None:
        """Add a call of a tool."""
        self.worked = True
        id, input = item.id if item.call_id is None else item.call_id, input_of(item)
        name = item.name or item.type or ""
        self._calls.call(id, as_object(input), tool=name)
        self._calls.files.update(change.moved or change.path for change in patch_of(input))
        call = Call(name, input, id)
        self._told.append(call)
        if id is not None:
            self._open[id] = call

    def answered(self, item: Item) -> None:
        """Add what a call gave back."""
        text, status = output_of(item.output)
        self._calls.answer(item.call_id, text, error=status not in (None, 0))
        call = self._open.pop(item.call_id or "", None)
        if call is None:
            return
        call.result, call.exit_status = text, status
        call.is_error = None if status is None else status != 0
        self._follow(call, session_of(item.output))
        if text.strip() in _REFUSED:
            self._denials.append(denial(call.name, call.input))
        if call.is_error:
            kept = {
                change.path for other in self._told if not other.is_error for change in patch_of(other.input)
            }
            self._calls.files -= {change.path for change in patch_of(call.input)} - kept
        shown = None if text.startswith(_SHORTENED) else text
        self._plans.called(call.name, call.input, shown, call.is_error)

    def _follow(self, call: Call, session: str | None) -> None:
        """Note that a command continues as a session, or that the one which a call was about has ended."""
        about = str(as_object(call.input).get("session_id"))
        if session is not None and about not in self._sessions:
            call.background = True
            self._sessions[session] = call
        elif session is None and about in self._sessions:
            self._sessions.pop(about).ended = True

    def patched(self, success: object, changes: Iterable[str]) -> None:
        """Take the program's word on a patch: one that failed changed nothing."""
        if success is False:
            self._calls.files.difference_update(changes)

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

    def _concluded(self) -> dict[str, Any]:
        record: dict[str, Any] = {"format": JSON_LINES, **self.record, "tool_calls": self._calls.own}
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


def input_of(item: Item) -> object:
    """Return what a call was made with: an object, also where it is written as JSON text, or a text."""
    told = [one for one in (item.action, item.arguments, item.input) if one is not None]
    written = next((one for one in told if isinstance(one, str)), None)
    if written is None:
        return next(iter(told), {})
    return (_parsed(written) if written[:1] == "{" else None) or written


def output_of(output: object) -> tuple[str, int | None]:
    """Return the text that a call gave back, without what the program says of it, and its exit status."""
    if isinstance(output, dict):
        told = read_as(_Output, output)
        return texts_in(told.content), None if told.success is not False else 1
    text = texts_in(output)
    if text.startswith('{"output":'):
        written = read_as(_Written, _parsed(text))
        if written.output is not None:
            return written.output, summed(written.metadata.exit_code)
    if text.startswith(_HEADS):
        return _unheaded(text)
    return text, None


def session_of(output: object) -> str | None:
    """Return the number of the session as which a command continues behind this output, or None."""
    text = "" if isinstance(output, dict) else texts_in(output)
    if not text.startswith(_HEADS):
        return None
    head = text.partition(f"\n{_OUTPUT}\n")[0].split("\n", _HEAD_LINES)[:_HEAD_LINES]
    return next((line.removeprefix(_GOES_ON).strip() for line in head if line.startswith(_GOES_ON)), None)


def _parsed(text: str) -> dict[str, Any] | None:
    """Return the object that a text is as JSON, None for another text."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


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
