"""
Names of files that hold one iteration each: `iteration-3.log`, `iteration-3-stderr.log`, `output-2.10.txt`.
"""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.loops.marks import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Words of an iteration: a name with one of them alone says what it is.
_STRONG = r"iteration|iter|iteraci\S{1,2}n|iteracao|itération|durchlauf|loop|cycle|round"
#: Words of what an agent wrote: a file must then hold what a runner of an agent writes.
_WEAK = (
    r"output|out|response|result|answer|reply|claude|codex|gemini|amp|cursor|opencode|qwen|agent|turn|run|attempt|"
    r"session|story|task|ticket|transcript|message|log|step"
)
_ALONE = rf"(?i)^(?:(?:{_WEAK}|ralph|last)[-_. ]?){{1,3}}$"
_NAME = (
    r"(?i)^(?P<prefix>.*?[A-Za-z])?(?P<mark>[-_. #]?)0*(?P<number>\d{1,6}(?:\.\d{1,4}){0,2})"
    r"(?P<side>(?:[-_.][A-Za-z][\w-]*?)?)(?P<dot>\.[A-Za-z]\w{0,7})?$"
)
#: A name with the id of a piece of work in place of a number: `output-US-3.txt`.
_KEYED = (
    rf"(?i)^(?P<prefix>(?:{_WEAK})[-_])(?P<key>[A-Za-z]{{1,12}}[-_]?\d\w*(?:[-_.]\d+)?)"
    r"(?P<dot>\.[A-Za-z]\w{0,7})$"
)
#: Ends of names of files that hold something else of an iteration.
_SIDES = (
    r"(?i)^(?:std)?err(?:or)?s?$|^(?:.*[-_])?(?:stderr|summary|prompt|last-message|meta|metadata|status|diff|"
    r"last_message|input|context|tests?|usage|cost|exit|exitcode|final|raw|stream|events?|timing)$"
)
TEXTS = frozenset((".log", ".txt", ".md", ".json", ".jsonl", ".ndjson", ".out", ".markdown", ".stdout", ""))
_NUMBERS = tuple("0123456789")


class Named(Value):
    """
    A name of a file of an iteration.

    Args:
        name: Of the file.
        prefix: What is before the number, in lower case.
        order: The number, its parts apart, to sort by.
        key: The number as it is written.
        side: What follows the number, the empty text for the main file.
        strong: Whether the name alone says that it is an iteration.
        kin: Whether other words are in it, so that its folder must say that it is of a loop.
    """

    __slots__ = ("key", "kin", "name", "order", "prefix", "side", "strong")

    def __init__(
        self,
        name: str,
        prefix: str,
        order: tuple[int, ...],
        key: str,
        side: str,
        strong: bool,
        kin: bool = False,
    ) -> None:
        self.name = name
        self.prefix = prefix
        self.order = order
        self.key = key
        self.side = side
        self.strong = strong
        self.kin = kin


def named(name: str) -> Named | None:
    """Return what a name says of an iteration, None for any other."""
    if not any(digit in name for digit in _NUMBERS) or not name.isprintable():
        return None
    return _numbered(name) or _keyed(name)


def _numbered(name: str) -> Named | None:
    found = pattern(_NAME).match(name)
    if found is None or (found.group("dot") or "").lower() not in TEXTS:
        return None
    prefix = (found.group("prefix") or "").lower()
    if not prefix:
        return None
    strong = pattern(rf"(?i)(?:^|[-_. ])(?:{_STRONG})$").search(prefix) is not None
    if not strong and not pattern(rf"(?i)(?:^|[-_. ])(?:{_WEAK})$").search(prefix):
        return None
    key = found.group("number")
    order = tuple(int(part) for part in key.split("."))
    side = (found.group("side") or "").lstrip("-_.").lower()
    kin = not strong and pattern(_ALONE).match(prefix) is None
    return Named(name, prefix + found.group("mark"), order, key, side, strong, kin)


def _keyed(name: str) -> Named | None:
    found = pattern(_KEYED).match(name)
    if found is None or found.group("dot").lower() not in TEXTS:
        return None
    key = found.group("key")
    order = tuple(int(part) for part in "".join(c if c.isdecimal() else " " for c in key).split())
    return Named(name, found.group("prefix").lower(), order, key, "", False)


def number_in(name: str) -> int | None:
    """Return the number of the iteration that a name of a file has, else None."""
    found = named(name)
    return found.order[0] if found is not None and len(found.order) == 1 else None


def is_side(one: Named) -> bool:
    """Return whether a file holds something else than what was said in an iteration."""
    return bool(one.side) and pattern(_SIDES).match(one.side) is not None


def series_in(names: Iterable[str]) -> dict[str, list[Named]]:
    """Return prefix -> the names of a series, in the order of their numbers."""
    found: dict[str, list[Named]] = {}
    for name in names:
        one = named(name)
        if one is not None:
            found.setdefault(one.prefix, []).append(one)
    return {
        prefix: sorted(several, key=lambda one: (one.order, bool(one.side), one.name))
        for prefix, several in found.items()
    }
