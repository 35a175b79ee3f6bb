"""
OpenHands before its SDK: a list of events, or rows of `output.jsonl` with the events under `history`.

Every row is a run, an action of the agent with what came of it a step. In the oldest rows the history is a
list of pairs of action and observation; rows of the issue resolver have events without ids. Instants have no
zone and are taken as UTC. An accumulated cost of 0 with tokens used is a price that OpenHands did not know.
"""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.transcripts import gives
from exitgate.transcripts.documents import documents
from exitgate.transcripts.readers.openhands_end import end_of
from exitgate.transcripts.readers.openhands_events import Taken, is_event, take
from exitgate.transcripts.run import STEP, Begin, Problem
from exitgate.transcripts.values import number_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

ID = "openhands"
TITLE = "OpenHands events: trajectories, `output.jsonl`, rows of the resolver"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK, gives.FILES,
        gives.TIMES, gives.TOOL_CALLS, gives.FILES_CHANGED, gives.COST, gives.TOKENS, gives.DENIALS,
    )
)  # fmt: skip
_SEEN = 8
#: Members of rows beside the history; a row whose history begins behind the first look is known from two.
_ROW = ("instance_id", "test_result", "instruction", "metadata", "metrics", "git_patch", "issue_type")


def fits(look: Look) -> bool:
    """Return whether the file is a list of events, or begins with a row that has some."""
    value = look.value
    if value is None and look.events:
        value = look.events[0]
    if isinstance(value, list):
        return _all_events(value)
    if not isinstance(value, dict):
        return False
    history = value.get("history")
    if isinstance(history, list) and history:
        return _all_events(history)
    if isinstance(history, list) or not look.whole:
        agent = text_at(object_at(value, "metadata"), "agent_class") is not None
        return agent and sum(name in value for name in _ROW) > 1
    return False


def _all_events(history: Sequence[object]) -> bool:
    """Return whether the first things in a history are events, or pairs of such."""
    events = list(_flat(history[:_SEEN]))
    return bool(events) and len(events) >= min(len(history), _SEEN) and all(map(is_event, events))


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield one run for each row. Raises OSError when it cannot be read."""
    seen: dict[str, int] = {}
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        row: Event = value if isinstance(value, dict) else {"history": value}
        history = row.get("history")
        if not isinstance(history, list):
            yield Problem(place.path, "no `history` of events; skipped", line)
            continue
        yield from _run(place, row, history, line, _unique(_id(row, place), seen), wants)


def _run(
    place: Place, row: Event, history: list[object], line: int, id: str, wants: frozenset[str]
) -> Iterator[Part]:
    events = [event for event in _flat(history) if is_event(event)]
    odd = sum(1 for _ in _flat(history)) - len(events)
    if odd:
        one, many = "entry of the history is not an event", "entries of the history are not events"
        yield Problem(place.path, f"{counted(odd, one, many)}; skipped", line)
    taken = Taken(place.path, line, wants, _costs(row))
    began = next((at for event in events if (at := taken.at(event)) is not None), None)
    yield Begin(id, STEP, place.path, began, title=_title(row))
    for event in events:
        take(event, taken)
    yield from taken.iterations()
    yield end_of(row, events, taken)


def _flat(history: Sequence[object]) -> Iterator[Event]:
    """Yield the events of a history, those of pairs one after the other."""
    for entry in history:
        if isinstance(entry, dict):
            yield entry
        elif isinstance(entry, list):
            yield from (event for event in entry if isinstance(event, dict))


def _id(row: Event, place: Place) -> str:
    """Return what a row is called: its instance, the issue it is about, or the name of the file."""
    issue = object_at(row, "issue")
    number = number_at(issue, "number")
    if number is not None and text_at(issue, "repo") is not None:
        return f"{text_at(issue, 'owner') or ''}/{text_at(issue, 'repo')}#{number:g}"
    named = row.get("instance_id", row.get("id"))
    return str(named) if isinstance(named, str | int) else place.name.partition(".")[0]


def _unique(id: str, seen: dict[str, int]) -> str:
    seen[id] = seen.get(id, 0) + 1
    return id if seen[id] == 1 else f"{id}#{seen[id]}"


def _title(row: Event) -> str:
    return (text_at(object_at(row, "issue"), "title") or "")[:80]


def _costs(row: Event) -> list[float] | None:
    """Return what each call of the model cost, where the row lists it."""
    costs = object_at(row, "metrics").get("costs")
    if not isinstance(costs, list) or not costs:
        return None
    found = [number_at({"cost": object_at({"c": c}, "c").get("cost", c)}, "cost") for c in costs]
    return [float(cost) for cost in found if cost is not None] if None not in found else None
