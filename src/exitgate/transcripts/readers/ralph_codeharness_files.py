"""Files of codeharness's loop that stand by themselves: reports of timeouts, and its state over time."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.claude_stream import fold_for
from exitgate.transcripts.readers.claude_stream_lines import objects_on
from exitgate.transcripts.readers.ralph_codeharness_marks import REASONS
from exitgate.transcripts.readers.ralph_lines import number_after
from exitgate.transcripts.readers.ralph_log import TIME_UP
from exitgate.transcripts.readers.ralph_state import told_by
from exitgate.transcripts.recorded import TIMEOUT, Provenance
from exitgate.transcripts.run import PROCESS, Begin, End
from exitgate.transcripts.unwrapped import JSON_LINES
from exitgate.transcripts.values import count_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

_REPORT = "# Timeout Report: Iteration "
_DURATION, _TIMESTAMP = "- **Duration:** ", "- **Timestamp:** "
_STORIES, _COMPLETED = "stories_total", "completed:"


def is_report(text: str) -> bool:
    """Return whether a text is a report of an iteration whose time was up."""
    return text.startswith(_REPORT)


def read_report(place: Place, wants: frozenset[str]) -> Iterator[Part]:
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


def state_of(look: Look) -> End | None:
    """Return what the state over time says at its end, None for any other file."""
    events = look.events or ((look.value,) if isinstance(look.value, dict) else ())
    if not events:
        return None
    last = events[-1]
    if _STORIES in last and "loop_count" in last:
        return _status(last)
    return told_by(last) if len(events) > 1 and "consecutive_no_progress" in last else None


def _status(value: Event) -> End:
    reason = text_at(value, "exit_reason") or ""
    done, total = count_at(value, "stories_completed"), count_at(value, _STORIES)
    how = REASONS.get(reason)
    if reason.startswith(_COMPLETED) and done is not None and done == total:
        how = "complete"
    named = ("status", "last_action", "exit_reason", "loop_count", "stories_completed", _STORIES)
    told = (f"{name}: {value[name]}" for name in named if value.get(name) not in (None, ""))
    return End(how, ", ".join(told), instant(value.get("timestamp")))
