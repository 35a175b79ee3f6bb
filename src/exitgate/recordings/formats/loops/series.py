"""
Which lines of a log begin its iterations: those of one shape whose numbers go on, and where they begin anew.

Agents quote headers, and print some of their own. One counts that continues the number before it; one that
goes back to the first number, or comes behind a line that starts the loop, begins a launch. What is in
a fence, or is older than what was before, is quoted.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from exitgate.recordings.formats.loops import headers
from exitgate.recordings.formats.loops.console import plain
from exitgate.recordings.formats.timestamps import time_in
from exitgate.recordings.probe import is_fence

#: Sum of strengths that one header alone needs, and two or more of them.
_ALONE, _SEVERAL = 4, 2
#: Lines between a line that starts the loop and its first header, unless lines have a time at their head.
_NEAR = 14
#: Headers at least whose numbers alone are evidence.
_SPANS = 3
#: Seconds between the lines of one header, and by which a clock may go back.
_TOGETHER, _BACK = 5.0, 2.0
#: Candidates behind one that are looked at.
_AHEAD = 100
#: Headings that are counted.
_HEADINGS = 1000
#: Numbers that a launch begins with.
_FIRST = (0, 1)


class Candidate(Struct, frozen=True):
    """
    A line that may be a mark.

    Args:
        line: Its number from 1.
        header: What it says as a header; None for a line that starts the loop.
        core: Its words.
        at: Seconds since the epoch, or None.
        limit: Of iterations, or None.
        fences: Lines before it that open or close a fence.
        content: Lines before it that are text.
        stamp: Kind of the time at its head, or the empty text.
    """

    line: int
    header: headers.Header | None
    core: str
    at: float | None
    limit: int | None
    fences: int
    content: int
    stamp: str


class Launch:
    """A launch of the loop: its first line, when it began, its limit, and the headers of its iterations."""

    def __init__(self, line: int, at: float | None, limit: int | None, *, told: bool) -> None:
        self.line = line
        self.at = at
        self.limit = limit
        self.told = told
        self.headers: list[Candidate] = []


class Survey:
    """What the lines of a log have of marks: add them in order, then ask for the launches."""

    def __init__(self) -> None:
        self._headers: list[Candidate] = []
        self._launches: list[Candidate] = []
        self._starting: list[int] = []
        self._limits: list[tuple[int, int]] = []
        self._rulers: set[int] = set()
        self._headings: dict[str, int] = {}
        self._fences = self._content = self.lines = 0

    def add(self, text: str, at: float | None = None) -> None:
        """Take the next line, with or without escapes; `at` is when it was written, where that is known."""
        self.lines += 1
        text = plain(text)
        if not text:
            return
        line = headers.line_of(text[: headers.LONGEST])
        header = None if len(text) > headers.LONGEST else headers.header_of(line) or headers.key_of(line)
        if header is not None:
            begun = header.at if header.at is not None else at
            self._headers.append(self._candidate(line, header, begun, header.limit))
            return
        if is_fence(text):
            self._fences += 1
        if len(text) > headers.LONGEST:
            self._content += 1
            return
        if headers.is_ruler(line.body):
            self._rulers.add(self.lines)
            return
        limit = headers.limit_in(line)
        if headers.starts_loop(line):
            said = line.stamp.at if line.stamp is not None else time_in(line.core)
            self._launches.append(self._candidate(line, None, said if said is not None else at, limit))
            self._starting.append(self.lines)
            return
        if limit is not None:
            self._limits.append((self.lines, limit))
        self._content += line.stamp is None
        if headers.is_heading(line) and len(self._headings) < _HEADINGS:
            self._headings[line.core] = self._headings.get(line.core, 0) + 1

    def _candidate(
        self, line: headers.Line, header: headers.Header | None, at: float | None, limit: int | None
    ) -> Candidate:
        kind = line.stamp.kind if line.stamp is not None else ""
        core = line.core.casefold()
        return Candidate(self.lines, header, core, at, limit, self._fences, self._content, kind)

    def headings(self, iterations: int) -> frozenset[str]:
        """Return the headings drawn as often as there are iterations, or nearly: the loop's own."""
        return frozenset(core for core, n in self._headings.items() if n > 1 and n * 2 >= iterations)

    def launches(self, *, log: bool = True) -> list[Launch]:
        """
        Return the launches in the order of their lines; those without an iteration only if requested.

        Only where it may be the `log` of a whole loop, numbers that rise from its first line to its last
        are evidence enough.
        """
        taken = self._accepted() or (self._spanning() if log else [])
        starts = self._starts(taken)
        if not taken and not starts:
            return []
        found: list[Launch] = []
        marked = [*((c, True) for c in starts), *((c, False) for c in taken)]
        last: Candidate | None = None
        for one, begins in sorted(marked, key=lambda pair: pair[0].line):
            if begins:
                found.append(Launch(one.line, one.at, one.limit, told=True))
                last = None
                continue
            if not found or (last is not None and _anew(last, one)):
                found.append(Launch(one.line, one.at, None, told=False))
            found[-1].headers.append(one)
            last = one
        self._limit(found)
        return found

    def _limit(self, launches: list[Launch]) -> None:
        lines = [line for line, _ in self._limits]
        for nth, launch in enumerate(launches):
            begin = bisect(lines, 0 if nth == 0 else launch.line - 1)
            end = launch.headers[0].line if launch.headers else self.lines + 1
            told = begin < len(lines) and lines[begin] < end
            named = next((one.limit for one in launch.headers if one.limit is not None), None)
            launch.limit = named or (self._limits[begin][1] if told else launch.limit)

    def _accepted(self) -> list[Candidate]:
        """Return the headers of the shape that tells most, as far as they go on."""
        shapes: dict[tuple[str, ...], list[Candidate]] = {}
        for one in self._headers:
            assert one.header is not None
            shapes.setdefault(one.header.shape, []).append(one)
        best: list[Candidate] = []
        most = 0
        for several in shapes.values():
            taken = _by_key(several) if several[0].header.number is None else _going_on(several)  # type: ignore[union-attr]
            weight = self._weight(taken)
            if weight > most:
                best, most = taken, weight
        return best

    def _spanning(self) -> list[Candidate]:
        """Return the headers with which the log begins, where their numbers rise by one throughout."""
        first = self._headers[0] if self._headers else None
        if first is None or first.header is None or first.content or first.header.number not in _FIRST:
            return []
        several = [one for one in self._headers if one.header and one.header.shape == first.header.shape]
        limits = {one.limit for one in several}
        if len(several) < _SPANS or len(limits) > 1:
            return []
        pairs = list(pairwise(several))
        goes_on = all(_number(b) == _number(a) + 1 and b.content > a.content for a, b in pairs)
        quoted = any(one.fences % 2 for one in several)
        return several if goes_on and not quoted and _number(several[-1]) <= (first.limit or 10**6) else []

    def _weight(self, taken: Sequence[Candidate]) -> int:
        if not taken or (taken[0].header is not None and taken[0].header.shape[0] == headers.STEP):
            return 0
        each = [self._strength(one) for one in taken]
        keyed = taken[0].header is not None and taken[0].header.number is None
        numbers = {one.header.number for one in taken if one.header is not None}
        enough = _SEVERAL if len(numbers) > 1 or keyed else _ALONE
        if len(numbers) > 2 and not keyed:
            enough = 1
        if min(max(each), sum(each)) < enough:
            return 0
        return sum(one * one for one in each) // (3 if keyed else 1)

    def _strength(self, one: Candidate) -> int:
        assert one.header is not None
        drawn = sum(line in self._rulers for line in (one.line - 1, one.line + 1))
        at = bisect(self._starting, one.line)
        near = at > 0 and one.line - self._starting[at - 1] <= _NEAR
        return one.header.strength + drawn + near

    def _starts(self, taken: Sequence[Candidate]) -> list[Candidate]:
        """Return the lines that start the loop: with its own time at their head, or near a first header."""
        kinds = {one.stamp for one in taken}
        lines = [one.line for one in taken]
        found: list[Candidate] = []
        for one in self._launches:
            at = bisect(lines, one.line)
            near = taken[at] if at < len(taken) else None
            before = taken[at - 1] if at else None
            quoted = (one.fences - (before.fences if before is not None else 0)) % 2 == 1
            if before is not None and one.at is not None and before.at is not None:
                quoted = quoted or one.at < before.at - _BACK
            own = bool(one.stamp) and (one.stamp in kinds or not taken)
            first = near is not None and near.header is not None and near.header.number in (None, *_FIRST)
            close = near is not None and near.content - one.content <= _NEAR and (first or own)
            alone = not taken and one.content <= _NEAR and (one.stamp or self._is_drawn(one))
            if quoted or not (own or close or alone):
                continue
            if found and bisect(lines, found[-1].line) == at and _same(found[-1], one):
                continue
            found.append(one)
        return found

    def _is_drawn(self, one: Candidate) -> bool:
        return one.line <= _NEAR and (
            one.limit is not None or one.at is not None or one.line - 1 in self._rulers
        )


