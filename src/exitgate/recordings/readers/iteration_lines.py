"""
One JSON object for each iteration, `{"iteration": 3, "response": "..."}`: a line each, or a list of them.

Times, exit status, cost and tokens count where the object tells them under one of their usual names. A
number that goes back begins another run. Events that each tell a part of an iteration (its start, what the
agent printed, its end) are put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exitgate.core.envelopes.members import as_object, objects_in
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.loops import json_records
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance
from exitgate.recordings.probe import Probe, probe_of

ID = "iteration-lines"
TITLE = "one JSON object per iteration: its number and the agent's response"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.RESULT, capabilities.TIMES,
        capabilities.EXIT_STATUS, capabilities.COST, capabilities.TOKENS, capabilities.TASK,
    )
)  # fmt: skip
#: Members of an object that hold a list of iterations.
_LISTS = ("iterations", "history", "results", "rounds", "loops", "turns", "responses")


def fits(look: Probe) -> bool:
    """Return whether the file has such objects: a line each, or in one list."""
    events = look.events
    if look.outside == 0 and json_records.is_event(events):
        return True
    if len(events) > 1 or (events and not look.whole):
        mine = [json_records.number_of(event) for event in events]
        return all(number is not None for number in mine) and look.outside == 0
    listed = _listed(look.value)
    return bool(listed) and all(json_records.number_of(one) is not None for one in listed)


def _listed(value: object) -> list[dict[str, Any]]:
    """Return the iterations that one value lists, or is itself."""
    plain = as_object(value)
    if json_records.number_of(plain) is not None:
        return [plain]
    lists = (plain[key] for key in _LISTS if isinstance(plain.get(key), list))
    listed = next(lists, value)
    found = objects_in(listed)
    return found if isinstance(listed, list) and len(found) == len(listed) else []


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when it cannot be opened."""
    name = place.name.rpartition(".")[0] or place.name
    index = runs = 0
    last: int | None = None
    of_events = json_records.is_event(probe_of(place).events)
    for found in _events(place) if of_events else _objects(place):
        if isinstance(found, Problem):
            yield found
            continue
        number, one, provenance = found
        if last is None or number <= last:
            if last is not None:
                yield End()
            runs, index = runs + 1, 0
            limit = json_records.limit_of(one)
            yield Begin(name if runs == 1 else f"{name}#{runs}", PROCESS, place.path, limit=limit)
        index, last = index + 1, number
        yield json_records.iteration_of(one, index, provenance)
    if last is not None:
        yield End()


def _objects(place: Location) -> Iterator[tuple[int, json_records.Plain, Provenance] | Problem]:
    """Yield the number of each iteration that has one object, and the object. Raises OSError."""
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        for one in _listed(value):
            number = json_records.number_of(one)
            if number is None:
                yield Problem(place.path, "not an iteration: it has no number or no text", line)
                continue
            yield number, one, Provenance(place.path, line, line)


def _events(place: Location) -> Iterator[tuple[int, json_records.Plain, Provenance] | Problem]:
    """Yield the number of each iteration that has several events, and what they tell. Raises OSError."""
    rows: list[tuple[dict[str, Any], int]] = []
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
        elif isinstance(found[0], dict):
            rows.append((found[0], found[1]))
    for group in json_records.groups(rows):
        yield group.number, group.value(), Provenance(place.path, group.first, group.last)
