"""One call of the model with what came of it, while a reader puts it together."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.calls import denial
from exitgate.core.envelopes.members import as_object, text_at
from exitgate.core.envelopes.plain import JSON
from exitgate.core.model import capabilities
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.model import FileChange, Provenance, RecordedIteration, ToolCall

#: Commands of an editor tool that write the file at `path`.
_WRITES = ("create", "str_replace", "insert", "undo_edit", "write")
_PATHS = ("path", "file_path", "filePath", "notebook_path")
_CONTENTS = ("content", "file_text", "old_str", "new_str", "old_string", "new_string", "edits", "new_source")


class Call(Struct):
    """A call of a tool and its answer, while a reader puts them together."""

    name: str
    input: object = None
    id: str | None = None
    own: bool = True
    result: str | None = None
    is_error: bool | None = None
    exit_status: int | None = None
    ended: bool = False
    background: bool = False

    def told(self) -> ToolCall:
        """Return it as it is recorded."""
        return ToolCall(
            self.name,
            self.input,
            self.result,
            self.is_error,
            self.exit_status,
            self.id,
            self.own,
            self.ended,
            self.background,
        )

    def writes(self) -> str | None:
        """Return the path of the file that an edit wrote, None for other calls and failed ones."""
        input = as_object(self.input)
        path, command = text_at(input, *_PATHS), input.get("command")
        if self.is_error or path is None or (command is not None and command not in _WRITES):
            return None
        written = command is not None or any(input.get(name) is not None for name in _CONTENTS)
        return path if written else None

    def runs(self) -> bool:
        """Return whether it may have written files that nothing here names; its input may be missing."""
        return text_at(as_object(self.input), *_PATHS) is None


class Step:
    """
    What is known of a step so far.

    `record` is the source `result`; `response` the text that stands for all the agent said, where the format
    tells one apart; `spoken` is False where what the agent said does not exist.
    """

    def __init__(self, first: int = 0, prompt: str | None = None) -> None:
        self.first = self.last = first
        self.prompt = prompt
        self.said: list[str] = []
        self.response: str | None = None
        self.spoken = True
        self.calls: list[Call] = []
        self.loose: list[str] = []
        self.denials: list[dict[str, object]] = []
        self.todos: list[tuple[str, bool]] | None = None
        self.record: dict[str, Any] = {}
        self.started_at: float | None = None
        self.ended_at: float | None = None
        self.error_kind: str | None = None

    def say(self, text: str | None) -> None:
        """Add what the agent said."""
        if text is not None and text.strip():
            self.said.append(text)

    def call(self, name: str, input: object, id: str | None = None, *, own: bool = True) -> Call:
        """Add a call of a tool."""
        made = Call(name, input, id, own)
        self.calls.append(made)
        return made

    def answer(
        self,
        text: str,
        id: str | None = None,
        *,
        is_error: bool | None = None,
        exit_status: int | None = None,
    ) -> None:
        """Add what the call `id` gave back; without one, what the first unanswered call did."""
        open_calls = [call for call in self.calls if call.result is None]
        named = next((call for call in self.calls if id is not None and call.id == id), None)
        call = named or (open_calls[0] if id is None and open_calls else None)
        if call is None:
            self.loose.append(text)
            return
        call.result = text if call.result is None else f"{call.result}\n{text}"
        call.is_error = is_error if is_error is not None else call.is_error
        call.exit_status = exit_status if exit_status is not None else call.exit_status

    def deny(self, name: str, input: object) -> None:
        """Note a call that a person or a permission refused."""
        self.denials.append(denial(name, input))

    def time(self, at: float | None) -> None:
        """Note an instant of it."""
        if at is not None:
            self.started_at = at if self.started_at is None else self.started_at
            self.ended_at = at if self.ended_at is None else max(at, self.ended_at)

    def set(self, key: str, value: object) -> None:
        """Keep a part of the record that was said; None was not."""
        if value is not None:
            self.record[key] = value

    def add(self, key: str, amount: float | None) -> None:
        """Add an amount to a part of the record that is a sum; None was not said."""
        if amount is not None:
            self.record[key] = amount + self.record.get(key, 0)


class Steps:
    """
    Numbers the steps of one run and keeps its plan.

    Args:
        file: Where they are.
        wants: What of an iteration is wanted, of the words in `exitgate.core.model.capabilities`.
    """

    def __init__(self, file: str, wants: frozenset[str]) -> None:
        self.file = file
        self.plans = Plans()
        self.count = 0
        self._wants = wants
        self._planned = capabilities.PLAN in wants or capabilities.FILES in wants

    def recorded(self, step: Step) -> RecordedIteration:
        """Return the next iteration of the run."""
        self.count += 1
        own = [call for call in step.calls if call.own]
        results = [call.result for call in own if call.result is not None] + step.loose
        if self._planned:
            for call in own:
                self.plans.called(call.name, call.input, call.result, call.is_error)
            if step.todos is not None:
                self.plans.todos(step.todos)
        text = "\n\n".join(step.said)
        files = _files(own)
        calls, wanted = tuple(call.told() for call in step.calls), self._wants
        return RecordedIteration(
            self.count,
            Provenance(self.file, step.first, step.last),
            response=(step.response if step.response is not None else text) if step.spoken else None,
            output=text if step.spoken else None,
            tool_results="\n".join(results) if capabilities.TOOL_RESULTS in wanted else None,
            record=_record(step, own, files),
            prompt=step.prompt,
            started_at=step.started_at,
            ended_at=step.ended_at,
            error_kind=step.error_kind,
            tool_calls=calls if capabilities.TOOL_CALLS in wanted else None,
            files_changed=None if files is None else tuple(FileChange(path) for path in files),
            plan=self.plans.plan() if capabilities.PLAN in wanted else None,
            files=self.plans.files() if capabilities.FILES in wanted else {},
            not_known={} if step.spoken else {"response": "the transcript does not have it"},
        )


def _record(step: Step, own: list[Call], files: tuple[str, ...] | None) -> dict[str, Any]:
    record: dict[str, Any] = {"format": JSON, **step.record, "tool_calls": len(own)}
    if files is not None:
        record["files_changed"] = len(files)
    if step.denials:
        record["denials"] = step.denials
    return record


def _files(own: list[Call]) -> tuple[str, ...] | None:
    """Return the files that the calls wrote; None where commands alone may have written some."""
    written = tuple(dict.fromkeys(path for call in own if (path := call.writes()) is not None))
    return None if not written and any(call.runs() for call in own) else written