def _same(first: Candidate, second: Candidate) -> bool:
    """Return whether two lines without a header between tell of one start."""
    if first.content != second.content:
        return False
    return first.at is None or second.at is None or abs(second.at - first.at) <= _TOGETHER


def _anew(last: Candidate, one: Candidate) -> bool:
    """Return whether a header that follows another begins a launch."""
    assert last.header is not None and one.header is not None
    before, number = last.header.number, one.header.number
    return (
        number is not None
        and before is not None
        and (number < before or (number == before and number in _FIRST))
    )


def _by_key(several: Sequence[Candidate]) -> list[Candidate]:
    """Return the headers that name a piece of work, without those that name the one under way once more."""
    taken: list[Candidate] = []
    for one in several:
        last = taken[-1] if taken else None
        if last is None and one.fences % 2:
            continue
        if last is None or _key(last) != _key(one) or last.content != one.content:
            taken.append(one)
    return taken


def _key(one: Candidate) -> str | None:
    return None if one.header is None else one.header.key


def _going_on(several: Sequence[Candidate]) -> list[Candidate]:
    """Return the headers whose numbers go on, or begin anew."""
    taken: list[Candidate] = []
    for nth, one in enumerate(several):
        if not taken:
            if one.fences % 2 == 0:
                taken.append(one)
            continue
        last = taken[-1]
        if _is_one(last, one):
            continue
        if _follows(last, one, several[nth + 1 : nth + 1 + _AHEAD], taken):
            taken.append(one)
    return taken


