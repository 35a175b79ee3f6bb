"""
Names of files that hold one iteration each: `iteration-3.log`, `iteration-3-stderr.log`, `output-2.10.txt`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from exitgate.recordings.formats.loops.headers import pattern

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


class Named(Struct, frozen=True):
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

    name: str
    prefix: str
    order: tuple[int, ...]
    key: str
    side: str
    strong: bool
    kin: bool = False


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


# Names of files that differ in one number or time: `1.txt`, `001-claude.log`, `iter_2_20260203-101500.log`.
#
# Such names say little, so more must speak for a series: its folder, its words, numbers that rise from the
# first without holes, or times of day.

#: Files of a series at least.
LEAST = 3
#: A day with or without a time of day, as names of files have it.
_TIME = (
    r"(?P<day>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01]))"
    r"(?:[-_.T ]{0,2}(?P<clock>(?:[01]\d|2[0-3])[-_.h:]?[0-5]\d(?:[-_.m:]?[0-5]\d)?(?:[-_.]?\d{3,9})?))?Z?"
)
_PIECES = rf"{_TIME}|(?P<number>\d{{1,9}})|(?P<word>\pL+)|(?s:.)"
#: Words of an iteration, and of what an agent wrote in one; others are in names of other things.
_STRONG_WORDS = frozenset(
    (
        "iteration", "iter", "loop", "cycle", "round", "ralph", "iteración", "iteracion", "iteração",
        "iteracao", "itération", "durchlauf",
    )
)  # fmt: skip
_WEAK_WORDS = frozenset(
    (
        "output", "out", "response", "result", "answer", "reply", "claude", "codex", "gemini", "amp",
        "cursor", "opencode", "qwen", "copilot", "goose", "aider", "agent", "ai", "turn", "run", "attempt",
        "session", "transcript", "log", "pass", "of", "json", "jsonl", "txt",
    )
)  # fmt: skip
#: Words of folders that loops keep such files in, and names of folders that hold none, whether filled or not.
_FOLDERS = frozenset(
    (
        "log", "logs", "out", "output", "outputs", "run", "runs", "iteration", "iterations", "iter", "iters",
        "response", "responses", "transcript", "transcripts", "session", "sessions", "agent", "agents",
        "ralph", "loop", "loops", "claude", "codex", "round", "rounds",
    )
)  # fmt: skip
_NO_FOLDERS = frozenset(
    ("doc", "docs", "src", "source", "test", "tests", "fixtures", "testdata", "node_modules", "site", "book")
)


class _Shape:
    """A name taken apart: what all of a series have in common, its numbers, its time and its words."""

    def __init__(self, name: str) -> None:
        stem, dot, ending = name.rpartition(".")
        self.name = name
        self.ending = f".{ending.lower()}" if dot else ""
        self.numbers: list[str] = []
        self.time = ""
        self.words: list[str] = []
        self.strong: set[int] = set()
        parts: list[str] = []
        for found in pattern(_PIECES).finditer(stem if dot else name):
            if found.group("clock") and not self.time:
                self.time = found.group(0)
                parts.append("{time}")
            elif found.group("number") or found.group("day"):
                if self.words and self.words[-1] in _STRONG_WORDS and not parts[-1].startswith("{"):
                    self.strong.add(len(self.numbers))
                self.numbers.append("".join(filter(str.isdecimal, found.group(0))))
                parts.append("{number}")
            elif found.group("word"):
                self.words.append(found.group(0).lower())
                parts.append(self.words[-1])
            else:
                parts.append(found.group(0))
        self.shape = "".join(parts) + self.ending


def is_folder_of_loops(path: str) -> bool:
    """Return whether the name of a folder says that a loop may keep its files in it."""
    parts = path.replace("\\", "/").rstrip("/").split("/")
    if len(parts) > 1 and parts[-2].lower() in _NO_FOLDERS:
        return False
    return any(word.lower() in _FOLDERS for word in pattern(r"\pL+").findall(parts[-1]))


def is_of_loop(path: str) -> bool:
    """Return whether the path of a file says that a loop may have written it: for a message, no reading."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    one = _Shape(name)
    return one.ending in TEXTS and bool(one.ending) and _may(one, kept=is_folder_of_loops(folder))


