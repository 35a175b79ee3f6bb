"""
The console of a loop kept in a file, no matter what loop it is, and files of one iteration each.

Headers of iterations are known from their form and their numbers, see
`exitgate.recordings.formats.loops.series`:
the console of snarktank/ralph and its kin, `=== Iteration N ===` of home-made loops, lines with times at
their heads, in several languages. A number that goes back, or a line that starts the loop, begins a launch,
which is a run. What the loop's own tests and reviewers print is not the agent's. The lists of tasks in the
folder are those of a later time; `prd.json` counts at the end of the last run only, and only where the loop
says that all is done and the list says it, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from exitgate.core.envelopes.members import as_object
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.loops.console import encoding_problem, lines_in, plain, sample
from exitgate.recordings.formats.loops.file_names import number_in
from exitgate.recordings.formats.loops.files import IterationFile, file_runs, pieces, pieces_last
from exitgate.recordings.formats.loops.headers import header_of, line_of
from exitgate.recordings.formats.loops.log import GIVES as _GIVES
from exitgate.recordings.formats.loops.log import Entry, LoggedLaunch, end_of, logged_launches, run_of
from exitgate.recordings.formats.loops.project import Project, claimed, is_about, project_of
from exitgate.recordings.formats.loops.sections import Note
from exitgate.recordings.formats.loops.series import surveyed
from exitgate.recordings.location import Location
from exitgate.recordings.model import Part, Problem, RecordedIteration
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.git_history.commits import ITEMS, Stories

Texts = list[dict[int, RecordedIteration]]


ID = "loop-logs"
TITLE = "console of a loop (snarktank/ralph, home-made ones), a file for each iteration"
FOLDER = True
GIVES = _GIVES

#: Ends of names of files that are not a console: programs, data, pages.
_NO_LOGS = (
    ".py", ".js", ".ts", ".tsx", ".jsx", ".sh", ".bash", ".ps1", ".go", ".rs", ".java", ".c", ".h", ".cpp",
    ".rb", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".html", ".css", ".xml", ".csv", ".sql", ".rst",
)  # fmt: skip
_UNCOUNTED = (
    "the log of a loop whose iterations cannot be separated: no line marks their beginnings; "
    "let the loop write a line before each, such as `=== Iteration 3 ===`"
)


def fits(look: Probe) -> bool:
    """Return whether a folder has such logs or files, or a file is such a log."""
    if look.place.is_folder:
        return bool(project_of(look))
    name = look.place.name
    if is_about(name) or name.lower().endswith(_NO_LOGS):
        return False
    try:
        head = look.head if b"\0" not in look.head else sample(look.place)
    except OSError:
        return False
    if head.lstrip()[:1] == b"{" or (
        head.lstrip()[:1] == b"<" and not _is_header(lines_in(head.lstrip())[0])
    ):
        return False
    return bool(surveyed(lines_in(head)).launches())


def _is_header(text: str) -> bool:
    """Return whether a line may begin an iteration: the first of a page of HTML or XML may not."""
    return header_of(line_of(plain(text))) is not None


def claims(look: Probe) -> frozenset[str]:
    """Return the names of the logs and files, and of what is about the work."""
    return claimed(look, project_of(look))


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when it cannot be opened."""
    if not place.is_folder:
        place.head(1)
        yield from _log_runs(place, list(logged_launches(place)), [], {})
        return
    from exitgate.recordings.probe import probe_of

    look = probe_of(place)
    yield from _project_runs(look, project_of(look))


