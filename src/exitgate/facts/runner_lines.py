"""What the lines and sentences of a text say of tests, by the entries of a lexicon of test runners."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts.record_values import LARGEST
from exitgate.facts.scan import MATCH_LIMIT, Match
from exitgate.facts.scan_blocks import PATCH
from exitgate.facts.scan_patterns import PIECE, Patterns
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from exitgate.facts.lexicon import Entry, Lexicon
    from exitgate.facts.scan import Text
    from exitgate.facts.scan_task import Task

#: What an entry may report, as a lexicon writes it.
SUMMARY, RESULT, OUTPUT, RUNNING, STATEMENT = "summary", "result", "output", "running", "statement"
ROLES = frozenset((SUMMARY, RESULT, OUTPUT, RUNNING, STATEMENT))
PASSED, FAILED, SKIPPED, TOTAL, NAME = "passed", "failed", "skipped", "total", "name"
FIGURES = frozenset((PASSED, FAILED, SKIPPED, TOTAL))
#: Longest name of a test that is kept, in characters.
NAME_LIMIT = 200


class Reading(Value):
    """
    One thing that a text says of tests.

    Args:
        entry: The entry of the lexicon that found it.
        start: Offset in characters.
        end: Offset behind it.
        line: 0-based number of its line.
        group: Readings of one group are of one run of a runner; groups are counted through the text.
        figures: `passed`, `failed`, `skipped`, `total`, as far as they are said.
        name: Name of the test, or the empty text.
        guard: The guard that refused it, or None where it counts.
    """

    __slots__ = ("end", "entry", "figures", "group", "guard", "line", "name", "start")

    def __init__(
        self,
        entry: Entry,
        start: int,
        end: int,
        line: int,
        group: int,
        figures: Mapping[str, int],
        name: str = "",
        guard: str | None = None,
    ) -> None:
        self.entry = entry
        self.start = start
        self.end = end
        self.line = line
        self.group = group
        self.figures = figures
        self.name = name
        self.guard = guard

    @property
    def role(self) -> str:
        """What the entry reports."""
        return str(self.entry.options.get("reports"))

    @property
    def runner(self) -> str:
        """Name of the runner that prints such lines, or the empty text."""
        return str(self.entry.options.get("runner") or "")

    @property
    def says(self) -> str:
        """What it says without a number: `passing`, `failing`, `none`, or the empty text."""
        return str(self.entry.options.get("says") or "")


def read(text: Text, lexicon: Lexicon, task: Task | None) -> tuple[Reading, ...]:
    """
    Return what `text` says of tests, in order, refused readings too.

    A line that a runner prints, or a command, is one reading, of the first entry that matches it. On
    other lines each sentence of an entry is one, and of two that overlap the first and longest. Lines of
    patches say nothing. A command that runs tests, and a fence, begin a new group.
    """
    patterns = lexicon.patterns
    if patterns is None or not patterns.which(_lines_of(text)):
        return ()
    found: list[Reading] = []
    group = 0
    for number in range(len(text.plain_lines.starts)):
        start, end = text.plain_lines.span(number)
        shown = text.plain[start:end]
        if not shown or text.blocks.of_line(number) == PATCH:
            continue
        group += shown.lstrip()[:3] in _FENCE_MARKS
        for at in range(0, len(shown), PIECE):
            piece = shown[at : at + PIECE].rstrip()
            which = patterns.which(piece) if piece else []
            if not which:
                continue
            read_ = _Line(text, lexicon, task, number, at)
            readings = read_.readings(piece, which, group)
            if any(r.entry.options.get("splits") for r in readings):
                group += 1
            found += readings
        if len(found) >= MATCH_LIMIT:
            break
    return tuple(found)


_FENCE_MARKS = ("```", "~~~")


class _Line:
    """One piece of one line, with what its readings need."""

    def __init__(self, text: Text, lexicon: Lexicon, task: Task | None, number: int, at: int) -> None:
        self.text = text
        self.lexicon = lexicon
        self.task = task
        self.number = number
        self.at = at

    def readings(self, piece: str, which: Sequence[int], group: int) -> list[Reading]:
        """Return the readings of a piece in which the patterns `which` occur."""
        entries = self.lexicon.patterned()
        fitting = [i for i in which if not self._refused(i, piece)]
        for index in fitting:
            entry = entries[index]
            if is_line(entry):
                one = next(self._matches(index, piece), None)
                return [] if one is None else [self._reading(entry, None, one, piece, group)]
        spans: list[tuple[int, int, int, Any]] = []
        for index in fitting:
            spans += [(*m.span(), index, m) for m in self._matches(index, piece)]
        spans.sort(key=lambda s: (s[0], -s[1], s[2]))
        found = []
        reached = -1
        for start, end, index, match in spans:
            if start >= reached:
                reached = end
                found.append(self._reading(entries[index], (start, end), match, piece, group))
        return found

    def _refused(self, index: int, piece: str) -> bool:
        entry = self.lexicon.patterned()[index]
        refusals = self.lexicon.refusals
        return bool(entry.unless) and refusals is not None and refusals.occurs(index, piece)

    def _matches(self, index: int, piece: str) -> Iterator[Any]:
        patterns = self.lexicon.patterns
        return iter(()) if patterns is None else patterns.matches(index, piece)

    def _reading(
        self, entry: Entry, span: tuple[int, int] | None, match: Any, piece: str, group: int
    ) -> Reading:
        start, end = self._place(span)
        said = {k: v for k, v in match.groupdict().items() if v is not None}
        figures: dict[str, int] = {}
        for key, digits in said.items():
            figure = key.partition("_")[0]
            if figure in FIGURES:
                figures[figure] = figures.get(figure, 0) + whole(digits)
        counted = piece if span is None else piece[span[0] : span[1]]
        figures |= _counted(entry, counted)
        guard = self.lexicon.guards.refusing(entry.guards, self.text, Match(entry.id, start, end), self.task)
        name = str(said.get(NAME, "")).strip()[:NAME_LIMIT]
        return Reading(entry, start, end, self.number, group, figures, name, guard)

    def _place(self, span: tuple[int, int] | None) -> tuple[int, int]:
        """Return the offsets in the text: of the match, or of the line where escapes have moved it."""
        first, last = self.text.lines.span(self.number)
        if span is not None and self.text.plain is self.text.original:
            return first + self.at + span[0], first + self.at + span[1]
        start = min(first + self.at, last)
        line = self.text.original[start : min(last, start + PIECE)].rstrip()
        blank = len(line) - len(line.lstrip())
        if blank == len(line):
            return start, max(start + 1, start + len(line))
        return start + blank, start + len(line)


def is_line(entry: Entry) -> bool:
    """Return whether the entry is about whole lines: output of a runner, or a command."""
    role = entry.options.get("reports")
    return role in (SUMMARY, RESULT, OUTPUT) or (role == RUNNING and entry.options.get("splits") is True)


def whole(digits: str) -> int:
    """Return the number that `digits` write; one that no run of tests can have becomes the largest."""
    kept = digits[:16]
    return min(int(kept), int(LARGEST)) if kept.isascii() and kept.isdigit() else 0


def _counted(entry: Entry, line: str) -> dict[str, int]:
    """Return what the patterns under `counts` find on the line, added up for each figure."""
    counts = entry.options.get("counts")
    if not isinstance(counts, dict):
        return {}
    patterns = _counters.of(entry.options)
    assert isinstance(patterns, Patterns)
    found: dict[str, int] = {}
    for index, figure in enumerate(counts):
        digits = [m.group(1) for m in patterns.matches(index, line) if m.re.groups and m.group(1)]
        if digits and figure in FIGURES:
            found[str(figure)] = sum(whole(d) for d in digits)
    return found


def _make_counters(options: Mapping[str, object]) -> Patterns:
    counts = options.get("counts")
    return Patterns([str(p) for p in counts.values()] if isinstance(counts, dict) else [])


_counters = lexicons.Kept(_make_counters)


def _lines_of(text: Text) -> str:
    return text.plain.replace("\r\n", "\n") if "\r" in text.plain else text.plain