def _is_one(last: Candidate, one: Candidate) -> bool:
    """Return whether two lines are one header: nothing between, the same number in other words."""
    if _number(last) != _number(one) or last.content != one.content or last.core == one.core:
        return False
    return last.at is None or one.at is None or abs(one.at - last.at) <= _TOGETHER


def _follows(last: Candidate, one: Candidate, later: Sequence[Candidate], taken: Sequence[Candidate]) -> bool:
    number, before = _number(one), _number(last)
    timed = last.at is not None and one.at is not None
    if timed and one.at < last.at - _BACK:  # type: ignore[operator]
        return False
    newer = timed and one.at > last.at  # type: ignore[operator]
    quoted = (one.fences - last.fences) % 2 == 1
    following = next((c for c in later if (c.fences - one.fences) % 2 == 0), None)
    then = None if following is None else _number(following)
    if number == before + 1:
        return not (quoted and any(_number(c) == number and (c.fences - last.fences) % 2 == 0 for c in later))
    if quoted and not (newer and one.stamp):
        return False
    if number > before:
        return not any(_number(c) == before + 1 for c in _until_anew(later, before))
    if number == before and number not in _FIRST:
        return newer or (one.core != last.core and then != number)
    if newer:
        return True
    if number in _FIRST or number == _number(taken[0]):
        return then != before + 1 or then == number + 1
    return then == number + 1 and then != before + 1


def _until_anew(later: Sequence[Candidate], before: int) -> list[Candidate]:
    """Return the candidates up to the first that begins anew."""
    found: list[Candidate] = []
    for one in later:
        if _number(one) < before:
            break
        found.append(one)
    return found


def _number(one: Candidate) -> int:
    assert one.header is not None and one.header.number is not None
    return one.header.number


def surveyed(lines: Iterable[str]) -> Survey:
    """Return the survey of lines."""
    return surveyed_in_time((None, line) for line in lines)


def surveyed_in_time(lines: Iterable[tuple[float | None, str]]) -> Survey:
    """Return the survey of lines, each with when it was written, seconds since the epoch or None."""
    survey = Survey()
    for at, line in lines:
        survey.add(line, at)
    return survey
