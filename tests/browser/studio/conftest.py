"""Studios that the browser opens: a server of our own, in a thread, with made-up runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

from studio_pages import Studio, whole_runs  # noqa: E402  # the tests share it
from synthetic_runs import synthetic  # noqa: E402


@pytest.fixture(scope="session")
def fragments() -> dict[int, str]:
    """The pages of the example runs, by their numbers."""
    return whole_runs()


@pytest.fixture
def studio(fragments: dict[int, str]) -> Iterator[Callable[..., Studio]]:
    """Give a function that starts a studio with so many runs."""
    started: list[Studio] = []

    def start(count: int = 50, **given: object) -> Studio:
        started.append(Studio(synthetic(count), fragments, **given))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for one in started:
        one.stop()
