"""
Lines that were added to files, and those that only moved. Pure; linear in what differs.

A line is what it says: blanks around it do not count, so that one that is only indented anew was not added.
"""

from __future__ import annotations

from exitgate.core.model.value import Value
from exitgate.core.system.digest import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Bytes of the digest that stands for a line whose text is not kept.
_SIZE = 5
#: Hex digits of it.
DIGITS = 2 * _SIZE


class Side(Value):
    """
    The lines of a file at one time.

    Args:
        keys: A digest for each line.
        lines: Their texts; None where only digests were kept.
    """

    __slots__ = ("keys", "lines")

    def __init__(self, keys: Sequence[str], lines: Sequence[str] | None = None) -> None:
        self.keys = keys
        self.lines = lines


def side_of(raw: bytes) -> Side:
    """Return the lines of a content."""
    lines = raw.decode("utf-8", "replace").split("\n")
    return Side([_key(line) for line in lines], lines)


def packed(side: Side) -> str:
    """Return the digests of the lines as one text, for `unpacked`."""
    return "".join(side.keys)


def unpacked(text: str) -> Side:
    """Return the side that `packed` wrote, without its texts."""
    return Side([text[at : at + DIGITS] for at in range(0, len(text), DIGITS)])


def added(pairs: Iterable[tuple[str, Side, Side]]) -> list[tuple[str, int, str]]:
    """
    Return path, 1-based number and text of each line that is in more places after than it was before.

    Args:
        pairs: Path, lines before and lines after of each file; those after with their texts.

    Over all files together: a line that is gone from one place and new in another has moved. Of several
    places with the same line those within the changed part of a file count as the new ones, its last first.
    """
    gone: dict[str, int] = {}
    fresh: list[tuple[str, int, str, str]] = []
    for path, before, after in pairs:
        first, end, old = _changed(before.keys, after.keys)
        left: dict[str, int] = {}
        for key in old:
            left[key] = left.get(key, 0) + 1
        assert after.lines is not None
        for at in range(first, end):
            key = after.keys[at]
            if left.get(key, 0):
                left[key] -= 1
            else:
                fresh.append((path, at + 1, after.lines[at], key))
        for key, count in left.items():
            if count:
                gone[key] = gone.get(key, 0) + count
    found = []
    for path, number, line, key in fresh:
        if gone.get(key, 0):
            gone[key] -= 1
        elif line.strip():
            found.append((path, number, line))
    return found


def _changed(before: Sequence[str], after: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Return where the changed part of `after` begins and ends, and that of `before` itself."""
    first, most = 0, min(len(before), len(after))
    while first < most and before[first] == after[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, len(after) - last, before[first : len(before) - last]


def _key(line: str) -> str:
    return blake2b(line.strip().encode("utf-8", "surrogatepass"), digest_size=_SIZE).hexdigest()
