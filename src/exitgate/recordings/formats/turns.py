"""One turn of a chat: a user message and all that follows up to the next one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from exitgate.core.envelopes.calls import denial, fuller_of
from exitgate.core.envelopes.edits import COMMANDS, written_by
from exitgate.core.envelopes.gathered import Messages
from exitgate.core.envelopes.members import as_object, writable, writable_text
from exitgate.core.model import capabilities
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.model import FileChange, Provenance, RecordedIteration, ToolCall

_RUNS = (*COMMANDS, "commands")


class Turn:
    """
    What the lines or messages of one turn add up to; readers fill it in order.

    Args:
        prompt: What the agent was asked, or None where nothing says it.
        at: Seconds since the epoch, or None.
        line: Where it begins, from 1; 0 where lines mean nothing.
    """

    def __init__(self, prompt: str | None, at: float | None = None, line: int = 0) -> None:
        self.prompt = prompt
        self.first = self.last = line
        self.started_at = self.ended_at = at
        self.messages = Messages()
        self.calls: list[ToolCall] = []
        self.lost = ""
        self.results: list[str] = []
        self.record: dict[str, Any] = {}
        self.denials: list[dict[str, object]] = []
        self.steps = 0
        self.error_kind: str | None = None
        self.patched: list[str] = []
        self._writes: list[tuple[str, ...]] = []
        self._by_id: dict[str, int] = {}
        self._open = 0  # all calls before this have a result

    def seen(self, at: float | None = None, line: int = 0) -> None:
        """Note that something of the turn is at this line and instant; clocks may go back."""
        self.last = max(self.last, line)
        if at is None:
            return
        if self.started_at is None:
            self.started_at = at
        if self.ended_at is None or at > self.ended_at:
            self.ended_at = at

    def step(self) -> None:
        """Note that the model was called once more: an error before was got over."""
        self.steps += 1
        for key in ("is_error", "error", "truncated"):
            self.record.pop(key, None)
        self.error_kind = None

    def say(self, text: str, id: str | None = None) -> None:
        """Add a text of the agent's own."""
        self.messages.say(writable_text(text), id)

    def set(self, key: str, value: object) -> None:
        """Keep a part of the record that was said; None was not."""
        if value is not None:
            self.record[key] = writable(value)

    def add(self, key: str, amount: float | None) -> None:
        """Add to a part of the record that is a sum over the calls of the model."""
        if amount is not None:
            self.record[key] = amount + self.record.get(key, 0)

    def fail(self, error: str | None, kind: str | None = None) -> None:
        """Note that the recorder says that the turn failed."""
        self.record["is_error"] = True
        self.set("error", error or None)
        self.error_kind = kind

    def call(
        self, name: str, input: object, id: str | None = None, *, own: bool = True,
        writes: tuple[str, ...] | None = None,
    ) -> int:  # fmt: skip
        """
        Add a call of a tool and return its place; the same id is the same call.

        Args:
            name: Of the tool.
            input: As JSON gives it.
            id: The transcript's own, or None.
            own: False for a call by a sub-agent.
            writes: Paths it writes; None where the shape of the input tells it.
        """
        if id is not None and id in self._by_id:
            at = self._by_id[id]
            earlier, later = self.calls[at].input, writable(input)
            fuller = earlier if earlier == later else fuller_of(earlier, later)
            if fuller is None:
                self.lost = f"two calls have the id `{id[:60]}`"
            else:
                self.calls[at] = replace(self.calls[at], input=fuller)
                self._writes[at] = written_by(fuller) if writes is None else writes
            return at
        at = len(self.calls)
        if id is not None:
            self._by_id[id] = at
        input = writable(input)
        self.calls.append(ToolCall(writable_text(name), input, id=id, own=own))
        self._writes.append(written_by(input) if writes is None else writes)
        return at

    def find(self, id: str | None, name: str | None = None) -> int | None:
        """Return the place of the call with this id, else of the first of this name without a result."""
        if id is not None:
            return self._by_id.get(id)
        while self._open < len(self.calls) and self.calls[self._open].result is not None:
            self._open += 1
        waiting = (at for at in range(self._open, len(self.calls)) if self.calls[at].result is None)
        return next((at for at in waiting if name is None or self.calls[at].name == name), None)

    def answer(
        self, at: int | None, text: str, *, error: bool | None = None, exit_status: int | None = None
    ) -> None:
        """Add what the call at this place gave back; of a call that does not exist, the text alone."""
        text = writable_text(text)
        call = self.calls[at] if at is not None else None
        if text and (call is None or call.own):
            self.results.append(text)
        if at is not None and call is not None:
            self.calls[at] = ToolCall(call.name, call.input, text, error, exit_status, call.id, call.own)

    def forget_calls(self) -> None:
        """Forget calls and results, because another file tells them better."""
        self.calls, self._writes, self._by_id, self.results, self._open = [], [], {}, [], 0

    def deny(self, at: int | None) -> None:
        """Note that the call at this place was refused by a person or by the program's rules."""
        if at is not None:
            self.denials.append(denial(self.calls[at].name, self.calls[at].input))

    def files_changed(self) -> tuple[str, ...] | None:
        """Return the files that calls wrote; None where commands alone may have written some."""
        found = dict.fromkeys(self.patched)
        unknown = False
        for call, paths in zip(self.calls, self._writes, strict=True):
            if call.is_error is not True:
                found.update(dict.fromkeys(paths))
            unknown = unknown or not as_object(call.input).keys().isdisjoint(_RUNS)
        return None if unknown and not found else tuple(found)


