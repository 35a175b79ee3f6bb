"""
Names of files that differ in one number or time: `1.txt`, `001-claude.log`, `iter_2_20260203-101500.log`.

Such names say little, so more must speak for a series: its folder, its words, numbers that rise from the
first without holes, or times of day.
"""

from __future__ import annotations

from exitgate.transcripts.loops.marks import pattern
from exitgate.transcripts.loops.names import TEXTS, Named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Files of a series at least.
LEAST = 3
#: A day with or without a time of day, as names of files have it.
_TIME = (
    r"(?P<day>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01]))"
    r"(?:[-_.T ]{0,2}(?P<clock>(?:[01]\d|2[0-3])[-_.h:]?[0-5]\d(?:[-_.m:]?[0-5]\d)?(?:[-_.]?\d{3,9})?))?Z?"
)
_PIECES = rf"{_TIME}|(?P<number>\d{{1,9}})|(?P<word>\pL+)|(?s:.)"
#: Words of an iteration, and of what an agent wrote in one; others are in names of other things.
_STRONG = frozenset(
    (
        "iteration", "iter", "loop", "cycle", "round", "ralph", "iteración", "iteracion", "iteração",
        "iteracao", "itération", "durchlauf",
    )
)  # fmt: skip
_WEAK = frozenset(
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
                if self.words and self.words[-1] in _STRONG and not parts[-1].startswith("{"):
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
    return not _STRONG.isdisjoint(one.words) or (kept and _WEAK.issuperset(one.words))


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
