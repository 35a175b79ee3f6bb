"""What a change of a file is, shown line by line: secrets hidden, line ends seen where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from exitgate.surfaces.studio.keep.files import Change

#: Lines around a change that are shown.
AROUND = 3


def diff(change: Change, cover: Callable[[str], str]) -> list[str]:
    """
    Return the lines of a unified diff.

    Args:
        change: Its texts are compared as they are.
        cover: Hides secrets in a whole text: they may be on several lines. Line ends stay.
    """
    texts = ["" if raw is None else raw.decode("utf-8", "replace") for raw in (change.old, change.new)]
    # Where all lines end alike, the ends say nothing; else they are part of what is compared.
    returns = {line.endswith("\r") for text in texts for line in text.split("\n")[:-1]}
    old, new, *shown = (_lines(text, ends=len(returns) > 1) for text in (*texts, *map(cover, texts)))
    groups = [*SequenceMatcher(None, old, new).get_grouped_opcodes(AROUND)]
    names = [change.place.path if raw is not None else "/dev/null" for raw in (change.old, change.new)]
    head = [f"--- {names[0]}", f"+++ {names[1]}"] if groups else []
    return head + [line for group in groups for line in _hunk(group, shown[0], shown[1])]


def _lines(text: str, *, ends: bool) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines if ends else [line.removesuffix("\r") for line in lines]


def _hunk(
    group: Sequence[tuple[str, int, int, int, int]], old: Sequence[str], new: Sequence[str]
) -> Iterator[str]:
    (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
    yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@"
    for kind, start, end, other_start, other_end in group:
        if kind == "equal":
            yield from (f" {line}" for line in old[start:end])
        else:
            yield from (f"-{line}" for line in old[start:end])
            yield from (f"+{line}" for line in new[other_start:other_end])


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff writes it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
