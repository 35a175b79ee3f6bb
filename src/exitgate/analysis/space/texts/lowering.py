"""What `lower(text)` makes of characters."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.texts.characters import joined, single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.space.texts.characters import Characters

#: Its lower case is another one at the end of a word.
SIGMA, SIGMAS = "\u03a3", ("\u03c3", "\u03c2")
#: Characters that are told apart: their lower case is more than one character, or not always the same.
APART = (SIGMA, "\u0130")


@lru_cache(maxsize=1)
def _lowered() -> tuple[tuple[int, int], ...]:
    """Return each character that has another lower case, and that, where it is one character."""
    pairs = ((point, chr(point).lower()) for point in range(0x110000))
    return tuple((p, ord(low)) for p, low in pairs if len(low) == 1 and ord(low) != p and chr(p) != SIGMA)


def before_lowering(sets: tuple[Characters, ...]) -> tuple[Characters, ...]:
    """Return for each set the characters whose lower case it holds, and sets of those that are special."""
    return (*(_before(one) for one in sets), *map(single, APART))


def _before(characters: Characters) -> Characters:
    from exitgate.analysis.space.texts.characters import holds

    moved = dict(_lowered())
    kept: list[tuple[int, int]] = []
    for low, high in characters:
        inside = sorted(point for point in (*moved, *map(ord, APART)) if low <= point <= high)
        start = low
        for point in inside:
            kept.append((start, point - 1))
            start = point + 1
        kept.append((start, high))
    come = [(p, p) for p, lowered in moved.items() if holds(characters, chr(lowered))]
    return joined([(a, b) for a, b in (*kept, *come) if a <= b])
