"""Whether a response is test output and nothing else."""

from __future__ import annotations

from exitgate.facts.lines import sentence_of
from exitgate.facts.runner_hits import JUDGED_LIMIT, judged, matches
from exitgate.facts.runner_lines import STATEMENT, is_line
from exitgate.facts.scan_patterns import PIECE, Patterns
from exitgate.facts.structural import fence_mark, is_heading, is_key, is_rule
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.lexicon import Lexicon
    from exitgate.facts.runner_lines import Reading
    from exitgate.facts.scan import Text
    from exitgate.facts.scan_lexicon import Hit
    from exitgate.facts.scan_task import Task


class Only(Value):
    """
    Whether a response is only test output, and why.

    `value` is a bool, or `Unknown` where a pattern cannot be used; `work` is a hit that reports work.
    """

    __slots__ = ("value", "work")

    def __init__(self, value: object, work: tuple[Hit, ...] = ()) -> None:
        self.value = value
        self.work = work


def only_tests(
    text: Text, readings: Sequence[Reading], work: Lexicon, task: Task | None, share: float
) -> Only:
    """
    Return whether tests were run, nothing reports work, and `share` percent of the text are of tests.

    A sentence without a number (that tests pass) does not show that they were run. Words on lines that
    a runner prints, such as names of tests, report no work. The share is of lines: what is between
    the first and the last line that one run of a runner printed is of tests; blank lines, rules, fences,
    headings and lines of the form ``KEY: value`` are left out.
    """
    ran = [r for r in readings if r.guard is None and (r.role != STATEMENT or r.figures)]
    if not ran:
        return Only(False)
    printed = {r.line for r in readings if is_line(r.entry)}
    if not _mostly(text, ran, readings, share):
        return Only(False)
    for asked, (number, match, entry) in enumerate(matches(text, work)):
        if number in printed:
            continue
        hit = judged(text, work, match, entry, task)
        if hit.guard is None:
            return Only(False, (hit,))
        if asked >= JUDGED_LIMIT:
            break
    return Only(True)


def _mostly(text: Text, readings: Sequence[Reading], told: Sequence[Reading], share: float) -> bool:
    """Return whether at least `share` percent of the lines are of tests; a line of prose in part."""
    of_tests = {r.line for r in readings}
    said: dict[int, list[Reading]] = {}
    for reading in told:
        if not is_line(reading.entry):
            said.setdefault(reading.line, []).append(reading)
    printed = {r.line for r in readings if is_line(r.entry)}
    edges: dict[int, tuple[int, int]] = {}
    for reading in readings:
        if is_line(reading.entry):
            first, _ = edges.get(reading.group, (reading.line, 0))
            edges[reading.group] = (first, reading.line)
    for first, last in edges.values():
        printed.update(range(first, last + 1))
    of_tests |= printed
    lines, matching = 0, 0.0
    for number, written in enumerate(text.plain.split("\n")):
        line = written[:PIECE].strip()
        if not line:
            continue
        if number in of_tests:
            lines += 1
            matching += 1 if number in printed else _told(text, number, said[number])
        # marks and keys do not begin with a small letter
        elif line[0].islower() or not (is_rule(line) or fence_mark(line) or is_heading(line) or is_key(line)):
            lines += 1
    return 100 * matching >= share * lines


def _told(text: Text, number: int, readings: Sequence[Reading]) -> float:
    """Return the share of a line that its sentences on tests take, from 0 to 1."""
    if text.plain is not text.original:
        return 1.0
    first, last = text.lines.span(number)
    line = text.original[first:last]
    reached = told = 0
    for reading in sorted(readings, key=lambda r: r.start):
        if reading.start - first >= reached:
            left, reached = sentence_of(line, reading.start - first, reading.end - first)
            told += len(line[left:reached].strip())
    return min(1.0, told / max(1, len(line.strip())))


def lines_match(text: Text, written: Sequence[str], share: float, name: str) -> Only:
    """
    Return whether at least `share` percent of the lines that are not blank match one of the patterns.

    A text without such lines is not a test output. `name` is the fact's, for an unknown.
    """
    import re2

    patterns = Patterns(written)
    lines = matching = 0
    try:
        for pattern in written:
            re2.compile(pattern)
        for number in range(len(text.plain_lines.starts)):
            start, end = text.plain_lines.span(number)
            line = text.plain[start : min(end, start + PIECE)].rstrip()
            if line:
                lines += 1
                matching += bool(patterns.which(line))
    except re2.error:
        return Only(Unknown("RE2 rejects one of the patterns of test output", name))
    return Only(matching > 0 and 100 * matching >= share * lines)
