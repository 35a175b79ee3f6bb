"""
One file for each iteration of a loop: what such a file holds, and which of them are of one launch.

The files of a series are in the order of their numbers. A time that goes back, or another limit, begins
another launch; times are those that the files themselves tell, never those of the file system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from exitgate.core.model.display import counted
from exitgate.recordings import registry
from exitgate.recordings.formats.loops import json_records
from exitgate.recordings.formats.loops.console import lines_of, plain, raw_lines_in
from exitgate.recordings.formats.loops.file_names import Named, is_side
from exitgate.recordings.formats.loops.headers import LONGEST, Line, header_of, limit_in, line_of
from exitgate.recordings.formats.loops.log import Counted, Entry, iteration_of
from exitgate.recordings.formats.loops.sections import Note, section_of
from exitgate.recordings.formats.loops.series import Candidate, surveyed
from exitgate.recordings.location import Location
from exitgate.recordings.model import (
    PROCESS,
    Begin,
    End,
    Part,
    Problem,
    Provenance,
    RecordedIteration,
    collect,
)
from exitgate.recordings.probe import Probe, probe_of

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


class IterationFile(Struct, eq=False):
    """What the files of one number hold: the iteration, its limit if known, how many lines the file has."""

    name: Named
    one: RecordedIteration
    limit: int | None
    lines: int

    @property
    def at(self) -> float | None:
        """When it began, or ended."""
        return self.one.started_at if self.one.started_at is not None else self.one.ended_at


def pieces(folder: Location, names: Sequence[Named]) -> Iterator[IterationFile | Problem]:
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


def _piece(folder: Location, mains: Sequence[Named], kind: str) -> tuple[IterationFile, list[Problem]]:
    """Return what the first main file holds that holds anything. Raises OSError."""
    kept: tuple[IterationFile, list[Problem]] | None = None
    for name in mains:
        place = folder.at(name.name)
        one, problems = _process_in(place)
        lines = sum(1 for _ in place.lines())
        limit = None
        if one is None:
            one, limit = _text_in(place, kind)
        found = IterationFile(name, one, limit, lines), problems
        if one.response is not None or one.output is not None:
            return found
        kept = kept or found
    assert kept is not None, "a number without a file"
    return kept


def text_or_process(place: Location) -> RecordedIteration:
    """Return the iteration that a file holds: a runner's output, or text. Raises OSError."""
    one, _ = _process_in(place)
    return one if one is not None else _text_in(place, "")[0]


def pieces_last(place: Location) -> IterationFile | None:
    """Return what a file holds that is written over each time, None where it cannot be read."""
    try:
        return _piece(place.parent(), [Named(place.name, "", (0,), "", "", False)], "")[0]
    except OSError:
        return None


def _process_in(place: Location) -> tuple[RecordedIteration | None, list[Problem]]:
    """Return the iteration that a process of an agent wrote, None for any other file. Raises OSError."""
    from exitgate.core.model.capabilities import ALL
    from exitgate.recordings.probe import probe_of

    look = probe_of(place)
    id = process_of(look)
    if id is None:
        value = look.value if not place.name.endswith((".jsonl", ".ndjson")) else None
        if (
            isinstance(value, dict)
            and look.whole
            and json_records.number_of({"iteration": 1, **value}) is not None
        ):
            return json_records.iteration_of(value, 1, Provenance(place.path)).but(number=None), []
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


def process_of(look: Probe) -> str | None:
    """Return the reader of a file that one process of an agent wrote, else None."""
    if not look.text.lstrip("\0 \t\r\n").startswith(("{", "[")):
        return None
    return next((id for id in registry.READERS if id in PROCESSES and registry.load(id).fits(look)), None)


def granularity_of_several(place: Location) -> str | None:
    """Return what the iterations of a file are where it has more than one, else None. Raises OSError."""
    from exitgate.core.model.capabilities import ALL
    from exitgate.recordings.probe import probe_of

    id = process_of(probe_of(place))
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


def _text_in(place: Location, kind: str) -> tuple[RecordedIteration, int | None]:
    """Return the iteration that a text holds, and the limit that it tells: of several launches, the last."""
    lines = list(lines_of(place, quotes=False))
    found = surveyed(lines).launches(log=False)
    headers = [head for launch in found for head in launch.headers]
    head = headers[-1] if headers else Candidate(0, None, "", None, None, 0, 0, kind)
    body = section_of(lines[head.line :], head.line + 1, head.stamp or kind, head.at)
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


def _own_kind(folder: Location, names: Sequence[Named]) -> str:
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


def _add_side(piece: IterationFile, place: Location) -> None:
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


def launches_of(found: Sequence[IterationFile]) -> list[list[IterationFile]]:
    """Return the pieces of each launch, in order."""
    runs: list[list[IterationFile]] = []
    for piece in found:
        last = runs[-1][-1] if runs else None
        if last is None or _is_anew(last, piece):
            runs.append([])
        runs[-1].append(piece)
    return runs


def _is_anew(last: IterationFile, piece: IterationFile) -> bool:
    if last.limit is not None and piece.limit is not None and last.limit != piece.limit:
        return True
    return last.at is not None and piece.at is not None and piece.at < last.at - _BACK


def file_runs(folder: Location, label: str, found: Sequence[IterationFile]) -> Iterator[Part]:
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


# Whether files whose names say little hold what an agent said in one iteration each.
#
# They do where runners of agents wrote them, or where they are plain text: no log of an application, whose
# lines have times at their heads, no data, and nothing that a reader takes for a run of its own.

#: Files of a series that are looked into, and lines of each.
_FILES, _LINES = 40, 60
#: Ends of names of files with text.
_TEXTS = (".log", ".txt", ".md", ".out", ".markdown", ".stdout")
_PROCESS, _TEXT, _NOTHING, _OTHER = "process", "text", "empty", "other"


def are_texts(folder: Location, several: Sequence[Named]) -> bool:
    """Return whether the files of a series hold one iteration each."""
    kinds: set[str] = set()
    some = several if len(several) <= _FILES else (*several[: _FILES // 2], *several[-_FILES // 2 :])
    for one in some:
        try:
            kinds.add(_kind_of(probe_of(folder.at(one.name)), one))
        except OSError:
            return False
        if _OTHER in kinds:
            return False
    return bool(kinds - {_NOTHING})


def _kind_of(look: Probe, one: Named) -> str:
    """Return what a file holds."""
    if not look.head.strip():
        return _NOTHING
    reader = registry.sniff(look)
    if reader in PROCESSES:
        return _PROCESS
    if reader is not None and reader != "loop-logs":
        return _OTHER
    name = look.place.name.lower()
    if (
        b"\0" in look.head
        or look.text.lstrip()[:1] in ("{", "[", "<")
        or not (name.endswith(_TEXTS) or "." not in name)
    ):
        return _OTHER
    lines = [text for raw in raw_lines_in(look.head) if (text := plain(raw))]
    headers = [head for launch in surveyed(lines).launches(log=False) for head in launch.headers]
    if reader is not None and [head.header.number for head in headers if head.header] != [one.order[0]]:
        return _OTHER
    stamps = sum(_is_stamped(text) for text in lines[:_LINES])
    return _OTHER if stamps * 2 > len(lines[:_LINES]) and not headers else _TEXT


def _is_stamped(text: str) -> bool:
    line = line_of(text[:LONGEST])
    return line.stamp is not None and header_of(line) is None
