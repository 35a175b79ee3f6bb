"""
Sets of characters, as RE2 itself has them.

What a class, an escape or a letter under `(?i)` takes is asked of the engine once, over all code points: its
tables of Unicode are another version than Python's. A lone surrogate is what the engine takes it for, U+FFFD.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    #: Code points from one up to and with another, in order, apart from each other.
    Characters = tuple[tuple[int, int], ...]


LAST = 0x10FFFF
ANY: Characters = ((0, LAST),)
NEWLINE: Characters = ((10, 10),)
BUT_NEWLINE: Characters = ((0, 9), (11, LAST))
#: What `\b` takes for a word, which is ASCII in RE2.
WORD: Characters = ((48, 57), (65, 90), (95, 95), (97, 122))
ASCII: Characters = ((0, 127),)
_SURROGATES = (0xD800, 0xDFFF)
_REPLACED = 0xFFFD
#: Characters in the order in which people like to read them.
_NICE = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.:,;!?/#'\"()[]{}<>=+*&%$@^~|`\\"
_CACHED = 4096


def single(letter: str) -> Characters:
    """Return the set of one character."""
    return ((ord(letter), ord(letter)),)


@lru_cache(maxsize=_CACHED)
def charset_of(atom: str, flags: str) -> Characters:
    """
    Return what the engine takes for one character of a pattern.

    Args:
        atom: A piece of a pattern that takes one character: a class, an escape, a letter.
        flags: Those that hold for it, of ``i`` and ``s``.

    Raises:
        ValueError: RE2 refuses it.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        pattern = re2.compile(f"(?{flags}:{atom})+" if flags else f"(?:{atom})+", options=options)
    except re2.error as error:
        raise ValueError(str(error)) from error
    ranges = [(_point(a), _point(b) - 1) for a, b in (m.span() for m in pattern.finditer(_every())) if a < b]
    return joined(_with_surrogates(ranges))


@lru_cache(maxsize=1)
def _every() -> bytes:
    """Return all characters in UTF-8, in order."""
    points = (*range(_SURROGATES[0]), *range(_SURROGATES[1] + 1, LAST + 1))
    return "".join(map(chr, points)).encode()


def _point(offset: int) -> int:
    """Return the code point at an offset in bytes of `_every()`."""
    if offset <= 0x80:
        return offset
    if (offset - 0x80) <= 2 * (0x800 - 0x80):
        return 0x80 + (offset - 0x80) // 2
    threes = offset - 0x80 - 2 * (0x800 - 0x80)
    surrogates = _SURROGATES[1] + 1 - _SURROGATES[0]
    below = _SURROGATES[0] - 0x800
    if threes <= 3 * below:
        return 0x800 + threes // 3
    whole = 3 * (0x10000 - 0x800 - surrogates)
    if threes <= whole:
        return 0x800 + surrogates + threes // 3
    return 0x10000 + (threes - whole) // 4


def _with_surrogates(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    # a range over the hole in `_every` has no surrogates yet, whatever it begins and ends with
    low, high = _SURROGATES
    found: list[tuple[int, int]] = []
    for a, b in ranges:
        found += [(x, y) for x, y in ((a, min(b, low - 1)), (max(a, high + 1), b)) if x <= y]
    replaced = any(a <= _REPLACED <= b for a, b in found)
    return [*found, *([_SURROGATES] if replaced else [])]


def joined(ranges: Iterable[tuple[int, int]]) -> Characters:
    """Return the set of all characters in some ranges."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def holds(characters: Characters, letter: str) -> bool:
    """Return whether a set holds a character."""
    point = ord(letter)
    place = bisect_right(characters, (point, LAST + 1)) - 1
    return place >= 0 and characters[place][0] <= point <= characters[place][1]


def representatives(sets: Sequence[Characters], most: int) -> list[list[str]]:
    """
    Return characters of every kind that the sets tell apart, `most` of each, those first that read well.

    Every character answers, for each of the sets, like those of one kind.
    """
    edges: dict[int, int] = {0: 0, LAST + 1: 0}
    for number, one in enumerate(sets):
        for low, high in one:
            edges[low] = edges.get(low, 0) ^ 1 << number
            edges[high + 1] = edges.get(high + 1, 0) ^ 1 << number
    kinds: dict[int, list[tuple[int, int]]] = {}
    within, points = 0, sorted(edges)
    for low, after in pairwise(points):
        within ^= edges[low]
        kinds.setdefault(within, []).append((low, after - 1))
    chosen = [list(_chosen(joined(ranges), most)) for ranges in kinds.values()]
    return sorted(chosen, key=lambda some: _rank(some[0]))


@lru_cache(maxsize=2048)
def _chosen(characters: Characters, most: int) -> tuple[str, ...]:
    found = [letter for letter in _NICE if holds(characters, letter)][:most]
    if len(found) < most:
        points = [p for low, high in characters for p in range(low, min(high, low + 2 * len(_NICE)) + 1)]
        points += [high for _, high in characters]
        rest = sorted({chr(p) for p in points} - set(found), key=_rank)
        found += rest[: most - len(found)]
    return tuple(found)


def _rank(letter: str) -> tuple[int, int]:
    place = _NICE.find(letter)
    if place >= 0:
        return 0, place
    plain = letter.isprintable()
    return (1 if plain else 2 if letter in "\n\t" else 3), ord(letter)


def plainness(text: str) -> tuple[int, list[tuple[int, int]]]:
    """Return a key that sorts texts: short ones first, of these the ones that read well."""
    return len(text), list(map(_rank, text))


# What `lower(text)` makes of characters.

#: Its lower case is another one at the end of a word.
SIGMA, SIGMAS = "\u03a3", ("\u03c3", "\u03c2")
#: Characters that are told apart: their lower case is more than one character, or not always the same.
APART = (SIGMA, "\u0130")


#: Characters that are lowered at once.
_BLOCK = 256


@lru_cache(maxsize=1)
def _lowered() -> tuple[tuple[int, int], ...]:
    """Return each character that has another lower case, and that, where it is one character."""
    found = []
    for first in range(0, LAST + 1, _BLOCK):
        block = "".join(map(chr, range(first, first + _BLOCK)))
        if block.lower() == block:  # nearly all
            continue
        pairs = ((point, chr(point).lower()) for point in range(first, first + _BLOCK))
        found += [(p, ord(low)) for p, low in pairs if len(low) == 1 and ord(low) != p and chr(p) != SIGMA]
    return tuple(found)


@lru_cache(maxsize=1)
def _moving() -> tuple[int, ...]:
    """Return the characters that lower case moves, in order."""
    return tuple(sorted((*(point for point, _ in _lowered()), *map(ord, APART))))


def before_lowering(sets: tuple[Characters, ...]) -> tuple[Characters, ...]:
    """Return for each set the characters whose lower case it holds, and sets of those that are special."""
    return (*(_before(one) for one in sets), *map(single, APART))


@lru_cache(maxsize=512)
def _before(characters: Characters) -> Characters:
    moving = _moving()
    kept: list[tuple[int, int]] = []
    for low, high in characters:
        start = low
        for point in moving[bisect_left(moving, low) : bisect_right(moving, high)]:
            kept.append((start, point - 1))
            start = point + 1
        kept.append((start, high))
    come = [(p, p) for p, lowered in _lowered() if holds(characters, chr(lowered))]
    return joined([(a, b) for a, b in (*kept, *come) if a <= b])
