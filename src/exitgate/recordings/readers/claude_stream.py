"""
Claude Code's `--output-format stream-json`, and what Amp and Cursor write in the same shapes.

A file is a run, and each process of the agent that wrote to it an iteration, mostly one. The stream may be
cut off anywhere, have other lines between its events, and report several results of a session, of which the
last counts. Instants are those that its lines have; lines without an offset are taken as UTC.
"""

from __future__ import annotations

from exitgate.core.envelopes import claude
from exitgate.core.envelopes.members import object_at, text_at
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.claude_process import Fold, Processes
from exitgate.recordings.formats.json_files import Lines
from exitgate.recordings.model import PROCESS, Begin, End, Problem, Provenance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "claude-stream"
TITLE = "Claude Code, `--output-format stream-json`: one process per file"
GIVES = capabilities.TRANSCRIPT | capabilities.USAGE | {capabilities.TIMES, capabilities.DENIALS}
#: Type of event -> whether it alone shows a stream; a result does not.
_TYPES = {
    "system": True,
    "assistant": True,
    "user": True,
    "stream_event": True,
    "rate_limit_event": True,
    "tool_call": True,
    "thinking": True,
    "result": False,
}


def fits(look: Probe) -> bool:
    """Return whether the first lines are events of such a stream, and not those of a session's file."""
    events = look.events or ((look.object,) if look.object else ())
    mine = [event for event in events if _is_mine(event)] or _without_session(events)
    if not mine or len(mine) * 2 < len(events):
        return False
    alone = any(_TYPES[str(event["type"])] for event in mine) or len(mine) > 1
    others = look.outside
    return alone and others is not None and 2 * len(mine) >= others


def _is_mine(event: Event) -> bool:
    return _is_shaped(event) and text_at(event, "session_id") is not None


def _is_shaped(event: Event) -> bool:
    return text_at(event, "type") in _TYPES and claude.fits(event) and "parentUuid" not in event


def _without_session(events: Sequence[Event]) -> list[Event]:
    """Return the events of a stream whose lines name no session, where an answer tells its usage."""
    shaped = [event for event in events if _is_shaped(event)]
    told = any(e["type"] == "assistant" and "usage" in object_at(e, "message") for e in shaped)
    return shaped if told and "sessionId" not in shaped[0] and "uuid" not in shaped[0] else []


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run, an iteration for each process. Raises OSError when it cannot be read."""
    fold, first, index = fold_for(wants), 1, 0
    lines, processes = Lines(place), Processes(place)
    for event in lines.events():
        if not index:
            index = 1
            yield Begin(run_id(place), PROCESS, place.path, resumed=resumed(event))
        if processes.begins(event, lines.number):
            yield from _ended(place, fold, index, first, lines.number - 1)
            fold, first, index = fold_for(wants), lines.number, index + 1
        if not processes.is_within(event):
            fold.take(event)
        yield from lines.problems()
    if not index:
        yield Begin(run_id(place), PROCESS, place.path)
    yield from lines.problems()
    fold.gathered.cut = lines.cut
    yield from _ended(place, fold, max(1, index), first, lines.number)
    yield End()


def _ended(place: Location, fold: Fold, index: int, first: int, last: int) -> Iterator[Part]:
    """Yield the iteration that is the sum of a process, and what was left out of it."""
    if fold.problem:
        yield Problem(place.path, fold.problem)
    yield fold.iteration(index, Provenance(place.path, first, max(first, last)), JSON_LINES)


def fold_for(wants: frozenset[str]) -> Fold:
    """Return a fold that rebuilds plans where somebody wants them."""
    keep = capabilities.TOOL_CALLS in wants
    if not wants & {capabilities.PLAN, capabilities.FILES}:
        return Fold(keep=keep)
    from exitgate.recordings.formats.plans import Plans

    return Fold(Plans(), keep=keep)


def run_id(place: Location) -> str:
    """Return the name of a file without its ending."""
    return place.name.rpartition(".")[0] or place.name


def resumed(event: Event) -> bool | None:
    """Return whether the first event shows a session that continues with an earlier one."""
    _, mark, how = (text_at(event, "hook_name") or "").partition(":")
    return how == "resume" if mark else None
