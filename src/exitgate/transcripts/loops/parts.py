"""Runs from the launches in the log of a loop."""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.loops.counted import Counted
from exitgate.transcripts.readers.ralph_log import TIME_UP
from exitgate.transcripts.recorded import TIMEOUT, Provenance, RecordedIteration, from_unwrapped
from exitgate.transcripts.run import PROCESS, Begin, End
from exitgate.transcripts.unwrap import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.transcripts.loops.body import Note
    from exitgate.transcripts.loops.log import Entry, Stretch
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

#: What such logs can tell.
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TIMES,
        gives.EXIT_STATUS, gives.COST, gives.TOKENS, gives.DENIALS, gives.TOOL_CALLS, gives.FILES,
    )
)  # fmt: skip
_NOTHING = "nothing was printed between its header and the next line of the loop"
_CUT = "the recording breaks off after its header"


def run_of(
    place: Place, stretch: Stretch, texts: Mapping[int, RecordedIteration], *, last: Mapping[str, str] = {}
) -> Iterator[Part]:
    """
    Yield the run of a launch.

    Args:
        place: The log.
        stretch: The launch.
        texts: Place of an entry in the launch, from 0 -> what a file of its own holds of it.
        last: Files as they are in the folder, which fit the end of this run.
    """
    counted = Counted()
    for note in stretch.lead:
        counted.take(note)
    stem = place.name.rpartition(".")[0] or place.name
    entries = stretch.entries
    how, why, ended = end_of(stretch)
    begun = stretch.launch.at
    begun = begun if begun is not None else next((n.at for n in stretch.lead if n.at is not None), None)
    if begun is None and entries:
        begun = entries[0].at if entries[0].at is not None else entries[0].day
    limit = stretch.launch.limit
    yield Begin(
        stem if stretch.of == 1 else f"{stem}#{stretch.nth}",
        PROCESS,
        place.path,
        begun,
        "" if limit is None else f"at most {limit} iteration{'' if limit == 1 else 's'}",
        plan=counted.text(begun=False),
        limit=limit,
    )
    for nth, entry in enumerate(entries):
        following = entries[nth + 1].at if nth + 1 < len(entries) else None
        one = iteration_of(place, entry, nth + 1, counted, texts.get(nth), following)
        if nth + 1 == len(entries) and last:
            one = one.but(files={**one.files, **last})
        yield one
    yield End(how, why, ended)


def iteration_of(
    place: Place,
    entry: Entry,
    index: int,
    counted: Counted,
    text: RecordedIteration | None,
    following: float | None,
) -> RecordedIteration:
    """Return an iteration, with the text of a file of its own where there is one."""
    for note in entry.notes:
        counted.take(note)
    status, timed_out = how_it_went(entry.notes)
    status = TIME_UP if timed_out and status is None else status
    provenance = Provenance(place.path, entry.first, entry.last)
    if text is not None:
        one = text.but(index=index)
    elif entry.body.text is None:
        why = _CUT if following is None and not entry.notes else _NOTHING
        missing = dict.fromkeys(("response", "output"), why)
        one = RecordedIteration(index, provenance, not_known=missing)
    else:
        found = unwrap(entry.body.text, failed=status not in (None, 0))
        one = from_unwrapped(index, provenance, found)
        if entry.body.results is not None:
            one = one.but(tool_results=entry.body.results)
    record = {**one.record, **({"truncated": True} if entry.body.truncated else {})}
    ended = next((note.at for note in entry.notes if note.at is not None and _is_end(note)), None)
    return one.but(
        record=record,
        started_at=entry.at if entry.at is not None else one.started_at,
        ended_at=ended if ended is not None else following if following is not None else one.ended_at,
        exit_status=status if status is not None else one.exit_status,
        timed_out=timed_out or one.timed_out,
        error_kind=TIMEOUT if timed_out else one.error_kind,
        plan=counted.text() if one.plan is None else one.plan,
        number=entry.number if entry.number != index else None,
    )


def how_it_went(notes: Sequence[Note]) -> tuple[int | None, bool | None]:
    """Return the exit status and whether the time was up, None for what is not reported."""
    status = next((note.status for note in reversed(notes) if note.status is not None), None)
    return status, True if any(note.timed_out for note in notes) else None


def _is_end(note: Note) -> bool:
    return note.status is not None or note.timed_out or note.key is not None


def end_of(stretch: Stretch) -> tuple[str | None, str, float | None]:
    """Return how a launch ended, in the words of its loop, and when."""
    notes = stretch.entries[-1].notes if stretch.entries else stretch.lead
    ends = [note for note in notes if note.ends is not None]
    at = next((note.at for note in reversed(notes) if note.at is not None), None)
    if not ends:
        return None, "", at
    how = next((note.ends[0] for note in ends if note.ends is not None and note.ends[0] is not None), None)
    words = "; ".join(note.ends[1] for note in ends if note.ends is not None)
    last = stretch.entries[-1].number if stretch.entries else None
    if how is None and last is not None and last == stretch.launch.limit:
        how = "exhausted"
    return how, words[:400], at
