"""
Lines of two launches that went on at the same time: each is given to the launch that it shows.

A loop that was started before the last one had ended writes into the same log. A line that names the output
of another iteration belongs to the launch that has that iteration open; one that shows an end, while the
launch under way continues, belongs to the one before.
"""

from __future__ import annotations

from exitgate.transcripts.loops.names import number_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.loops.body import Note
    from exitgate.transcripts.loops.log import Entry, Stretch


def settle(found: Sequence[Stretch]) -> None:
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


def _by_key(stretch: Stretch) -> None:
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


def _owner(block: Sequence[Note], entry: Entry, before: Sequence[Stretch], *, goes_on: bool) -> Entry | None:
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