def _project_runs(look: Probe, found: Project) -> Iterator[Part]:
    kept: dict[str, list[IterationFile]] = {}
    for series in found.series:
        kept[series.label] = []
        for part in pieces(series.folder, series.names):
            if isinstance(part, Problem):
                yield part
            else:
                kept[series.label].append(part)
    logs: list[tuple[Location, list[LoggedLaunch]]] = []
    for log in found.logs.values():
        try:
            logs.append((log, list(logged_launches(log))))
        except OSError as error:
            yield Problem(log.path, error.strerror or str(error))
    texts, used = joined(logs, kept, found)
    newest = _newest(logs)
    for log, several in logs:
        last = stories_done(look.place, log, several[-1]) if newest is log and several else {}
        yield from _log_runs(log, several, texts.get(log.path, []), last)
    for series in found.series:
        if series.label not in used:
            yield from file_runs(series.folder, series.label, kept[series.label])


def _newest(logs: list[tuple[Location, list[LoggedLaunch]]]) -> Location | None:
    """Return the log whose last launch is the last of all, where that can be reported."""
    if len(logs) == 1:
        return logs[0][0]
    begun = [(found[-1].launch.at or found[-1].launch.line * 0.0, log) for log, found in logs if found]
    if not begun or any(at == 0.0 for at, _ in begun):
        return None
    return max(begun, key=lambda pair: pair[0])[1]


def _log_runs(
    log: Location,
    found: list[LoggedLaunch],
    texts: Sequence[Mapping[int, RecordedIteration]],
    last: Mapping[str, str],
) -> Iterator[Part]:
    settle(found)
    for nth, stretch in enumerate(found):
        own = texts[nth] if nth < len(texts) else {}
        at_end = last if nth + 1 == len(found) and end_of(stretch)[0] == "complete" else {}
        yield from run_of(log, stretch, own, last=at_end)
    if found and not any(stretch.entries for stretch in found) and any(stretch.text for stretch in found):
        yield Problem(log.path, _UNCOUNTED, found[0].launch.line)
    problem = encoding_problem(log)
    if problem is not None:
        yield problem


# A log that shows starts and ends, and the files that hold the texts: which file is of which iteration.
#
# A later launch writes over the files of an earlier one, so a file belongs to the last launch that began
# that number. Where the log says how many lines the file had then, it must still have as many.


def joined(
    logs: Sequence[tuple[Location, list[LoggedLaunch]]],
    kept: Mapping[str, list[IterationFile]],
    project: Project,
) -> tuple[dict[str, Texts], set[str]]:
    """Return path of a log -> for each launch, place of an entry -> its text; and the series used."""
    texts: dict[str, Texts] = {}
    used: set[str] = set()
    for log, found in logs:
        own: Texts = [{} for _ in found]
        for label, several in kept.items():
            if label in used or not several:
                continue
            if all(_has_text(found, piece) for piece in several):
                used.add(label)  # the same texts once more
            elif _shows_series(found, several):
                used.add(label)
                _join(found, several, own)
        _last(found, own, project)
        texts[log.path] = own
    return texts, used


def _named(piece: IterationFile, entry: Entry) -> bool:
    if entry.key is not None:
        return entry.key == piece.name.key
    return entry.number is not None and piece.name.order == (entry.number,)


def _has_text(found: Sequence[LoggedLaunch], piece: IterationFile) -> bool:
    return any(_named(piece, one) and one.body.text is not None for s in found for one in s.entries)


def _shows_series(found: Sequence[LoggedLaunch], several: Sequence[IterationFile]) -> bool:
    """Return whether the log shows the iterations of a series and holds no text of its own."""
    if any(entry.body.text is not None for stretch in found for entry in stretch.entries):
        return False
    told = sum(any(_named(piece, one) for s in found for one in s.entries) for piece in several)
    return told * 2 > len(several)


def _join(found: Sequence[LoggedLaunch], several: Sequence[IterationFile], own: Texts) -> None:
    for piece in several:
        for nth in range(len(found) - 1, -1, -1):
            at = next(
                (n for n, one in reversed(list(enumerate(found[nth].entries))) if _named(piece, one)), None
            )
            if at is None:
                continue
            if _has_its_lines(found[nth].entries[at], piece):
                own[nth][at] = piece.one
            break


