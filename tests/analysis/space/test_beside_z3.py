"""Which parts of all texts are empty, beside z3's own theory of strings where it can express the patterns."""

from __future__ import annotations

from operator import eq
from typing import Any

import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_patterns import patterns

from exitgate.analysis.space.texts.partition import partition
from exitgate.analysis.space.texts.predicates import CONTAINS, IS, LENGTH, MATCHES, TextPredicate
from exitgate.analysis.space.texts.regex import Bound, Choice, Letter, Piece, Repeat, Row, read

#: z3 counts characters up to this one; what it may spend on a question.
LAST, STEPS = 0x2FFFF, 1_000_000
_ANY = z3.Star(z3.AllChar(z3.ReSort(z3.StringSort())))


class OutOfReachError(Exception):
    """z3 has no regular expression for it."""


def expression(piece: Piece) -> Any:
    """Return a piece without bounds as a regular expression of z3."""
    if isinstance(piece, Letter):
        ranges = [(low, min(high, LAST)) for low, high in piece.characters if low <= LAST]
        if len(ranges) > 12:
            raise OutOfReachError
        return _union([z3.Range(_letter(low), _letter(high)) for low, high in ranges])
    if isinstance(piece, Choice):
        return _union([expression(part) for part in piece.parts])
    if isinstance(piece, Row):
        parts = [expression(part) for part in piece.parts]
        return z3.Concat(*parts) if len(parts) > 1 else parts[0] if parts else z3.Re("")
    if isinstance(piece, Repeat):
        inner = expression(piece.part)
        if piece.most is None:
            return (
                z3.Concat(z3.Loop(inner, piece.least, piece.least), z3.Star(inner))
                if piece.least
                else z3.Star(inner)
            )
        return z3.Loop(inner, piece.least, piece.most) if piece.most else z3.Re("")
    raise OutOfReachError


def _letter(point: int) -> Any:
    return z3.StringVal(f"\\u{{{point:x}}}")


def _union(parts: list[Any]) -> Any:
    if not parts:
        return z3.Empty(z3.ReSort(z3.StringSort()))
    return z3.Union(*parts) if len(parts) > 1 else parts[0]


def searched(pattern: str) -> Any:
    """Return what holds a match of a pattern whose only bounds are at its ends."""
    tree = read(pattern)
    rows = tree.parts if isinstance(tree, Choice) else (tree,)
    return _union([_row(row) for row in rows])


def _row(row: Piece) -> Any:
    parts = list(row.parts) if isinstance(row, Row) else [row]
    begins = parts and isinstance(parts[0], Bound) and parts[0].kind == "begin_text"
    parts = parts[1:] if begins else parts
    ends = parts and isinstance(parts[-1], Bound) and parts[-1].kind == "end_text"
    parts = parts[:-1] if ends else parts
    inner = expression(Row(tuple(parts)))
    whole = inner if begins else z3.Concat(_ANY, inner)
    return whole if ends else z3.Concat(whole, _ANY)


def passes(test: TextPredicate, text: Any) -> Any:
    """Return a test of a text of z3's, or that a length is as much as it says."""
    if test.kind == MATCHES:
        return z3.InRe(text, searched(str(test.against)))
    if test.kind == LENGTH:
        return z3.Length(text) == test.against
    against = z3.StringVal(str(test.against))
    return z3.Contains(text, against) if test.kind == CONTAINS else text == against


_BOUNDED = st.tuples(st.sampled_from(("", "^", r"\A")), patterns(), st.sampled_from(("", "$", r"\z"))).map(
    "".join
)
_TESTS = st.lists(
    st.one_of(
        st.builds(
            TextPredicate, st.just(MATCHES), _BOUNDED | st.sampled_from(("^[0-9]+$", "[a-c]", "^a*b?$"))
        ),
        st.builds(TextPredicate, st.sampled_from((CONTAINS, IS)), st.text("ab", max_size=2)),
        st.builds(TextPredicate, st.just(LENGTH), st.integers(0, 3)),
    ),
    min_size=1, max_size=3, unique=True,
)  # fmt: skip


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(_TESTS)
def test_the_same_parts_are_empty(tests: list[TextPredicate]) -> None:
    found = partition(tuple(tests))
    text = z3.String("text")
    try:
        flags = [passes(test, text) for test in tests]
    except OutOfReachError:
        return
    passing = [0 if test.kind == LENGTH else 1 for test in tests]
    passed = {tuple(map(eq, way, passing)) for way in found.parts}
    for number in range(2 ** len(tests) if found.whole else 0):
        wanted = tuple(bool(number >> place & 1) for place in range(len(tests)))
        solver = z3.Solver()
        solver.set("rlimit", STEPS)
        solver.add(*(flag if want else z3.Not(flag) for flag, want in zip(flags, wanted, strict=True)))
        answer = solver.check()
        if answer != z3.unknown:
            assert (answer == z3.sat) == (wanted in passed), (
                wanted,
                solver.model() if answer == z3.sat else None,
            )
