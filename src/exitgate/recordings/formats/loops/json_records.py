"""
An iteration that somebody wrote as one JSON object: `{"iteration": 3, "response": "..."}` and the like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import NoneType
from typing import Any, TypeVar

from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.facts.text.words import encodable
from exitgate.recordings.formats.loops.headers import pattern
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import Provenance, RecordedIteration, from_unwrapped

Plain = Mapping[str, Any]
T = TypeVar("T")

#: Numbers from here on are none of an iteration.
_MOST = 1_000_000
#: Members that hold the number, the text, and what else is reported; names in lower case without `_` and `-`.
_NUMBER = (
    "iteration",
    "iterationnumber",
    "iter",
    "loop",
    "loopnumber",
    "loopcount",
    "round",
    "turn",
    "cycle",
    "step",
)
_INDEX = ("n", "index", "i", "number")
TEXT = (
    "response",
    "output",
    "agentresponse",
    "agentoutput",
    "answer",
    "reply",
    "result",
    "text",
    "message",
    "content",
    "stdout",
)
_STARTED = ("startedat", "start", "starttime", "timestamp", "time", "at", "date", "ts", "t")
_ENDED = ("endedat", "end", "endtime", "finishedat", "completedat")
_STATUS = ("exitcode", "exitstatus", "returncode", "code", "rc")
_COST = ("costusd", "totalcostusd", "cost", "usd")
_TOKENS = ("tokens", "totaltokens", "tokensused")
_TIMED_OUT = ("timedout", "timeout")
_ERROR = ("error", "errormessage")
_PROMPT = ("prompt", "task", "input")
#: Members that describe the process: times, exit status, cost, tokens, errors.
FIGURES = (*_ENDED, *_STATUS, *_COST, *_TOKENS, *_TIMED_OUT, *_ERROR)
_LIMIT = ("maxiterations", "limit", "max", "of")


def flat(value: Plain) -> Plain:
    """Return the members of an object by their names in lower case without `_` and `-`."""
    return {key.lower().replace("_", "").replace("-", ""): member for key, member in value.items()}


def number_of(value: Plain) -> int | None:
    """Return the number of the iteration that an object shows, None where it shows none."""
    members = flat(value)
    if not any(type(members.get(key, ...)) in (str, NoneType) for key in TEXT):
        return None
    found = _first(members, _NUMBER, int)
    if found is None and len(members) <= 8:
        found = _first(members, _INDEX, int)
    return found if found is not None and 0 <= found < _MOST else None


def limit_of(value: Plain) -> int | None:
    """Return after how many iterations an object says that the loop ends, else None."""
    found = _first(flat(value), _LIMIT, int)
    return found if found is not None and found > 0 else None


def iteration_of(value: Plain, index: int, provenance: Provenance) -> RecordedIteration:
    """Return the iteration that an object shows."""
    members = flat(value)
    status = _first(members, _STATUS, int)
    text = _first(members, TEXT, str) or ""
    parts: dict[str, Any] = {
        "started_at": instant(_first(members, _STARTED, str, int, float)),
        "ended_at": instant(_first(members, _ENDED, str, int, float)),
        "exit_status": status,
        "timed_out": _first(members, _TIMED_OUT, bool),
        "prompt": _first(members, _PROMPT, str),
    }
    number = number_of(value)
    if number is not None and number != index:
        parts["number"] = number
    if not text.strip():
        missing = dict.fromkeys(("response", "output"), "the agent's response is not recorded")
        one = RecordedIteration(index, provenance, not_known=missing, **parts)
    else:
        one = from_unwrapped(index, provenance, unwrap(text, failed=status not in (None, 0)), **parts)
    told = {"cost": _first(members, _COST, int, float), "tokens": _first(members, _TOKENS, int)}
    record = {**one.record, **{key: amount for key, amount in told.items() if amount is not None}}
    error = _first(members, _ERROR, str) or ""
    return one.but(record={**record, "is_error": True, "error": error} if error.strip() else record)


def begun_at(value: Plain) -> object:
    """Return the time that an object tells, as it is written, else None."""
    return _first(flat(value), _STARTED, str, int, float)


def _first(members: Plain, keys: Sequence[str], *kinds: type[T]) -> T | None:
    """Return the first of the members that is of one of the types: true and false are not numbers."""
    return next((found for key in keys if type(found := members.get(key)) in kinds), None)


# The events of a loop that somebody wrote as JSON lines, several for each iteration, put together.
#
# `{"event": "iteration_start", "iteration": 1}`, `{"event": "agent_output", "iteration": 1, "text": "..."}`
# and the like: each says what it is and of which iteration it tells. What tests, reviewers and prompts say
# is not the agent's.

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


def kind_of(event: Plain) -> frozenset[str]:
    """Return the words that say what an object is, in lower case; none where it does not say it."""
    members = flat(event)
    found = _first({key: member for key, member in members.items() if member}, _KINDS, str) or ""
    return frozenset(word.lower() for word in pattern(_WORDS).findall(encodable(found[:100])))


def event_number(event: Plain) -> int | None:
    """Return the number of the iteration that an object tells something of, else None."""
    found = _first(flat(event), _NUMBERS, int)
    return found if found is not None and 0 <= found < _MOST else None


def said_in(event: Plain) -> str | None:
    """Return what an object says that the agent said, else None."""
    words, members = kind_of(event), flat(event)
    keys = TEXT if words & _AGENTS else (*_SAID, "output") if words & _WHOLE else _SAID
    if words & _OTHERS or (words & _BEGINS):
        return None
    return _first(members, keys, str)


def is_event(events: Sequence[Plain]) -> bool:
    """Return whether objects are such events: some iteration takes several, and the numbers rise by one."""
    if not all(map(kind_of, events)) or len(set(map(kind_of, events))) < 2:
        return False
    numbers = [number for event in events if (number := event_number(event)) is not None]
    unnumbered = len(events) - len(numbers)
    pairs = list(pairwise(numbers))
    if not numbers or unnumbered > 2 + len(events) // 4 or numbers[0] not in _FIRST:
        return False
    if not all(after in (before, before + 1) or after in _FIRST for before, after in pairs):
        return False
    return any(a == b for a, b in pairs) and any(
        said_in(event) is not None for event in events if event_number(event) is not None
    )


class Group:
    """The events of one iteration, and their lines from `first` to `last`."""

    def __init__(self, number: int, line: int) -> None:
        self.number = number
        self.first = self.last = line
        self._events: list[Plain] = []
        self._ended = False

    def goes_on(self, event: Plain) -> bool:
        """Return whether an event is of this iteration; one that starts the same number anew is not."""
        number = event_number(event)
        if number is None:
            return True
        words = kind_of(event)
        return number == self.number and not (self._ended and words & _WHOLE and words & _BEGINS)

    def take(self, event: Plain, line: int) -> None:
        """Add an event."""
        if event_number(event) is None:
            return
        self._events.append(event)
        self.last = line
        self._ended = self._ended or bool(kind_of(event) & _ENDS)

    def value(self) -> Plain:
        """Return the iteration as one object."""
        own = [event for event in self._events if not kind_of(event) & _OTHERS]
        texts = list(dict.fromkeys(text for event in own if (text := said_in(event)) is not None))
        found: dict[str, Any] = {"iteration": self.number}
        for event in own:
            members = flat(event)
            found |= {key: members[key] for key in FIGURES if key in members}
        times = [begun_at(event) for event in self._events]
        found |= {"response": "\n".join(texts) if texts else None, "startedat": next(iter(times), None)}
        if self._events and kind_of(self._events[-1]) & _ENDS and len(times) > 1:
            found["endedat"] = times[-1]
        return found


def groups(rows: Iterable[tuple[Plain, int]]) -> list[Group]:
    """Return the iterations that events with the numbers of their lines tell of, in order."""
    found: list[Group] = []
    for event, line in rows:
        number = event_number(event)
        if number is not None and (not found or not found[-1].goes_on(event)):
            found.append(Group(number, line))
        if found:
            found[-1].take(event, line)
    return found
