"""What the lines and sentences of a text say of tests, by the entries of a lexicon of test runners."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.patterns import Patterns
from exitgate.core.facts.records import LARGEST
from exitgate.core.facts.test_runs.asides import NONE, PAST, Asides
from exitgate.core.facts.text import structure
from exitgate.core.facts.text.blocks import PATCH
from exitgate.core.facts.text.text import PIECE, Lines, Match, behind, sentence_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from exitgate.core.facts.lexicons.lexicon import Entry, Lexicon
    from exitgate.core.facts.lexicons.patterns import LikelyLines
    from exitgate.core.facts.lexicons.task_copies import Task
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.json_object import JsonObject


#: What an entry may report, as a lexicon writes it.
SUMMARY = "summary"
RESULT = "result"
OUTPUT = "output"
RUNNING = "running"
STATEMENT = "statement"
CHECK = "check"
#: The header of a column of failures.
COLUMN = "column"
ROLES = frozenset((SUMMARY, RESULT, OUTPUT, RUNNING, STATEMENT, CHECK, COLUMN))
PASSING = "passing"
FAILING = "failing"
PASSED = "passed"
FAILED = "failed"
SKIPPED = "skipped"
TOTAL = "total"
NAME = "name"
FIGURES = frozenset((PASSED, FAILED, SKIPPED, TOTAL))
#: Longest name of a test that is kept, in characters.
NAME_LIMIT = 200


class Reading(Value):
    """
    One statement of a text about tests.

    Args:
        entry: The entry of the lexicon that found it.
        start: Offset in characters.
        end: Offset behind it.
        line: 0-based number of its line.
        group: Readings of one group are of one run of a runner; groups are counted through the text.
        figures: `passed`, `failed`, `skipped`, `total`, as far as they are said.
        name: Name of the test, or the empty text.
        guard: The guard that refused it, or None where it counts.
        doubt: Whether its sentence shows trouble that it gives no number of.
        sentence: Offset at which its sentence begins.
    """

    __slots__ = ("doubt", "end", "entry", "figures", "group", "guard", "line", "name", "sentence", "start")

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
        doubt: bool = False,
        sentence: int = 0,
    ) -> None:
        self.entry = entry
        self.start = start
        self.end = end
        self.line = line
        self.group = group
        self.figures = figures
        self.name = name
        self.guard = guard
        self.doubt = doubt
        self.sentence = sentence

    @property
    def role(self) -> str:
        """What the entry reports."""
        reports = str(self.entry.options.get("reports"))
        return STATEMENT if reports == COLUMN else reports

    @property
    def runner(self) -> str:
        """Name of the runner that prints such lines, or the empty text."""
        return str(self.entry.options.get("runner") or "")

    @property
    def says(self) -> str:
        """What it says without a number: `passing`, `failing`, `none`, or the empty text."""
        return str(self.entry.options.get("says") or "")

    @property
    def fails(self) -> bool:
        """Whether it says that a test, or another check, fails."""
        return self.says == FAILING or self.figures.get(FAILED, 0) > 0


def read(text: Text, lexicon: Lexicon, task: Task | None, asides: Asides = NONE) -> tuple[Reading, ...]:
    """
    Return what `text` says of tests, in order, refused readings too.

    A line that a runner prints, or a command, is one reading, of the first entry that matches it. On
    other lines each sentence of an entry is one, and of two that overlap the first and longest. Lines of
    patches say nothing. A command that runs tests, and a fence, begin a new group. A sentence on what failed
    once and was repaired is refused by what `asides` knows. Of very many lines the first and the last
    `LINES_LIMIT` are read, of very many sentences the first and the last `ENDS_LIMIT`.
    """
    asked = None if lexicon.patterns is None else candidates(text, lexicon.patterns)
    numbers = [] if asked is None else asked.numbers()
    if asked is None or not numbers:
        return ()
    numbers = _ends(numbers, LINES_LIMIT)
    fences = _fences(text)
    drafts: list[tuple[_Line, _Draft]] = []
    commands = 0
    for number in numbers:
        start, end = text.plain_lines.span(number)
        if text.blocks.of_line(number) == PATCH:
            continue
        for at in _ends(range(0, end - start, PIECE), PIECES_LIMIT):
            piece = text.plain[start + at : min(end, start + at + PIECE)].rstrip()
            which = asked.which(number, piece) if piece else []
            if not which:
                continue
            line = _Line(text, lexicon, asides, number, at)
            group = commands + bisect_right(fences, number)
            found = line.drafts(piece, which, group)
            for draft in found:
                of_rows = draft.entry.options.get("reports") == COLUMN
                drafts += _rows(line, piece, draft) if of_rows else [(line, draft)]
            commands += any(d.entry.options.get("splits") is True for d in found)
    if len(drafts) > 2 * ENDS_LIMIT:
        free = [n for n, (_, draft) in enumerate(drafts) if draft.span is not None]
        left_out = set(free[ENDS_LIMIT:-ENDS_LIMIT])
        drafts = [one for n, one in enumerate(drafts) if n not in left_out]
    return tuple(line.reading(draft, task) for line, draft in drafts)


def candidates(text: Text, patterns: Patterns) -> LikelyLines | _InSet:
    """Return which lines a pattern may match, most texts having few, and which patterns occur on each."""
    likely = patterns.by_lines(text)
    return _InSet(text, patterns) if likely is None else likely


class _InSet(Value):
    """The patterns of a set that may occur in a text; `numbers` and `which` as for `LikelyLines`."""

    __slots__ = ("_narrowed", "_patterns", "_text")

    def __init__(self, text: Text, patterns: Patterns) -> None:
        self._text = text
        self._patterns = patterns
        self._narrowed = patterns.among(text)

    def numbers(self) -> Sequence[int]:
        """
        Return the numbers of lines that a pattern may match, ascending.

        A text with a line longer than `PIECE` is asked line by line: finding all matches in it could cost
        the square of its length.
        """
        if not self._narrowed.any:
            return ()
        text = self._text
        shown = text.plain.replace("\r\n", "\n") if "\r" in text.plain else text.plain
        which = self._narrowed.which(shown)
        if not which:
            return ()
        lines = text.plain_lines if shown is text.plain else Lines(shown)
        if max(map(len, shown.split("\n"))) > PIECE:
            return range(len(lines.starts))
        found: set[int] = set()
        for start, end in self._patterns.anywhere(which, shown):
            found.update(range(lines.number(start), lines.number(max(start, end - 1)) + 1))
            if len(found) == len(lines.starts):
                break
        return sorted(found)

    def which(self, _number: int, line: str) -> list[int]:
        """Return the indices, ascending, of the patterns that occur in `line`."""
        return self._narrowed.which(line)


def _ends(numbers: Sequence[int], limit: int) -> Sequence[int]:
    """Return the first and the last `limit` of the numbers."""
    return [*numbers[:limit], *numbers[-limit:]] if len(numbers) > 2 * limit else numbers


def _fences(text: Text) -> list[int]:
    """Return the numbers of the lines that open or close a fence."""
    found = set()
    for mark in _FENCE_MARKS:
        at = text.plain.find(mark)
        while at >= 0:
            number = text.plain_lines.number(at)
            start, end = text.plain_lines.span(number)
            if text.plain[start:at].strip() == "":
                found.add(number)
            at = text.plain.find(mark, max(end, at + 1))
    return sorted(found)


_FENCE_MARKS = ("```", "~~~")
#: Guards of a repair: one that is denied, or to come, has fixed nothing.
_OF_PAST = ("negated", "hypothetical")
#: Lines that are read from the beginning, and from the end, of a text in which very many may say something.
LINES_LIMIT = 2_000
#: Pieces of a long line that are read from its beginning, and from its end; rows of a table.
PIECES_LIMIT, ROWS_LIMIT = 50, 200
#: Sentences that are judged from the beginning, and from the end, of a text that has very many.
ENDS_LIMIT = 200


class _Draft(Value):
    """A reading that no guard was asked about yet; `span` is its place in its piece, or None for a line."""

    __slots__ = ("entry", "figures", "group", "name", "span")

    def __init__(
        self,
        entry: Entry,
        span: tuple[int, int] | None,
        group: int,
        figures: Mapping[str, int],
        name: str,
    ) -> None:
        self.entry = entry
        self.span = span
        self.group = group
        self.figures = figures
        self.name = name

    @property
    def fails(self) -> bool:
        """Whether it says that something fails."""
        return self.entry.options.get("says") == FAILING or self.figures.get(FAILED, 0) > 0


class _Line:
    """One piece of one line, with what its readings need."""

    def __init__(self, text: Text, lexicon: Lexicon, asides: Asides, number: int, at: int) -> None:
        self.text = text
        self.lexicon = lexicon
        self.asides = asides
        self.number = number
        self.at = at

    def drafts(self, piece: str, which: Sequence[int], group: int) -> list[_Draft]:
        """Return what is found in a piece in which the patterns `which` occur."""
        entries = self.lexicon.patterned()
        fitting = [i for i in which if not (is_line(entries[i]) and self._refused(i, piece))]
        first = next((i for i in fitting if is_line(entries[i])), None)
        if first is None:
            return self._sentences(fitting, piece, group, 0)
        one = next(self._matches(first, piece), None)
        if one is None:
            return []
        # what follows the summary on its line may tell of more that fails
        behind = [i for i in fitting if not is_line(entries[i])]
        told = self._sentences(behind, piece, group, one.end()) if one.end() < len(piece) and behind else []
        return [_draft(entries[first], None, one, piece, group), *(d for d in told if d.fails)]

    def _sentences(self, fitting: Sequence[int], piece: str, group: int, reached: int) -> list[_Draft]:
        """Return what sentences from `reached` on say, none that overlaps another."""
        entries = self.lexicon.patterned()
        spans: list[tuple[int, int, int, Any]] = []
        for index in fitting:
            matches = self._matches(index, piece)
            spans += [(*m.span(), index, m) for m in matches if not self._refused(index, piece, m.span())]
        spans.sort(key=lambda s: (s[0], -s[1], s[2]))
        drafts = []
        for start, end, index, match in spans:
            if entries[index].options.get("reports") == RUNNING:
                # that tests are run says nothing else, and keeps nothing from being said
                drafts.append(_draft(entries[index], (start, end), match, piece, group))
            elif start >= reached:
                reached = end
                drafts.append(_draft(entries[index], (start, end), match, piece, group))
        return drafts

    def reading(self, draft: _Draft, task: Task | None) -> Reading:
        """Return the reading of a draft, the guards asked."""
        start, end = self._place(draft.span)
        match = Match(draft.entry.id, start, end)
        guard = self.lexicon.guards.refusing(draft.entry.guards, self.text, match, task)
        doubt, sentence = False, start
        if draft.span is not None:
            first, last = self.text.plain_lines.span(self.number)
            piece = self.text.plain[first + self.at : min(last, first + self.at + PIECE)]
            left, right = sentence_of(piece, *draft.span)
            sentence += left - draft.span[0]
            if draft.fails:
                told = piece[left : behind(piece, right)]  # that it was repaired is often said behind it
                guard = guard or self._past(told, sentence, draft.span[0] - left, draft.span[1] - left, task)
            elif guard is None and PASSED in draft.figures and FAILED not in draft.figures:
                doubt = self.asides.doubtful(piece[left:right])
        return Reading(
            draft.entry,
            start,
            end,
            self.number,
            draft.group,
            draft.figures,
            draft.name,
            guard,
            doubt,
            sentence,
        )

    def _past(self, sentence: str, at: int, start: int, end: int, task: Task | None) -> str | None:
        """Return `PAST` where ``sentence[start:end]`` shows what failed once and was repaired."""
        if self.text.plain is not self.text.original:
            return None
        for first, last in self.asides.past(sentence, start, end):
            match = Match(PAST, at + first, at + last)
            if self.lexicon.guards.refusing(_OF_PAST, self.text, match, task) is None:
                return PAST
        return None

    def _refused(self, index: int, piece: str, span: tuple[int, int] | None = None) -> bool:
        """Return whether a piece, or the sentence of a match, keeps an entry from counting."""
        refusals = self.lexicon.refusals
        if refusals is None or not self.lexicon.patterned()[index].unless:
            return False
        left, right = sentence_of(piece, *span) if span else (0, len(piece))
        return refusals.occurs(index, piece[left:right])

    def _matches(self, index: int, piece: str) -> Iterator[Any]:
        patterns = self.lexicon.patterns
        return iter(()) if patterns is None else patterns.matches(index, piece)

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


def _draft(entry: Entry, span: tuple[int, int] | None, match: Any, piece: str, group: int) -> _Draft:
    said = {k: v for k, v in match.groupdict().items() if v is not None}
    figures: dict[str, int] = {}
    for key, digits in said.items():
        figure = key.partition("_")[0]
        if figure in FIGURES:
            figures[figure] = figures.get(figure, 0) + whole(digits)
    figures |= _counted(entry, piece if span is None else piece[span[0] : span[1]])
    return _Draft(entry, span, group, figures, str(said.get(NAME, "")).strip()[:NAME_LIMIT])


def _rows(header: _Line, piece: str, draft: _Draft) -> Iterator[tuple[_Line, _Draft]]:
    """Yield a draft for each row of a table that has a number of failures in the column of a header."""
    text, end = header.text, draft.span[1] if draft.span is not None else len(piece)
    place = piece[:end].rstrip().rstrip("|").count("|")
    for number in range(header.number + 1, min(header.number + ROWS_LIMIT, len(text.plain_lines.starts))):
        row = text.plain_lines.line(number)[:PIECE].rstrip()
        cells = row.split("|")
        if len(cells) <= place:
            return
        digits = cells[place].strip(structure.EMPHASIS + " \t")
        if whole(digits):
            line = _Line(text, header.lexicon, header.asides, number, 0)
            yield line, _Draft(draft.entry, (0, len(row)), draft.group, {FAILED: whole(digits)}, "")


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
    counts = entry.options.object("counts")
    if not counts:
        return {}
    patterns = _counters(entry.options)
    found: dict[str, int] = {}
    for index, figure in enumerate(counts):
        digits = [m.group(1) for m in patterns.matches(index, line) if m.re.groups and m.group(1)]
        if digits and figure in FIGURES:
            found[figure] = sum(whole(d) for d in digits)
    return found


@lexicons.kept
def _counters(options: JsonObject) -> Patterns:
    return Patterns([str(p) for p in options.object("counts").values()])
