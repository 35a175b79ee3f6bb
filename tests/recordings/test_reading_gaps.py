"""Iterations beside what could not be read say so, also where the reader itself comes to no end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.recordings.discovery import MANY, mark_gaps
from exitgate.recordings.model import TURN, Begin, End, Part, Problem, Provenance, RecordedIteration

READ, BAD, BESIDE, BEGIN, END = "read", "bad", "beside", "begin", "end"
ENDS = (None, OSError(5, "Input/output error"), ExitgateError([Diagnostic("EP854", "it failed")], 65))


def part(kind: str, number: int) -> Part:
    if kind == BEGIN:
        return Begin(f"r{number}", TURN, "a.jsonl")
    if kind == END:
        return End()
    if kind == READ:
        return RecordedIteration(number, Provenance("a.jsonl", number), tool_calls=())
    return Problem("a.jsonl", "not JSON", number, loses=kind == BAD)


def read(parts: Sequence[Part], error: Exception | None) -> Iterator[Part]:
    yield from parts
    if error is not None:
        raise error


def gathered(parts: Sequence[Part], error: Exception | None = None) -> list[Part]:
    """Return what comes out; `error` must come out behind it."""
    found: list[Part] = []
    try:
        for one in mark_gaps(read(parts, error)):
            found.append(one)
    except (OSError, ExitgateError) as raised:
        assert raised is error
    else:
        assert error is None
    return found


def is_beside(kinds: Sequence[str], at: int, ends_early: bool) -> bool:
    """Return whether something was lost between an iteration and the one before it or behind it."""
    before, behind = kinds[:at][::-1], kinds[at + 1 :]
    back = before[: before.index(READ)] if READ in before else before
    stops = [place for place, kind in enumerate(behind) if kind in (READ, BEGIN)]
    ahead = behind[: stops[0]] if stops else behind
    return BAD in back or BAD in ahead or (ends_early and not stops)


@settings(max_examples=60)
@given(st.lists(st.sampled_from((READ, BAD, BESIDE, BEGIN, END)), max_size=9), st.sampled_from(ENDS))
def test_nothing_is_lost_and_what_is_beside_a_loss_says_so(kinds: list[str], error: Exception | None) -> None:
    parts = [part(kind, number) for number, kind in enumerate(kinds, 1)]
    found = gathered(parts, error)
    assert [(type(one), getattr(one, "index", 0)) for one in found] == [
        (type(one), getattr(one, "index", 0)) for one in parts
    ]
    for at, one in enumerate(found):
        if isinstance(one, RecordedIteration):
            assert ("tool_calls" in one.not_known) == is_beside(kinds, at, error is not None), at


def test_behind_many_losses_every_iteration_may_have_one() -> None:
    kinds = [BAD] * MANY + [READ] * 3
    found = gathered([part(kind, number) for number, kind in enumerate(kinds)])
    assert all("tool_calls" in one.not_known for one in found if isinstance(one, RecordedIteration))


def test_a_fault_of_the_program_is_not_an_end_of_a_recording() -> None:
    found = []
    with pytest.raises(ZeroDivisionError):
        for one in mark_gaps(read([part(READ, 1)], ZeroDivisionError())):
            found.append(one)
    assert found == []


def test_a_reader_of_another_package_may_say_none_where_it_knows_no_files() -> None:
    begin = Begin("run", TURN, "file", files=None)  # type: ignore[arg-type]
    one = RecordedIteration(1, Provenance("file"), files=None, not_known=None)  # type: ignore[arg-type]
    assert (begin.files, one.files, one.not_known) == ({}, {}, {})