def patterned(names: Iterable[str], *, kept: bool) -> dict[str, list[Named]]:
    """
    Return shape -> the names of a series of at least three, in the order of their numbers or times.

    Args:
        names: Of the files, or of the folders, in one folder.
        kept: Whether that folder is one in which loops keep such files.
    """
    shapes: dict[str, list[_Shape]] = {}
    every = frozenset(names)
    for name in sorted(every):
        if name.isprintable() and any(map(str.isdecimal, name)):
            one = _Shape(name)
            if one.ending in TEXTS and _may(one, kept=kept):
                shapes.setdefault(one.shape, []).append(one)
    found: dict[str, list[Named]] = {}
    for shape, several in shapes.items():
        if len(several) >= LEAST:
            for label, series in _apart(shape, several):
                if not any(_unnumbered(one.name, every) for one in series):
                    found[label] = series
    return found


def _may(one: _Shape, *, kept: bool) -> bool:
    """Return whether a name can be of an iteration by its words."""
    if not one.words and not kept:
        return False
    return not _STRONG_WORDS.isdisjoint(one.words) or (kept and _WEAK_WORDS.issuperset(one.words))


def _apart(shape: str, several: Sequence[_Shape]) -> list[tuple[str, list[Named]]]:
    """Return the series among names of one shape: each with what stays the same in it."""
    count = len(several[0].numbers)
    varying = [at for at in range(count) if len({one.numbers[at] for one in several}) > 1]
    strong = [at for at in varying if at in several[0].strong]
    at = strong[0] if strong else varying[0] if len(varying) == 1 else None
    if at is None:
        if varying or not several[0].time:
            return []
        return [(shape, series)] if (series := _by_time(shape, several)) else []
    groups: dict[tuple[str, ...], list[_Shape]] = {}
    for one in several:
        groups.setdefault((*one.numbers[:at], *one.numbers[at + 1 :]), []).append(one)
    found = []
    for rest, group in groups.items():
        series = _by_number(shape, group, at)
        if series:
            found.append((shape if len(groups) == 1 else f"{shape} {' '.join(rest)}", series))
    return found


def _by_number(shape: str, group: Sequence[_Shape], at: int) -> list[Named]:
    """Return the names in the order of a number where it rises from the first without holes, else none."""
    numbers = sorted(int(one.numbers[at]) for one in group)
    if (
        len(numbers) < LEAST
        or numbers[0] > 1
        or numbers != list(range(numbers[0], numbers[0] + len(numbers)))
    ):
        return []
    found = [
        Named(one.name, shape, (int(one.numbers[at]),), one.numbers[at], "", False, True) for one in group
    ]
    return sorted(found, key=lambda one: one.order)


def _by_time(shape: str, several: Sequence[_Shape]) -> list[Named]:
    """Return the names in the order of their times where no two have the same, else none."""
    if len({one.time for one in several}) < max(LEAST, len(several)):
        return []
    return sorted(
        (Named(one.name, shape, _order(one.time), one.time, "", False, True) for one in several),
        key=lambda one: (one.order, one.name),
    )


def _order(time: str) -> tuple[int, ...]:
    """Return a time as numbers to sort by: never one alone, which would be the number of an iteration."""
    digits = "".join(filter(str.isdecimal, time))
    return int(digits[:8]), int(digits[8:].ljust(15, "0")[:15])


def _unnumbered(name: str, every: frozenset[str]) -> bool:
    """Return whether the same name without its number is there, too: old logs are put aside so."""
    stem, _, ending = name.rpartition(".")
    bare = pattern(r"[-_.]?\d+$").sub("", stem)
    return bare != stem and (bare in every or f"{bare}.{ending}" in every) and name.count(".") > 1
