"""The agent's calls of tools and what came back."""

from __future__ import annotations

from exitgate.core.envelopes.members import as_object, object_at, own_texts, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.members import Event


#: A call writes a file when its input names one and holds what goes into it.
_PLACES = ("file_path", "notebook_path", "filePath", "path")
_CONTENTS = ("content", "new_string", "newString", "edits", "new_source", "old_string")
#: A call may write any file when its input is a command.
_COMMANDS = ("command", "cmd", "script")
_INPUTS = ("input", "parameters", "args", "arguments")
#: What a member of an input may be before its value is known.
_NOTHING: tuple[object, ...] = (None, "", [], {})
#: Why a list of the agent's own calls is not one of all calls.
OF_OTHERS = "calls of sub-agents are left out"
NO_INPUT = "a call has no input that can be read"
#: Characters of an id that are shown.
ID_SHOWN = 60


class Calls:
    """
    Calls of one iteration: `own` counts those of the agent itself, not of its sub-agents.

    `lost` says why others may be missing from `told`, or is the empty text.

    `told` lists them in order, each with `tool` and `input`. A call that returned also has `result` and
    `error`, and a command its `exit_status` if the format gives one. `background` is set where the program
    itself reports that a call's work continued behind its result, and `ended` once it reports that this
    has finished.
    """

    def __init__(self) -> None:
        self.own: int | None = None
        self.lost = ""
        self.told: list[dict[str, object]] = []
        self.files: set[str] = set()
        self.results: list[str] = []
        self._edits: dict[str, str] = {}
        self._seen: dict[str, dict[str, object] | None] = {}
        self._any_file = False
        self._tasks: set[str] = set()

    def watch(self) -> None:
        """Note that calls are shown in this format, so that none at all is a known number."""
        self.own = self.own or 0

    def lose(self, why: str) -> None:
        """Note that a call may be missing; the first reason counts."""
        self.lost = self.lost or why

    def gaps(self) -> dict[str, str]:
        """Return `lost` as an iteration has it under `not_known`."""
        return {"tool_calls": self.lost} if self.lost else {}

    def call(self, id: str | None, given: object, *, tool: str | None = None, own: bool = True) -> None:
        """Count a call; the same id is the same call, whose input may come in several steps."""
        input: Event = as_object(given)
        if input is not given:
            self.lose(NO_INPUT)
        if id is not None and id in self._seen:
            told = self._seen[id]
            fuller = None if told is None else fuller_of(told["input"], input)
            if told is None:
                return
            if fuller is None:
                self.lose(f"two calls have the id `{id[:ID_SHOWN]}`")
                return
            told["input"] = input = fuller
        elif own:
            self.own = (self.own or 0) + 1
            told = {"tool": tool or "", "input": input}
            self.told.append(told)
        else:
            told = None
            self.lose(OF_OTHERS)
        if id is not None:
            self._seen[id] = told
        if any(isinstance(input.get(name), str | list) for name in _COMMANDS):
            self._any_file = True
        place = text_at(input, *_PLACES)
        if place and any(name in input for name in _CONTENTS):
            self.files.add(place)
            if id is not None:
                self._edits[id] = place

    def answer(
        self, id: str | None, text: str, *, error: bool = False, own: bool = True, status: int | None = None
    ) -> None:
        """Add what a call gave back, `status` of a command. A file whose writing failed was not written."""
        if own and text:
            self.results.append(text)
        if own and id is not None and id not in self._seen:
            self.lose("a result belongs to a call that is not shown")
        told = self._seen.get(id) if id is not None else None
        if told is not None:
            told["result"] = text
            told["error"] = error
            if status is not None:
                told["exit_status"] = status
            told.pop("background", None)
            if id in self._tasks:
                told["background"] = True
        place = self._edits.pop(id, None) if id is not None else None
        if error and place is not None and place not in self._edits.values():
            self.files.discard(place)

    def keep_list(self, id: str | None, input: Event, tool: str) -> None:
        """Keep the state of a to-do list that is known from itself, as a call that counts for none."""
        told = self._seen.get(f"{tool} {id}")
        if told is None:
            told = {"tool": tool, "input": input, "result": "", "error": False}
            self._seen[f"{tool} {id}"] = told
            self.told.append(told)
        told["input"] = input

    def begin_task(self, id: str | None) -> None:
        """Note that a call's work is a task of its own, which may outlive what the call gives back."""
        if id is not None:
            self._tasks.add(id)

    def leave_open(self) -> None:
        """Note that the turn has ended: what has given nothing back yet continues in the background."""
        for told in self.told:
            if "result" not in told:
                told["background"] = True

    def end(self, id: str | None) -> None:
        """Note that work which a call had begun in the background has ended."""
        self._tasks.discard(id or "")
        told = self._seen.get(id) if id is not None else None
        if told is not None:
            told["ended"] = True

    def is_open(self) -> bool:
        """Return whether one of the agent's own calls has given nothing back yet."""
        return any("result" not in one for one in self.told)

    def files_changed(self) -> int | None:
        """Return how many files the calls wrote; None where commands may have written others alone."""
        if self.own is None or (not self.files and self._any_file):
            return None
        return len(self.files)


def fuller_of(earlier: object, later: object) -> Event | None:
    """Return the fuller of two inputs of one call, None where they contradict each other."""
    before, then = as_object(earlier), as_object(later)
    if any(one is not None and one is not read for one, read in ((earlier, before), (later, then))):
        return None  # one of them is no object
    pairs = ((before.get(name), then.get(name)) for name in {*before, *then})
    if any(one not in _NOTHING and other not in _NOTHING and one != other for one, other in pairs):
        return None
    return {
        name: then[name] if then.get(name) not in _NOTHING else before.get(name, then.get(name))
        for name in {**before, **then}
    }


def shown_input(input: object) -> str:
    """Return the input of a call for people and patterns: its command, file or address."""
    if isinstance(input, str):
        return input
    called = as_object(input)
    first = text_at(called, *_COMMANDS, *_PLACES, "url", "query", "pattern")
    return next(iter(own_texts(called)), "") if first is None else first


def denial(tool: str, input: object) -> dict[str, object]:
    """Return a refused call as the record has it."""
    return {"tool": tool, "input": shown_input(input)}


def input_of(block: Event) -> object:
    """Return the input of a call under any of its names: the first object, else what is there, or None."""
    found = object_at(block, *_INPUTS)
    return found or next((block[name] for name in _INPUTS if name in block), None)