class Chat:
    """
    The iterations of one run, made of its turns in order.

    Args:
        file: Where they are.
        format: One of `exitgate.core.envelopes.plain.FORMATS`.
        wants: Words of `exitgate.core.model.capabilities`.
        calls: Whether the format shows calls of tools at all.

    `turn` is the turn under way.
    """

    def __init__(self, file: str, format: str, wants: frozenset[str], *, calls: bool = True) -> None:
        self.file = file
        self.format = format
        self.wants = wants
        self.index = 0
        self.turn: Turn | None = None
        self.plans = Plans() if wants & {capabilities.PLAN, capabilities.FILES} else None
        self._tells_calls = calls

    def begin(self, turn: Turn) -> Iterator[RecordedIteration]:
        """Begin a turn; yields the one that it ends."""
        yield from self.end()
        self.turn = turn

    def end(self) -> Iterator[RecordedIteration]:
        """Yield the turn that is under way, if there is one."""
        turn, self.turn = self.turn, None
        if turn is not None:
            yield self.concluded(turn)

    def concluded(self, turn: Turn) -> RecordedIteration:
        """Return the next iteration."""
        self.index += 1
        said = list(turn.messages.texts())
        known = bool(said) or turn.steps > 0
        if self.plans is not None:
            for call in turn.calls:
                self.plans.called(call.name, call.input, call.result, call.is_error)
        changed = turn.files_changed() if self._tells_calls or turn.patched else None
        told = any(call.result is not None or not call.own for call in turn.calls) or not turn.calls
        results = "\n".join(turn.results) if capabilities.TOOL_RESULTS in self.wants and told else None
        calls = tuple(turn.calls) if self._tells_calls and capabilities.TOOL_CALLS in self.wants else None
        return RecordedIteration(
            self.index,
            Provenance(self.file, turn.first, turn.last),
            response=said[-1] if said else ("" if known else None),
            output="\n\n".join(said) if known else None,
            tool_results=results,
            record=self._record(turn, changed),
            prompt=None if turn.prompt is None else writable_text(turn.prompt),
            started_at=turn.started_at,
            ended_at=turn.ended_at,
            error_kind=turn.error_kind,
            not_known={"tool_calls": turn.lost} if turn.lost else {},
            tool_calls=calls,
            files_changed=None if changed is None else tuple(FileChange(path) for path in changed),
            plan=self.plans.plan() if self.plans is not None else None,
            files=self.plans.files() if self.plans is not None else {},
        )

    def _record(self, turn: Turn, changed: tuple[str, ...] | None) -> dict[str, object]:
        record: dict[str, object] = {"format": self.format, **turn.record}
        if turn.steps:
            record.setdefault("turns", turn.steps)
        if self._tells_calls:
            record.setdefault("tool_calls", sum(1 for call in turn.calls if call.own))
        if changed is not None:
            record.setdefault("files_changed", len(changed))
        if turn.denials:
            record["denials"] = turn.denials
        return record
