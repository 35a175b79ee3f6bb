"""From sessions of the Cursor dialect to runs."""

from __future__ import annotations

from exitgate.transcripts.readers.ralph_cursor_progress import noted
from exitgate.transcripts.readers.ralph_plan import NO_MOMENT, boxes_of
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.ralph_cursor_progress import Noted
    from exitgate.transcripts.run import Part

#: Seconds by which banner and note of the same session may differ.
_SAME = 2.0
_NO_TEXT = dict.fromkeys(
    ("response", "output", "tool_results", "prompt"), "the loop records sessions, not text"
)


def session_runs(
    file: str, name: str, found: Iterable[RecordedIteration], marks: Sequence[Noted], plan: str | None
) -> Iterator[Part]:
    """
    Yield the sessions of a log as runs.

    Args:
        file: The log.
        name: Of the runs.
        found: The sessions.
        marks: What `progress.md` notes of them; a session's number that does not grow begins another run.
        plan: The list in the folder: that after the last session where as many tasks are open in it as were
            counted then, and else of a time that nothing tells.
    """
    notes = _Notes(marks)
    number = index = last = 0
    held: RecordedIteration | None = None
    ended = End()
    note: Noted | None = None
    for one in found:
        if held is not None:
            yield held
        session = notes.number(one.started_at)
        if not number or (session is not None and session <= last):
            if number:
                yield ended
            number += 1
            index = 0
            yield Begin(f"{name}#{number}", PROCESS, file, one.started_at)
        last = session if session is not None else last
        index += 1
        note = notes.end(one.started_at)
        held = _with_note(one.but(index=index), note)
        ended = End(note.how if note else None, (note.said or "") if note else "", held.ended_at)
    if held is not None:
        yield _with_plan(held, plan, note)
        yield ended


def _with_plan(one: RecordedIteration, plan: str | None, note: Noted | None) -> RecordedIteration:
    """Return the last session with the list in the folder where that agrees with what was counted then."""
    if plan is None:
        return one
    done, total = boxes_of(plan)
    if note is not None and note.left == total - done:
        return one.but(plan=plan)
    return one.but(not_known={**one.not_known, "plan": NO_MOMENT})


def _with_note(one: RecordedIteration, note: Noted | None) -> RecordedIteration:
    if note is None or note.remaining is None:
        return one
    return one.but(record={**one.record, "fields": {"CRITERIA_REMAINING": note.remaining}})


class _Notes:
    """Notes by the instant at which a session started."""

    def __init__(self, marks: Sequence[Noted]) -> None:
        self._starts: dict[float, tuple[int, Noted | None]] = {}
        for nth, mark in enumerate(marks):
            if mark.said is None and mark.at is not None:
                after = marks[nth + 1] if nth + 1 < len(marks) else None
                own = after is not None and after.said is not None and after.number == mark.number
                self._starts.setdefault(mark.at, (mark.number, after if own else None))

    def _of(self, at: float | None) -> tuple[int, Noted | None] | None:
        if at is None:
            return None
        return next(
            (self._starts[at + d] for d in (0.0, 1.0, -1.0, _SAME, -_SAME) if at + d in self._starts), None
        )

    def number(self, at: float | None) -> int | None:
        """Return the loop's number of the session that started then."""
        found = self._of(at)
        return None if found is None else found[0]

    def end(self, at: float | None) -> Noted | None:
        """Return what was noted when the session that started then ended."""
        found = self._of(at)
        return None if found is None else found[1]


def progress_runs(place: Place) -> Iterator[Part]:
    """Yield the runs that `progress.md` by itself shows. Raises OSError."""
    number = index = last = 0
    held: RecordedIteration | None = None
    ended = End()
    for mark in noted(place.lines()):
        if mark.said is not None:
            if held is not None and held.ended_at is None and mark.number == last:
                fields = {} if mark.remaining is None else {"CRITERIA_REMAINING": mark.remaining}
                held = held.but(ended_at=mark.at, record={"fields": fields} if fields else {})
                ended = End(mark.how, mark.said, mark.at)
            continue
        if held is not None:
            yield held
        if not number or mark.number <= last:
            if number:
                yield ended
            number += 1
            index = 0
            yield Begin(f"{place.name}#{number}", PROCESS, place.path, mark.at)
        index += 1
        last = mark.number
        where = Provenance(place.path, mark.line, mark.line)
        held = RecordedIteration(index, where, started_at=mark.at, not_known=_NO_TEXT)
        ended = End()
    if held is not None:
        yield held
        yield ended
    else:
        yield Begin(place.name, PROCESS, place.path, files={place.path: place.text(4_000_000)})
        yield End()