def _has_its_lines(entry: Entry, piece: IterationFile) -> bool:
    told = [note.file[1] for note in entry.notes if note.file is not None and note.file[1] is not None]
    return not told or told[-1] in (piece.lines, piece.lines + 1, piece.lines - 1)


def _last(found: Sequence[LoggedLaunch], own: Texts, project: Project) -> None:
    """Give the file that is written over each time to the last iteration of all, where that has no text."""
    if not found or not found[-1].entries or not project.last:
        return
    at = len(found[-1].entries) - 1
    if at in own[-1] or found[-1].entries[at].body.text is not None:
        return
    piece = pieces_last(next(iter(project.last.values())))
    if piece is not None:
        own[-1][at] = piece.one


# Lines of two launches that went on at the same time: each is given to the launch that it shows.
#
# A loop that was started before the last one had ended writes into the same log. A line that names the
# output of another iteration belongs to the launch that has that iteration open; one that shows an end,
# while the launch under way continues, belongs to the one before.


def settle(found: Sequence[LoggedLaunch]) -> None:
    """Give the notes of launches that overlap to the launch that they tell of; in place."""
    for nth, stretch in enumerate(found):
        _by_key(stretch)
        for at, entry in enumerate(stretch.entries):
            goes_on = at + 1 < len(stretch.entries)
            kept: list[Note] = []
            for block in _blocks(entry.notes):
                owner = _owner(block, entry, found[:nth], goes_on=goes_on)
                (kept if owner is None else owner.notes).extend(block)
            entry.notes[:] = kept


def _by_key(stretch: LoggedLaunch) -> None:
    """Give what is reported about a piece of work to its iteration: several may be under way at once."""
    by_key = {entry.key: entry for entry in stretch.entries if entry.key is not None}
    for entry in stretch.entries if len(by_key) > 1 else ():
        strange = [note for note in entry.notes if note.key is not None and note.key != entry.key]
        for note in strange:
            owner = by_key.get(note.key or "")
            if owner is not None:
                entry.notes.remove(note)
                owner.notes.append(note)


def _blocks(notes: Sequence[Note]) -> list[list[Note]]:
    """Return notes that were written at once together."""
    blocks: list[list[Note]] = []
    for note in notes:
        if blocks and note.at is not None and blocks[-1][-1].at == note.at:
            blocks[-1].append(note)
        else:
            blocks.append([note])
    return blocks


def _owner(
    block: Sequence[Note], entry: Entry, before: Sequence[LoggedLaunch], *, goes_on: bool
) -> Entry | None:
    """Return the iteration of an earlier launch that notes tell of, None where they are of this one."""
    for note in block:
        number = None if note.file is None else number_in(note.file[0])
        if number is not None and entry.number is not None and number != entry.number:
            for stretch in reversed(before):
                named = next((one for one in reversed(stretch.entries) if one.number == number), None)
                if named is not None:
                    return named if all(n.status is None for n in named.notes) else None
        if note.ends is not None and goes_on:
            for stretch in reversed(before):
                if stretch.entries and all(n.ends is None for n in stretch.notes):
                    return stretch.entries[-1]
    return None


# The list of stories beside a log, where it fits what the loop says at the end.

_NAME = "prd.json"
_LIMIT = 2_000_000


def stories_done(project: Location, log: Location, stretch: LoggedLaunch) -> Mapping[str, str]:
    """
    Return path -> text of the list of stories where all of them pass, else nothing.

    It is as it was left, at any later time. With open stories it would contradict a loop that says
    that all is done, and if the loop says nothing, its time is unknown.
    """
    if not stretch.entries:
        return {}
    for folder in (log.parent(), project):
        place = folder.at(_NAME)
        try:
            text = place.text(_LIMIT)
            value = json.loads(text)
        except (OSError, ValueError, RecursionError):
            continue
        listed = as_object(value).get(ITEMS)
        if isinstance(listed, list) and listed:
            done = sum(one.passes is True for one in read_as(Stories, value).user_stories)
            return {place.path: text} if done == len(listed) else {}
    return {}
