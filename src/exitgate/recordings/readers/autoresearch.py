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

from exitgate.core.envelopes.members import object_at, objects_at, text_at
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import object_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import PROCESS, Begin, End, Problem, Provenance, RecordedIteration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "autoresearch"
TITLE = "autoresearch: ledger.jsonl and frontier.json, one metric per iteration"
GIVES = frozenset((capabilities.RESULT, capabilities.FILES, capabilities.TESTS, capabilities.TIMES))

OBJECTIVE = "objective.json"
_RECENT = "recent_runs"
_NO_TEXT = dict.fromkeys(
    ("response", "output", "tool_results", "prompt", "plan"), "a ledger of candidates has only their metrics"
)


def fits(look: Probe) -> bool:
    """Return whether the file is a ledger of candidates or a frontier."""
    if look.events and _is_candidate(look.events[0]):
        return True
    value = look.value
    return isinstance(value, dict) and "global_best" in value and any(objects_at(value, "champion_set"))


def _is_candidate(event: Event) -> bool:
    return (
        isinstance(event.get("candidate_id"), str)
        and isinstance(event.get("created_at"), str)
        and (isinstance(event.get("objective"), dict) or isinstance(event.get("metrics"), dict))
    )


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    yield Begin(place.name, PROCESS, place.path, title="a candidate an iteration")
    last: float | None = None
    first = next((raw for raw in place.lines() if raw.strip()), b"")
    if object_of(first) is None:
        yield from _frontier(place)
    else:
        index = 0
        for number, raw in enumerate(place.lines(), 1):
            if not raw.strip():
                continue
            event = object_of(raw)
            if event is None or not _is_candidate(event):
                yield Problem(place.path, "this line is not a candidate", number)
                continue
            index += 1
            last = instant(event.get("created_at"))
            yield _iteration(index, Provenance(place.path, number, number), event, last)
    yield End(ended_at=last)


def _frontier(place: Location) -> Iterator[Part]:
    from exitgate.core.envelopes.json_text import cut, whole

    text = place.text().strip()
    read = whole(text) or cut(text)
    value = read.value if read is not None else None
    if not isinstance(value, dict):
        yield Problem(place.path, "it is not a JSON object")
        return
    if read is not None and read.cut:
        yield Problem(place.path, "its JSON is cut off at the end; the rest counts")
    runs = [*objects_at(value, _RECENT)][::-1]
    for index, run in enumerate(runs, 1):
        yield _iteration(index, Provenance(place.path), run, None)


def _iteration(index: int, where: Provenance, event: Event, at: float | None) -> RecordedIteration:
    objective = object_at(event, "objective") or _numbers(event)
    record: dict[str, object] = {"fields": {name.upper(): n for name, n in _numbers(objective).items()}}
    subtype = text_at(event, "tier")
    if subtype is not None:
        record["subtype"] = subtype
    return RecordedIteration(
        index,
        where,
        record=record,
        ended_at=at,
        tests=_measured(event),
        files={OBJECTIVE: json.dumps(objective)} if objective else {},
        not_known=_NO_TEXT,
    )


def _numbers(event: Event) -> dict[str, object]:
    """Return the members that are numbers or truths."""
    return {name: value for name, value in event.items() if isinstance(value, int | float)}


def _measured(event: Event) -> dict[str, object] | None:
    code = event.get("return_code")
    if not isinstance(code, int) or isinstance(code, bool):
        return None
    command = event.get("command")
    words = [str(word) for word in command] if isinstance(command, list) else [str(command or "")]
    return {"command": " ".join(words), "exit_status": code}
