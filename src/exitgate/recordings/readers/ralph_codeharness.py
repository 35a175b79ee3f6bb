"""
codeharness's loop, a fork of ralph-claude-code: folder, log, histories of its state, timeout reports.

Each launch in the log is a run. The plan is what the loop itself counts (`Progress: 3/28 done`), its items
named by their numbers. Times are local and taken as UTC.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import count_at, text_at
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.recordings.formats.json_files import objects_on
from exitgate.recordings.formats.ralph import folder as reading
from exitgate.recordings.formats.ralph.dialects import CODEHARNESS, CODEHARNESS_REASONS
from exitgate.recordings.formats.ralph.log import TIME_UP, number_after
from exitgate.recordings.formats.ralph.state import end_of_state
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import PROCESS, TIMEOUT, Begin, End, Provenance
from exitgate.recordings.readers.claude_stream import fold_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "ralph-codeharness"
TITLE = "codeharness: a loop's folder, its log, histories of its state, timeout reports"
GIVES = reading.GIVES
FOLDER = True


def fits(look: Probe) -> bool:
    """Return whether a folder is that of such a loop, or a file its log, a report or its state."""
    if look.place.is_folder:
        return reading.fits_folder(look, CODEHARNESS)
    return is_report(look.text) or reading.fits_log(look, CODEHARNESS) or state_of(look) is not None


def claims(look: Probe) -> frozenset[str]:
    """Return the names below a folder that belong to the loop."""
    return reading.claims(look)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs. Raises OSError when it cannot be opened."""
    if place.is_folder:
        yield from reading.read_folder(place, wants, CODEHARNESS, CODEHARNESS_REASONS)
        return
    from exitgate.recordings.probe import probe_of

    look = probe_of(place)
    if is_report(look.text):
        yield from read_report(place, wants)
        return
    state = state_of(look)
    if state is None:
        yield from reading.read_folder(place, wants, CODEHARNESS, CODEHARNESS_REASONS)
        return
    yield Begin(place.name, PROCESS, place.path)
    yield state


# Files of codeharness's loop that stand by themselves: reports of timeouts, and its state over time.

_REPORT = "# Timeout Report: Iteration "
_DURATION, _TIMESTAMP = "- **Duration:** ", "- **Timestamp:** "
_STORIES, _COMPLETED = "stories_total", "completed:"


def is_report(text: str) -> bool:
    """Return whether a text is a report of an iteration whose time was up."""
    return text.startswith(_REPORT)


def read_report(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one iteration of which only the last lines of its output are kept. Raises OSError."""
    ended = minutes = None
    fold = fold_for(wants)
    last = 0
    for last, raw in enumerate(place.lines(), 1):  # noqa: B007 - the number is wanted after the loop
        line = raw.decode("utf-8", "replace").strip()
        if line.startswith(_TIMESTAMP):
            ended = instant(line.removeprefix(_TIMESTAMP))
        elif line.startswith(_DURATION):
            minutes = number_after(line, _DURATION)
        elif line:
            for event in objects_on(line):
                fold.take(event)
    started = None if ended is None or minutes is None else ended - 60.0 * minutes
    yield Begin(place.name.rpartition(".")[0] or place.name, PROCESS, place.path, started)
    fold.gathered.cut = True
    read = fold.iteration(1, Provenance(place.path, 1, max(1, last)), JSON_LINES)
    told = {"exit_status": TIME_UP, "timed_out": True, "error_kind": TIMEOUT}
    if not read.output:
        why = dict.fromkeys(("response", "output"), "its last lines have no text of the agent")
        told |= {"response": None, "output": None, "not_known": why}
    yield read.but(started_at=started, ended_at=ended, **told)
    yield End(ended_at=ended)


def state_of(look: Probe) -> End | None:
    """Return what the state over time says at its end, None for any other file."""
    last = look.events[-1] if look.events else look.object
    if _STORIES in last and "loop_count" in last:
        return _status(last)
    return end_of_state(last) if len(look.events) > 1 and "consecutive_no_progress" in last else None


def _status(value: Event) -> End:
    reason = text_at(value, "exit_reason") or ""
    done, total = count_at(value, "stories_completed"), count_at(value, _STORIES)
    how = CODEHARNESS_REASONS.get(reason)
    if reason.startswith(_COMPLETED) and done is not None and done == total:
        how = "complete"
    named = ("status", "last_action", "exit_reason", "loop_count", "stories_completed", _STORIES)
    told = (f"{name}: {value[name]}" for name in named if value.get(name) not in (None, ""))
    return End(how, ", ".join(told), instant(value.get("timestamp")))
