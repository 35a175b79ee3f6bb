"""
A log that shows starts and ends, and the files that hold the texts: which file is of which iteration.

A later launch writes over the files of an earlier one, so a file belongs to the last launch that began that
number. Where the log says how many lines the file had then, it must still have as many.
"""

from __future__ import annotations

from exitgate.transcripts.loops.files import pieces_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.transcripts.loops.files import Piece
    from exitgate.transcripts.loops.log import Entry, Stretch
    from exitgate.transcripts.loops.project import Project
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.recorded import RecordedIteration

    Texts = list[dict[int, RecordedIteration]]


def joined(
    logs: Sequence[tuple[Place, list[Stretch]]], kept: Mapping[str, list[Piece]], project: Project
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
            elif _is_told(found, several):
                used.add(label)
                _join(found, several, own)
        _last(found, own, project)
        texts[log.path] = own
    return texts, used


def _named(piece: Piece, entry: Entry) -> bool:
    if entry.key is not None:
        return entry.key == piece.name.key
    return entry.number is not None and piece.name.order == (entry.number,)


def _has_text(found: Sequence[Stretch], piece: Piece) -> bool:
    return any(_named(piece, one) and one.body.text is not None for s in found for one in s.entries)


def _is_told(found: Sequence[Stretch], several: Sequence[Piece]) -> bool:
    """Return whether the log shows the iterations of a series and holds no text of its own."""
    if any(entry.body.text is not None for stretch in found for entry in stretch.entries):
        return False
    told = sum(any(_named(piece, one) for s in found for one in s.entries) for piece in several)
    return told * 2 > len(several)


def _join(found: Sequence[Stretch], several: Sequence[Piece], own: Texts) -> None:
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


def _has_its_lines(entry: Entry, piece: Piece) -> bool:
    told = [note.file[1] for note in entry.notes if note.file is not None and note.file[1] is not None]
    return not told or told[-1] in (piece.lines, piece.lines + 1, piece.lines - 1)


def _last(found: Sequence[Stretch], own: Texts, project: Project) -> None:
    """Give the file that is written over each time to the last iteration of all, where that has no text."""
    if not found or not found[-1].entries or not project.last:
        return
    at = len(found[-1].entries) - 1
    if at in own[-1] or found[-1].entries[at].body.text is not None:
        return
    piece = pieces_last(next(iter(project.last.values())))
    if piece is not None:
        own[-1][at] = piece.one
