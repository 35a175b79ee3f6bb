"""Every key of `expect:`: the right value passes, a wrong one fails, and only there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from expectation_tables import GIVEN, RIGHT_AND_WRONG, WINNING, WINNING_RIGHT_AND_WRONG

from exitgate.testing.cases.case import Result
from exitgate.testing.cases.parse import KEYS
from exitgate.testing.compare import COMPARISONS


def pairs(
    table: dict[str, tuple[list[str], list[str]]], given: str, which: int
) -> list[tuple[str, str, str]]:
    return [(given, key, value) for key, values in table.items() for value in values[which]]


@pytest.mark.parametrize(
    ("given", "key", "value"),
    pairs(RIGHT_AND_WRONG, GIVEN, 0) + pairs(WINNING_RIGHT_AND_WRONG, WINNING, 0),
)
def test_right_passes(run: Callable[..., list[Result]], given: str, key: str, value: str) -> None:
    (result,) = run(given % f"{key}: {value}")
    assert result.failures == ()


@pytest.mark.parametrize(
    ("given", "key", "value"),
    pairs(RIGHT_AND_WRONG, GIVEN, 1) + pairs(WINNING_RIGHT_AND_WRONG, WINNING, 1),
)
def test_wrong_fails_and_names_the_key(
    run: Callable[..., list[Result]], given: str, key: str, value: str
) -> None:
    (result,) = run(given % f"{key}: {value}")
    assert [failure.want.key for failure in result.failures] == [key]
    failure = result.failures[0]
    assert failure.wanted != failure.got
    assert failure.want.place.line == 2 + given[: given.index("expect:")].count("\n") + 1


def test_an_unknown_that_is_expected_has_no_reason(run: Callable[..., list[Result]]) -> None:
    (result,) = run(GIVEN % "facts: {tasks.percent: unknown}")
    assert [failure.wanted for failure in result.failures] == ["unknown"]


def test_no_key_is_left_out() -> None:
    assert set(RIGHT_AND_WRONG) == set(KEYS) == set(COMPARISONS)
