"""
OpenHands before its SDK: a list of events, or rows of `output.jsonl` with the events under `history`.

Every row is a run, an action of the agent with what came of it a step. In the oldest rows the history is a
list of pairs of action and observation; rows of the issue resolver have events without ids. Instants have no
zone and are taken as UTC. An accumulated cost of 0 with tokens used is a price that OpenHands did not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.members import objects_of
from exitgate.core.model import capabilities
from exitgate.core.model.display import counted
from exitgate.core.system.lenient import Amount, amount, read_as
from exitgate.recordings.formats.json_files import Ids, documents
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import STEP, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.openhands.events import Sums, Taken, is_event

ID = "openhands"
TITLE = "OpenHands events: trajectories, `output.jsonl`, rows of the resolver"
GIVES = capabilities.CHAT | capabilities.USAGE | {capabilities.DENIALS}
_SEEN = 8
#: Members of rows beside the history; a row whose history begins behind the first look is known from two.
_ROW = ("instance_id", "test_result", "instruction", "metadata", "metrics", "git_patch", "issue_type")


class _Issue(Struct, frozen=True):
    """What a row of the resolver is about."""

    number: Amount = None
    owner: str | None = None
    repo: str | None = None
    title: str | None = None


class _Cost(Struct, frozen=True):
    cost: Any = UNSET


class _Agent(Struct, frozen=True):
    agent_class: str | None = None


class _Row(Struct, frozen=True):
    """A run; `history` is None where there is no list of events."""

    history: tuple[Any, ...] | None = None
    issue: _Issue = _Issue()
    instance_id: Any = UNSET
    id: Any = None
    metadata: _Agent = _Agent()
    metrics: Sums = Sums()
    error: str | None = None
    success: bool | None = None


def fits(look: Probe) -> bool:
    """Return whether the file is a list of events, or begins with a row that has some."""
    value = look.events[0] if look.value is None and look.events else look.value
    if isinstance(value, list):
        return _all_events(value)
    if not isinstance(value, dict):
        return False
    row = read_as(_Row, value)
    if row.history:
        return _all_events(row.history)
    known = row.metadata.agent_class is not None and sum(name in value for name in _ROW) > 1
    return known and (row.history is not None or not look.whole)


def _all_events(history: Sequence[object]) -> bool:
    """Return whether the first things in a history are events, or pairs of such."""
    events = list(_flat(history[:_SEEN]))
    return bool(events) and len(events) >= min(len(history), _SEEN) and all(map(is_event, events))


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield one run for each row. Raises OSError when it cannot be read."""
    ids = Ids()
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        row = read_as(_Row, value if isinstance(value, dict) else {"history": value})
        if row.history is None:
            yield Problem(place.path, "no `history` of events; skipped", line)
        else:
            yield from _run(place, row, row.history, line, ids.next(_id(row, place))[0], wants)


def _run(
    place: Location, row: _Row, history: Sequence[object], line: int, id: str, wants: frozenset[str]
) -> Iterator[Part]:
    entries = list(_flat(history))
    events = [event for event in entries if is_event(event)]
    odd = len(entries) - len(events)
    if odd:
        one, many = "entry of the history is not an event", "entries of the history are not events"
        yield Problem(place.path, f"{counted(odd, one, many)}; skipped", line)
    taken = Taken(place.path, line, wants, _costs(row))
    began = next((at for event in events if (at := instant(event.get("timestamp"))) is not None), None)
    yield Begin(id, STEP, place.path, began, title=(row.issue.title or "")[:80])
    for event in events:
        taken.take(event)
    yield from taken.iterations()
    yield end_of(row, events, taken)


def _flat(history: Sequence[object]) -> Iterator[dict[str, Any]]:
    """Yield the events of a history, those of pairs one after the other."""
    return (event for entry in history for event in objects_of(entry))


def _id(row: _Row, place: Location) -> str:
    """Return what a row is called: its instance, the issue it is about, or the name of the file."""
    issue = row.issue
    if issue.number is not None and issue.repo is not None:
        return f"{issue.owner or ''}/{issue.repo}#{issue.number:g}"
    named = row.id if row.instance_id is UNSET else row.instance_id
    return str(named) if isinstance(named, str | int) else place.name.partition(".")[0]


def _costs(row: _Row) -> list[float] | None:
    """Return what each call of the model cost, where the row lists it."""
    listed = [(one, read_as(_Cost, one).cost) for one in row.metrics.costs]
    found = [amount(one if told is UNSET else told) for one, told in listed]
    known = [float(cost) for cost in found if cost is not None]
    return known if known and len(known) == len(found) else None


# How a run of OpenHands before its SDK ended, by what the recorder says.

#: State of the agent, as its controller names it -> class.
_STATES = {
    "finished": "complete",
    "rejected": None,
    "error": "failed",
    "stopped": "interrupted",
    "paused": "interrupted",
    "user_rejected": "interrupted",
    "awaiting_user_input": "blocked",
    "awaiting_user_confirmation": "blocked",
    "rate_limited": "wait",
}
#: Words of the controller's own errors -> class; every other error is `failed`.
_ERRORS = (
    ("AgentStuckInLoopError", "stuck"),
    ("reached maximum iteration", "exhausted"),
    ("reached maximum budget", "exhausted"),
)
_LONGEST = 120


def end_of(row: _Row, events: Sequence[dict[str, Any]], taken: Taken) -> End:
    """
    Return the end of a run: by the row's error, the resolver's verdict, the last state.

    `complete` is the controller's word: the run was handed in. Whether its task is solved is unknown.
    """
    how, why = _how(row, events, taken)
    told = any("cost" in step.record for step in taken.steps)
    used = any("tokens" in step.record for step in taken.steps)
    return End(
        how,
        why[:_LONGEST],
        taken.ended_at,
        None if told else (row.metrics.accumulated_cost or None),
        None if used else row.metrics.accumulated_token_usage.tokens(),
    )


def _how(row: _Row, events: Sequence[dict[str, Any]], taken: Taken) -> tuple[str | None, str]:
    if row.error:
        first = row.error.strip().split("\n", 1)[0]
        return next((how for mark, how in _ERRORS if mark in row.error), "failed"), first
    if row.success is not None:
        return ("complete", "success") if row.success else (None, "no success")
    if taken.state is not None:
        return _STATES.get(taken.state), taken.state
    acts = (event.get("action") for event in reversed(events) if event.get("observation") != "null")
    # What the agent claims; nothing says that the run was over.
    return None, "finish" if next(acts, None) == "finish" else ""
