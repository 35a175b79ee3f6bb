"""
One file for each iteration of a loop: what such a file holds, and which of them are of one launch.

The files of a series are in the order of their numbers. A time that goes back, or another limit, begins
another launch; times are those that the files themselves tell, never those of the file system.
"""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.transcripts import registry
from exitgate.transcripts.loops import told
from exitgate.transcripts.loops.body import Note, body_of
from exitgate.transcripts.loops.counted import Counted
from exitgate.transcripts.loops.log import Entry
from exitgate.transcripts.loops.marks import header_of, limit_in, line_of
from exitgate.transcripts.loops.names import Named, is_side
from exitgate.transcripts.loops.parts import iteration_of
from exitgate.transcripts.loops.series import Candidate, surveyed
from exitgate.transcripts.loops.text import lines_of, plain
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End, Problem, collect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.loops.marks import Line
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

#: Readers of files that one process of an agent wrote.
PROCESSES = frozenset(
    (
        "claude-result", "claude-stream", "codex-exec", "gemini-session", "copilot", "opencode", "pi",
        "goose", "claude-session", "codex-rollout",
    )
)  # fmt: skip
#: Seconds by which a time may go back within a launch.
_BACK = 60.0
_EMPTY = "its file is empty"
_SIDE_LIMIT = 20_000


class Piece:
    """What the files of one number hold: the iteration, its limit if known, how many lines the file has."""

    def __init__(self, name: Named, one: RecordedIteration, limit: int | None, lines: int) -> None:
        self.name = name
        self.one = one
        self.limit = limit
        self.lines = lines

    @property
    def at(self) -> float | None:
        """When it began, or ended."""
        return self.one.started_at if self.one.started_at is not None else self.one.ended_at


def pieces(folder: Place, names: Sequence[Named]) -> Iterator[Piece | Problem]:
    """Yield what the files of a series hold, one for each number, in order; sides go with their main file."""
    kind = _own_kind(folder, names)
    numbers = sorted({name.order for name in names})
    for order in numbers:
        several = [name for name in names if name.order == order]
        mains = [name for name in several if not is_side(name)] or [
            name for name in several if name.side.endswith(("message", "final", "raw", "stream"))
        ]
        if not mains:
            continue
        try:
            piece, problems = _piece(folder, mains, kind)
            yield from problems
            for name in several:
                if name is not mains[0]:
                    _add_side(piece, folder.at(name.name))
        except OSError as error:
            yield Problem(folder.at(mains[0].name).path, error.strerror or str(error))
            continue
        yield piece


def _piece(folder: Place, mains: Sequence[Named], kind: str) -> tuple[Piece, list[Problem]]:
    """Return what the first main file holds that holds anything. Raises OSError."""
    kept: tuple[Piece, list[Problem]] | None = None
    for name in mains:
        place = folder.at(name.name)
        one, problems = _process_in(place)
        lines = sum(1 for _ in place.lines())
        limit = None
        if one is None:
            one, limit = _text_in(place, kind)
        found = Piece(name, one, limit, lines), problems
        if one.response is not None or one.output is not None:
            return found
        kept = kept or found
    assert kept is not None, "a number without a file"
    return kept


def text_or_process(place: Place) -> RecordedIteration:
    """Return the iteration that a file holds: a runner's output, or text. Raises OSError."""
    one, _ = _process_in(place)
    return one if one is not None else _text_in(place, "")[0]


def pieces_last(place: Place) -> Piece | None:
    """Return what a file holds that is written over each time, None where it cannot be read."""
    try:
        return _piece(place.parent(), [Named(place.name, "", (0,), "", "", False)], "")[0]
    except OSError:
        return None


def _process_in(place: Place) -> tuple[RecordedIteration | None, list[Problem]]:
    """Return the iteration that a process of an agent wrote, None for any other file. Raises OSError."""
    from exitgate.transcripts.gives import ALL
    from exitgate.transcripts.look import look_at

    look = look_at(place)
    id = process_of(look)
    if id is None:
        value = look.value if not place.name.endswith((".jsonl", ".ndjson")) else None
        if isinstance(value, dict) and look.whole and told.number_of({"iteration": 1, **value}) is not None:
            return told.iteration_of(value, 1, Provenance(place.path)).but(number=None), []
        return None, []
    runs, problems = collect(registry.load(id).read(place, ALL), id)
    own = [run for run in runs if run.begin.parent is None and run.iterations]
    if len(own) != 1 or (len(own[0].iterations) != 1 and own[0].begin.granularity != PROCESS):
        return None, []
    one = _as_one(own[0].iterations)
    begun = own[0].begin.started_at
    if one.started_at is None:
        one = one.but(started_at=begun if begun is not None else _of_session(one.record.get("session")))
    return one, list(problems)


def _as_one(several: Sequence[RecordedIteration]) -> RecordedIteration:
    """Return an iteration for which an agent was started several times: the last, with what all used."""
    last = several[-1]
    if len(several) == 1:
        return last
    each = {name: [one.record.get(name) for one in several] for name in ("cost", "tokens")}
    used = {
        name: sum(value for value in values if isinstance(value, int | float))
        for name, values in each.items()
        if any(value is not None for value in values)
    }
    begun = next((one.started_at for one in several if one.started_at is not None), None)
    return last.but(index=1, started_at=begun, record={**last.record, **used})


