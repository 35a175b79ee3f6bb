"""
The events of a loop that somebody wrote as JSON lines, several for each iteration, put together.

`{"event": "iteration_start", "iteration": 1}`, `{"event": "agent_output", "iteration": 1, "text": "..."}` and
the like: each says what it is and of which iteration it tells. What tests, reviewers and prompts say is not
the agent's.
"""

from __future__ import annotations

from itertools import pairwise

from exitgate.facts.words import encodable
from exitgate.transcripts.loops import told
from exitgate.transcripts.loops.marks import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.transcripts.values import Event

#: Members that say what an object is; names in lower case without `_` and `-`.
_KINDS = ("event", "eventtype", "type", "phase", "stage", "kind", "role", "name", "action", "source")
#: Members that number an iteration here: turns and steps are an agent's own.
_NUMBERS = ("iteration", "iterationnumber", "iter", "loop", "loopnumber", "loopcount", "round", "cycle")
#: Words of what an object is, parted at capitals and signs.
_WORDS = r"[A-Z]?[a-z]+|[A-Z]+"
_BEGINS = frozenset(("start", "started", "begin", "began", "begun", "starting"))
_ENDS = frozenset(
    (
        "end", "ended", "finish", "finished", "complete", "completed", "done", "stop", "stopped", "exit",
        "exited", "failed", "result",
    )
)  # fmt: skip
_AGENTS = frozenset(
    (
        "agent", "assistant", "model", "llm", "ai", "claude", "codex", "gemini", "amp", "cursor", "opencode",
        "output", "response", "answer", "reply", "stdout", "execute", "implement", "worker",
    )
)  # fmt: skip
_OTHERS = frozenset(
    (
        "test", "tests", "verify", "verification", "check", "checks", "review", "reviewer", "judge", "prompt",
        "input", "user", "system", "tool", "tools", "lint", "commit", "git", "hook", "gate", "validate",
        "validation", "validator", "stderr", "error", "plan", "planner", "planning", "debug", "log",
        "thinking", "reasoning", "metrics", "usage", "cost", "diff",
    )
)  # fmt: skip
#: Words of an object that shows an iteration as a whole.
_WHOLE = frozenset(("iteration", "iter", "loop", "round", "cycle"))
#: Members of an object whose text is the agent's, no matter what the object is.
_SAID = ("response", "agentresponse", "agentoutput", "answer", "reply")
_FIRST = (0, 1)


def kind_of(event: Event) -> frozenset[str]:
    """Return the words that say what an object is, in lower case; none where it does not say it."""
    members = told.flat(event)
    for key in _KINDS:
        found = members.get(key)
        if isinstance(found, str) and found:
            return frozenset(word.lower() for word in pattern(_WORDS).findall(encodable(found[:100])))
    return frozenset()


def number_of(event: Event) -> int | None:
    """Return the number of the iteration that an object tells something of, else None."""
    members = told.flat(event)
    for key in _NUMBERS:
        found = members.get(key)
        if isinstance(found, int) and not isinstance(found, bool):
            return found if 0 <= found < 1_000_000 else None
    return None


def said_in(event: Event) -> str | None:
    """Return what an object says that the agent said, else None."""
    words, members = kind_of(event), told.flat(event)
    keys = told.TEXT if words & _AGENTS else (*_SAID, "output") if words & _WHOLE else _SAID
    if words & _OTHERS or (words & _BEGINS):
        return None
    found = next((members[key] for key in keys if isinstance(members.get(key), str)), None)
    return found if isinstance(found, str) else None


def fits(events: Sequence[Event]) -> bool:
    """Return whether objects are such events: some iteration takes several, and the numbers rise by one."""
    if not all(map(kind_of, events)) or len(set(map(kind_of, events))) < 2:
        return False
    numbers = [number for event in events if (number := number_of(event)) is not None]
    unnumbered = len(events) - len(numbers)
    pairs = list(pairwise(numbers))
    if not numbers or unnumbered > 2 + len(events) // 4 or numbers[0] not in _FIRST:
        return False
    if not all(after in (before, before + 1) or after in _FIRST for before, after in pairs):
        return False
    return any(a == b for a, b in pairs) and any(
        said_in(event) is not None for event in events if number_of(event) is not None
    )


class Group:
    """The events of one iteration, and their lines from `first` to `last`."""

    def __init__(self, number: int, line: int) -> None:
        self.number = number
        self.first = self.last = line
        self._events: list[Event] = []
        self._ended = False

    def goes_on(self, event: Event) -> bool:
        """Return whether an event is of this iteration; one that starts the same number anew is not."""
        number = number_of(event)
        if number is None:
            return True
        words = kind_of(event)
        return number == self.number and not (self._ended and words & _WHOLE and words & _BEGINS)

    def take(self, event: Event, line: int) -> None:
        """Add an event."""
        if number_of(event) is None:
            return
        self._events.append(event)
        self.last = line
        self._ended = self._ended or bool(kind_of(event) & _ENDS)

    def value(self) -> Event:
        """Return the iteration as one object."""
        own = [event for event in self._events if not kind_of(event) & _OTHERS]
        texts = list(dict.fromkeys(text for event in own if (text := said_in(event)) is not None))
        found: dict[str, object] = {"iteration": self.number}
        for event in own:
            members = told.flat(event)
            found |= {key: members[key] for key in told.FIGURES if key in members}
        times = [told.begun_at(event) for event in self._events]
        found |= {"response": "\n".join(texts) if texts else None, "startedat": next(iter(times), None)}
        if self._events and kind_of(self._events[-1]) & _ENDS and len(times) > 1:
            found["endedat"] = times[-1]
        return found


def groups(rows: Iterable[tuple[Event, int]]) -> list[Group]:
    """Return the iterations that events with the numbers of their lines tell of, in order."""
    found: list[Group] = []
    for event, line in rows:
        number = number_of(event)
        if number is not None and (not found or not found[-1].goes_on(event)):
            found.append(Group(number, line))
        if found:
            found[-1].take(event, line)
    return found
