"""
What `codex exec --json` writes: a run of one iteration for each process that wrote to the file, mostly one.

It tells no instants and no cost. A file that has the program's own words on how it is called, and no event,
is a process that never began. One without the end of its last turn was cut off.
"""

from __future__ import annotations

from exitgate.core.envelopes import codex
from exitgate.core.envelopes.gathered import Gathered
from exitgate.core.envelopes.members import count_at, object_at, objects_at, text_at, texts_in
from exitgate.core.envelopes.plain import JSON_LINES, TEXT
from exitgate.core.model import capabilities
from exitgate.recordings.formats.errors import kind_of_codex
from exitgate.recordings.formats.json_files import Lines
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.model import (
    CRASH,
    PROCESS,
    Begin,
    End,
    FileChange,
    Provenance,
    RecordedIteration,
    ToolCall,
    from_unwrapped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "codex-exec"
TITLE = "Codex CLI, `codex exec --json`: one process per file"
GIVES = capabilities.TRANSCRIPT | {capabilities.TOKENS, capabilities.DENIALS}
#: How a line begins by which the program says how it is called, in place of doing anything.
_USAGE, _ERROR = "Usage: codex exec", "error: "
_DONE, _FAILED, _DECLINED, _CHANGE, _TODOS = (
    "item.completed",
    "failed",
    "declined",
    "file_change",
    "todo_list",
)
_WORDS = ("agent_message", "assistant_message", "reasoning", "error", _TODOS)
#: Members of an item that say how a call went, not what it was.
_WENT = ("id", "type", "item_type", "status", "aggregated_output", "exit_code", "result", "error")
_WHY = 200


def fits(look: Probe) -> bool:
    """Return whether the first lines are events of this kind, or the program's words on how it is called."""
    events = look.events
    mine = sum(map(codex.fits, events))
    begun = any(codex.opens(event) or str(event.get("type")).startswith("turn.") for event in events)
    items = sum("item" in event for event in events)
    if mine and (begun or items):
        return mine * 2 >= len(events)
    return not events and look.whole and _is_usage(look.text)


def _is_usage(text: str) -> bool:
    lines = [line.strip() for line in text.split("\n", 40)[:40]]
    return any(line.startswith(_USAGE) for line in lines) and lines[0].startswith((_ERROR, _USAGE))


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run, an iteration for each process. Raises OSError when it cannot be read."""
    lines, process = Lines(place), _Process()
    name = place.name.rpartition(".")[0] or place.name
    first, index = 1, 1
    yield Begin(name, PROCESS, place.path)
    for event in lines.events():
        if codex.opens(event) and process.opened:
            yield process.iteration(place, (index, first, lines.number - 1), wants)
            process, first, index = _Process(), lines.number, index + 1
        process.take(event)
        yield from lines.problems()
    if not process.events and lines.outside:
        list(lines.problems())  # what is outside is the whole of it, and no problem
        yield _crashed(place, "\n".join(lines.outside), lines.number)
        yield End("failed", next(iter(lines.outside))[:_WHY])
        return
    yield from lines.problems()
    process.gathered.cut = lines.cut
    one = process.iteration(place, (index, first, lines.number), wants)
    yield one
    failed = one.error_kind is not None
    yield End("failed" if failed else None, str(one.record.get("error", ""))[:_WHY] if failed else "")


def _crashed(place: Location, text: str, last: int) -> RecordedIteration:
    return RecordedIteration(
        1,
        Provenance(place.path, 1, last),
        record={"format": TEXT, "is_error": True, "error": text},
        error_kind=CRASH,
        not_known=dict.fromkeys(("response", "output", "tool_results"), "the agent did not begin"),
    )


class _Process:
    """A process under way."""

    def __init__(self) -> None:
        self.gathered = Gathered()
        self.plans = Plans()
        self.events = 0
        self.opened = False
        self._calls: list[ToolCall] = []
        self._failed = False

    def take(self, event: Event) -> None:
        """Take the next event."""
        if not codex.fits(event):
            return
        self.events += 1
        self.opened = self.opened or codex.opens(event)
        codex.take(event, self.gathered)
        kind = event.get("type")
        if kind in ("turn.failed", "turn.completed", "turn.started"):
            self._failed = kind == "turn.failed"
        item = object_at(event, "item")
        if item:
            self._item(item, text_at(item, "type", "item_type") or "", done=kind == _DONE)

    def _item(self, item: Event, kind: str, *, done: bool) -> None:
        if kind == _TODOS:
            self.plans.called(kind, {"items": item.get("items")})
        elif done and kind and kind not in _WORDS:
            status = item.get("status")
            bad = status in (_FAILED, _DECLINED)
            if kind == _CHANGE and bad:
                self.gathered.calls.files.difference_update(_paths(item))
            elif kind == _CHANGE:
                for path in _paths(item):
                    self.plans.lost(path)
            input = {name: value for name, value in item.items() if name not in _WENT}
            output = text_at(item, "aggregated_output")
            result = output if output is not None else texts_in(object_at(item, "result").get("content"))
            self.plans.called(kind, input, result, bad)
            exit_status = count_at(item, "exit_code")
            called = text_at(item, "tool") or kind
            self._calls.append(ToolCall(called, input, result, bad, exit_status, text_at(item, "id")))

    def iteration(
        self, place: Location, at: tuple[int, int, int], wants: frozenset[str]
    ) -> RecordedIteration:
        """Return the process as it is recorded; `at` is its place among them, its first and last line."""
        index, first, last = at
        calls = self.gathered.calls
        self._calls += [
            ToolCall(str(one["tool"]), one["input"], background=True)
            for one in calls.told
            if one.get("background")
        ]
        if calls.own != len(self._calls):
            calls.lose("a call did not end")
        found = self.gathered.concluded(JSON_LINES)
        changed = tuple(FileChange(path) for path in sorted(calls.files))
        said = self.gathered.messages
        silent = not any(said.texts())
        return from_unwrapped(
            index,
            Provenance(place.path, first, max(first, last)),
            found,
            response=None if silent and not self.gathered.ended else found.response,
            error_kind=kind_of_codex(str(found.record.get("error", ""))) if self._failed else None,
            tool_calls=tuple(self._calls) if capabilities.TOOL_CALLS in wants else None,
            files_changed=changed
            if capabilities.FILES_CHANGED in wants and calls.files_changed() is not None
            else None,
            plan=self.plans.plan() if capabilities.PLAN in wants else None,
            files=self.plans.files() if capabilities.FILES in wants else {},
            not_known={"response": "the recording ends before the agent's first message"} if silent else {},
        )


def _paths(item: Event) -> list[str]:
    return [path for one in objects_at(item, "changes") if (path := text_at(one, "path")) is not None]