def process_of(look: Look) -> str | None:
    """Return the reader of a file that one process of an agent wrote, else None."""
    if not look.text.lstrip("\0 \t\r\n").startswith(("{", "[")):
        return None
    return next((id for id in registry.READERS if id in PROCESSES and registry.load(id).fits(look)), None)


def granularity_of_several(place: Place) -> str | None:
    """Return what the iterations of a file are where it has more than one, else None. Raises OSError."""
    from exitgate.transcripts.gives import ALL
    from exitgate.transcripts.look import look_at

    id = process_of(look_at(place))
    turns, own, what = 0, True, PROCESS
    for part in registry.load(id).read(place, ALL) if id is not None else ():
        if isinstance(part, Begin):
            own, what = part.parent is None, part.granularity
        elif isinstance(part, RecordedIteration):
            turns += own
            if turns > 1:
                return what
    return None


def _of_session(session: object) -> float | None:
    """Return the instant that an id of a session holds where it is a UUID of version 7, else None."""
    digits = session.replace("-", "") if isinstance(session, str) else ""
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        at = int(digits[:12], 16) / 1000
    except ValueError:
        return None
    return at if 1.0e9 < at < 4.0e9 else None


def _text_in(place: Place, kind: str) -> tuple[RecordedIteration, int | None]:
    """Return the iteration that a text holds, and the limit that it tells: of several launches, the last."""
    lines = list(lines_of(place, quotes=False))
    found = surveyed(lines).launches(log=False)
    headers = [head for launch in found for head in launch.headers]
    head = headers[-1] if headers else Candidate(0, None, "", None, None, 0, 0, kind)
    body = body_of(lines[head.line :], head.line + 1, head.stamp or kind, head.at)
    entry = Entry(head, max(1, len(lines)), body)
    entry.first = head.line or 1
    one = iteration_of(place, entry, 1, Counted(), None, None).but(number=None)
    if body.text is None:
        why = _EMPTY if not any(map(str.strip, lines)) else "its file has no text of the agent"
        one = one.but(not_known=dict.fromkeys(("response", "output"), why))
    times = [note.at for note in body.notes if note.at is not None]
    begun = one.started_at if one.started_at is not None else min(times, default=None)
    limit = found[-1].limit if found else None
    return one.but(started_at=begun, ended_at=max(times, default=one.ended_at)), limit


def _own_kind(folder: Place, names: Sequence[Named]) -> str:
    """Return the kind of times at the heads of the loop's lines, as headers of the series have them."""
    for name in names:
        try:
            found = surveyed(lines_of(folder.at(name.name))).launches(log=False)
        except OSError:
            continue
        kinds = [head.stamp for launch in found for head in launch.headers if head.stamp]
        if kinds:
            return kinds[-1]
    return ""


def _add_side(piece: Piece, place: Place) -> None:
    """Add what a side file says of the loop: the limit, an exit status. Raises OSError."""
    text = place.text(_SIDE_LIMIT)
    if len(text) >= _SIDE_LIMIT:
        return
    for number, raw in enumerate(text.split("\n")[:40], 1):
        line = line_of(plain(raw))
        note = Note(number, line)
        if piece.limit is None:
            piece.limit = _limit_of(line) or limit_in(line)
        if note.status is not None and piece.one.exit_status is None and len(line.core) < 80:
            piece.one = piece.one.but(exit_status=note.status)


def _limit_of(line: Line) -> int | None:
    header = header_of(line)
    return None if header is None else header.limit


def launches_of(found: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces of each launch, in order."""
    runs: list[list[Piece]] = []
    for piece in found:
        last = runs[-1][-1] if runs else None
        if last is None or _is_anew(last, piece):
            runs.append([])
        runs[-1].append(piece)
    return runs


def _is_anew(last: Piece, piece: Piece) -> bool:
    if last.limit is not None and piece.limit is not None and last.limit != piece.limit:
        return True
    return last.at is not None and piece.at is not None and piece.at < last.at - _BACK


def file_runs(folder: Place, label: str, found: Sequence[Piece]) -> Iterator[Part]:
    """Yield the runs of a series."""
    runs = launches_of(found)
    for nth, several in enumerate(runs, 1):
        id = label if len(runs) == 1 else f"{label}#{nth}"
        limit = next((piece.limit for piece in several if piece.limit is not None), None)
        title = f"{counted(len(several), 'file')}" + (
            "" if limit is None else f", at most {counted(limit, 'iteration')}"
        )
        yield Begin(id, PROCESS, folder.path, several[0].at, title, limit=limit)
        for index, piece in enumerate(several, 1):
            whole = len(piece.name.order) == 1
            number = piece.name.order[0] if whole and piece.name.order[0] != index else None
            yield piece.one.but(index=index, number=number)
        yield End(ended_at=several[-1].one.ended_at)
