"""What a template of a signature does with a captured text: shorten, fold, join, leave out noise."""

from __future__ import annotations

from exitgate.facts import words
from exitgate.facts.scan_patterns import PIECE
from exitgate.facts.structural import EMPHASIS, basename

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from exitgate.facts.noise import Noise

    Filter = Callable[[str, str, "Settings"], str]


class Settings:
    """
    What holds for all rows of a cascade.

    Args:
        drop: Words, folded, that `slug` and `words` leave out.
        noise: What `steady` leaves out, or None.
    """

    __slots__ = ("drop", "noise")

    def __init__(self, drop: frozenset[str] = frozenset(), noise: Noise | None = None) -> None:
        self.drop = drop
        self.noise = noise


def spoken(text: str) -> Iterator[str]:
    """
    Yield the words of `text`, folded: runs of letters, digits and marks.

    A full stop or slash between two of them is part of the word (``user.profile``), and so is a low
    line; emphasis is left out.
    """
    for run in words.fold(text).split():
        word: list[str] = []
        for at, letter in enumerate(run):
            if _belongs(letter, run, at, begun=bool(word)):
                word.append(letter)
            elif letter not in EMPHASIS and word:
                yield "".join(word)
                word = []
        if word:
            yield "".join(word)


def _belongs(letter: str, run: str, at: int, *, begun: bool) -> bool:
    if letter == "_":
        return 0 < at < len(run) - 1
    if letter in "./":
        return begun and at + 1 < len(run) and words.is_word(run[at + 1])
    return words.is_word(letter)


def slug(text: str, drop: frozenset[str]) -> str:
    """Return the words of `text` joined by hyphens, without those in `drop` unless nothing else is there."""
    found = list(spoken(text))
    return "-".join([w for w in found if w not in drop] or found)


def steady(text: str, noise: Noise | None) -> str:
    """Return `text` folded and without its noise; a long text is taken in pieces."""
    folded = words.fold(text)
    if noise is None:
        return folded
    return " ".join(noise.without(folded[at : at + PIECE]) for at in range(0, len(folded), PIECE))


def near(signature: str, drop: frozenset[str]) -> str:
    """
    Return a form that is equal for signatures that differ in case, articles or punctuation only.

    Colons keep parts apart and commas items; the order of items does not count, that of words does:
    to move a to b is not to move b to a. A number before the first item is none of it.
    """
    parts = []
    for part in signature.split(":"):
        number, dash, rest = part.partition("-")
        counted = bool(dash) and number.isdecimal()
        items = sorted({slug(item, drop) for item in (rest if counted else part).split(",")} - {""})
        parts.append(",".join([number, *items] if counted else items))
    return ":".join(part for part in parts if part)


def _first(text: str, argument: str, _settings: Settings) -> str:
    return text[: int(argument)]


def _words(text: str, argument: str, settings: Settings) -> str:
    found = list(spoken(text))
    kept = [w for w in found if w not in settings.drop] or found
    return "-".join(kept[: int(argument)])


#: Name -> what it makes of a text, its argument and the settings.
FILTERS: dict[str, Filter] = {
    "slug": lambda text, _argument, settings: slug(text, settings.drop),
    "words": _words,
    "basename": lambda text, _argument, _settings: basename(text),
    "lower": lambda text, _argument, _settings: text.lower(),
    "dashes": lambda text, _argument, _settings: "-".join(_split(text)),
    "first": _first,
    "steady": lambda text, _argument, settings: steady(text, settings.noise),
    "prefix": lambda text, argument, _settings: argument + text if text else "",
    "or": lambda text, argument, _settings: text or argument,
}
#: Filters that take a whole number of at least 1, and those that take a text.
NUMBERED, SPOKEN = frozenset(("first", "words")), frozenset(("or", "prefix"))


def _split(text: str) -> list[str]:
    """Return the texts between runs of blanks, empty ones at the edges too."""
    inner = text.split()
    if not inner:
        return ["", ""] if text else [""]
    lead = [""] if text[:1].isspace() else []
    return [*lead, *inner, *([""] if text[-1:].isspace() else [])]
