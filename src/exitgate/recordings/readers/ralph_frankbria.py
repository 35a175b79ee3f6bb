"""
ralph-claude-code (frankbria) and its forks: a folder with `ralph.log`, outputs and state files.

Each launch in the log is a run. An output and its stream are one iteration. Times are local and taken as
UTC. A folder with outputs and no log is one run; a log alone is runs whose iterations have no response; a
state file alone is a run without iterations. The prompt is the file in the folder. Exit status 124 is what
the loop takes for the end of the time.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.recordings.formats.ralph import folder as reading
from exitgate.recordings.formats.ralph.dialects import CODEHARNESS as OTHER
from exitgate.recordings.formats.ralph.dialects import FRANKBRIA, FRANKBRIA_REASONS
from exitgate.recordings.formats.ralph.folder import STATES, has_any, loop_files
from exitgate.recordings.formats.ralph.outputs import is_output
from exitgate.recordings.formats.ralph.progress import NAMES as PLANS
from exitgate.recordings.formats.ralph.progress import boxes_of
from exitgate.recordings.formats.ralph.state import end_of_state
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part
from exitgate.recordings.probe import Probe

ID = "ralph-frankbria"
TITLE = "ralph-claude-code: a loop's folder, its `ralph.log`, or one of its state files"
GIVES = reading.GIVES
FOLDER = True
#: State files that are not JSON are known from their names, and are no longer than this.
_PLAIN = ("call_count", "token_count", "last_reset", "loop_start_sha", "last_output_length")
_LENGTH = 100
#: What else is known from its name, where a log or outputs are beside it.
_TEXTS = ("PROMPT.md", "live.log")


def fits(look: Probe) -> bool:
    """Return whether a folder is that of such a loop, or a file its log, a plain output or a state file."""
    if look.place.is_folder:
        kept = loop_files(look)
        if kept is None or reading.fits_folder(look, OTHER):
            return False
        return bool(kept.output_names) or reading.fits_folder(look, FRANKBRIA)
    return reading.fits_log(look, FRANKBRIA) or _is_plain_output(look) or state_of(look) is not None


def claims(look: Probe) -> frozenset[str]:
    """Return the names below a folder that belong to the loop."""
    return reading.claims(look)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs. Raises OSError when it cannot be opened."""
    from exitgate.recordings.probe import probe_of

    state = None if place.is_folder or is_output(place.name) else state_of(probe_of(place))
    if state is None:
        yield from reading.read_folder(place, wants, FRANKBRIA, FRANKBRIA_REASONS)
        return
    yield Begin(place.name, PROCESS, place.path, plan=place.text() if place.name in PLANS else None)
    yield state


def state_of(look: Probe) -> End | None:
    """Return what a state file says by itself, None for any other file."""
    bare = look.place.name.removeprefix(".")
    if bare in (*PLANS, *_TEXTS) and has_any(look.names):
        done, total = boxes_of(look.text)
        return End(None, f"{done} of {total} items done" if bare in PLANS else "it records no iteration")
    if bare in _PLAIN:
        text = look.text.strip()
        return End(None, f"{bare}: {text}") if look.whole and 0 < len(text) < _LENGTH else None
    events = look.events
    if len(events) > 1 and events[0].keys() >= {"loop", "duration"}:
        return end_of_state(events[-1])
    if bare not in STATES and look.place.name.rpartition(".")[2] not in ("json", "jsonl", bare):
        return None
    return end_of_state(look.value) if look.whole else None


def _is_plain_output(look: Probe) -> bool:
    return is_output(look.place.name) and look.text.lstrip("\0 \t\r\n")[:1] not in ("", "{", "[")
