"""
autoresearch: `ledger.jsonl`, a candidate a line, and `frontier.json`, the best of them.

Each candidate is an iteration: an agent proposed it, a command measured it. What the agent said is not in
it; the metric is. A policy reads it as the file `objective.json` (``{extract: json_file, file:
objective.json, value_at: proxy_score}``) or from the record's `fields`, one for each number. The command
that measured it is under `tests`. A `frontier.json` holds the newest runs, newest first, without
instants.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.json_text import cut, whole
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.json_files import fitting_lines, object_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe

ID = "autoresearch"
TITLE = "autoresearch: ledger.jsonl and frontier.json, one metric per iteration"
GIVES = frozenset((capabilities.RESULT, capabilities.FILES, capabilities.TESTS, capabilities.TIMES))

OBJECTIVE = "objective.json"
_NO_TEXT = dict.fromkeys(
    ("response", "output", "tool_results", "prompt", "plan"), "a ledger of candidates has only their metrics"
)


class _Candidate(Struct, frozen=True):
    """A candidate, with how it was measured; of a frontier without a few of these."""

    candidate_id: str | None = None
    created_at: str | None = None
    objective: dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    tier: str | None = None
    return_code: int | None = None
    command: Any = None


class _Frontier(Struct, frozen=True):
    """The best candidates, and the newest, newest first."""

    global_best: Any = UNSET
    champion_set: tuple[dict[str, Any], ...] = ()
    recent_runs: tuple[dict[str, Any], ...] = ()


def fits(look: Probe) -> bool:
    """Return whether the file is a ledger of candidates or a frontier."""
    if look.events and _is_candidate(look.events[0]):
        return True
    frontier = read_as(_Frontier, look.value)
    return frontier.global_best is not UNSET and any(frontier.champion_set)


def _is_candidate(plain: dict[str, Any]) -> bool:
    one = read_as(_Candidate, plain)
    named = one.candidate_id is not None and one.created_at is not None
    return named and (one.objective is not None or one.metrics is not None)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    yield Begin(place.name, PROCESS, place.path, title="a candidate an iteration")
    last: float | None = None
    first = next((raw for raw in place.lines() if raw.strip()), b"")
    if object_of(first) is None:
        yield from _frontier(place)
    else:
        index = 0
        for found in fitting_lines(place, _is_candidate, "this line is not a candidate"):
            if isinstance(found, Problem):
                yield found
                continue
            index += 1
            one = _iteration(index, Provenance(place.path, found[0], found[0]), found[1])
            last = one.ended_at
            yield one
    yield End(ended_at=last)


def _frontier(place: Location) -> Iterator[Part]:
    text = place.text().strip()
    read = whole(text) or cut(text)
    if read is None or not isinstance(read.value, dict):
        yield Problem(place.path, "it is not a JSON object")
        return
    if read.cut:
        yield Problem(place.path, "its JSON is cut off at the end; the rest counts")
    for index, run in enumerate(reversed(read_as(_Frontier, read.value).recent_runs), 1):
        yield _iteration(index, Provenance(place.path), run).but(ended_at=None)


def _iteration(index: int, where: Provenance, plain: dict[str, Any]) -> RecordedIteration:
    one = read_as(_Candidate, plain)
    objective = one.objective or _numbers(plain)
    record: dict[str, Any] = {"fields": {name.upper(): n for name, n in _numbers(objective).items()}}
    if one.tier is not None:
        record["subtype"] = one.tier
    return RecordedIteration(
        index,
        where,
        record=record,
        ended_at=instant(one.created_at),
        tests=_measured(one),
        files={OBJECTIVE: json.dumps(objective)} if objective else {},
        not_known=_NO_TEXT,
    )


def _numbers(plain: dict[str, Any]) -> dict[str, Any]:
    """Return the members that are numbers or truths."""
    return {name: value for name, value in plain.items() if isinstance(value, int | float)}


def _measured(one: _Candidate) -> dict[str, object] | None:
    if one.return_code is None:
        return None
    words = one.command if isinstance(one.command, list) else [one.command or ""]
    return {"command": " ".join(map(str, words)), "exit_status": one.return_code}
