"""
OpenHands' software agent SDK: events with a `kind`, as JSON lines, as one list, or as a folder of files.

An action of the agent with its observation is a step, a message of the agent one without. Costs and tokens
are reported as sums over the conversation; a step's are what was added to them by the time it was written.
Instants have no zone and are taken as UTC.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.documents import documents
from exitgate.transcripts.look import look_at
from exitgate.transcripts.readers.openhands_sdk_events import KINDS, SOURCES, Taken
from exitgate.transcripts.run import STEP, Begin, Problem
from exitgate.transcripts.values import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

ID = "openhands-sdk"
TITLE = "OpenHands SDK events: JSON lines, or a folder of event files"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.FILES, gives.TASK,
        gives.TIMES, gives.TOOL_CALLS, gives.FILES_CHANGED, gives.COST, gives.TOKENS, gives.DENIALS,
    )
)  # fmt: skip
FOLDER = True
_PREFIX, _SUFFIX = "event-", ".json"
#: Folders of this name say nothing about the conversation; the one above does.
_EVENTS = "events"


def fits(look: Look) -> bool:
    """Return whether the file, its first lines, or the first of the folder's event files are such events."""
    if look.place.is_folder:
        return _fits_folder(look)
    value = look.value
    if isinstance(value, list):
        return bool(value) and all(map(_is_event, value[:8]))
    events = look.events or ((value,) if isinstance(value, dict) else ())
    return bool(events) and all(map(_is_event, events[:8]))


def _fits_folder(look: Look) -> bool:
    mine = sorted(claims(look))
    if not mine:
        return False
    try:
        first = look_at(look.place.at(mine[0]))
    except OSError:
        return False
    return _is_event(first.value)


def claims(look: Look) -> frozenset[str]:
    """Return the event files of the folder."""
    return frozenset(n for n in look.names if n.startswith(_PREFIX) and n.endswith(_SUFFIX))


def _is_event(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    kind = text_at(value, "kind")
    return kind in KINDS and text_at(value, "source") in SOURCES and "id" in value


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    name = place.name if place.name != _EVENTS else place.parent().name
    id = (name if place.is_folder else name.partition(".")[0]) or _EVENTS
    taken = Taken(place.path, wants)
    begun = False
    for found in _events(place):
        if isinstance(found, Problem):
            yield found
            continue
        event, file, line = found
        if not begun:
            begun = True
            yield Begin(id, STEP, place.path, taken.at(event))
        yield from taken.take(event, file, line)
    if not begun:
        yield Begin(id, STEP, place.path)
    yield from taken.rest()
    yield taken.end()


def _events(place: Place) -> Iterator[tuple[Event, str, int] | Problem]:
    """Yield the events in order, each with its file and line."""
    files: tuple[Place, ...] = (place,)
    if place.is_folder:
        files = tuple(place.at(name) for name in sorted(claims(look_at(place)), key=_order))
    for file in files:
        try:
            yield from _of(file)
        except OSError as error:
            if not place.is_folder:
                raise
            yield Problem(file.path, error.strerror or str(error))


def _of(file: Place) -> Iterator[tuple[Event, str, int] | Problem]:
    for found in documents(file):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and text_at(one, "kind") is not None:
                yield one, file.path, line
            else:
                yield Problem(file.path, "not an event; skipped", line)


def _order(name: str) -> tuple[int, str]:
    """Return what event files are ordered by: the number in the name, `event-00012-….json`."""
    number = name.removeprefix(_PREFIX).partition("-")[0].removesuffix(_SUFFIX)
    return (int(number) if number.isascii() and number.isdigit() and len(number) < 18 else 0, name)
