"""What is left of the limits of a walk."""

from __future__ import annotations

import pytest

from exitgate.analysis.walk import search
from exitgate.analysis.walk.search import Limits, Spent


def test_a_walk_whose_regions_take_long_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(search, "process_time", lambda: float(next(clock)))
    spent = Spent(Limits(seconds=3.0))
    steps = 0
    while spent.step():
        steps += 1
    assert steps == 2
    assert spent.why() == "not decided within 3 s"


def test_a_walk_ends_with_its_points() -> None:
    spent = Spent(Limits(seconds=1000.0, points=5))
    assert [spent.step() for _ in range(6)] == [True] * 5 + [False]
    assert spent.over()
    assert spent.why() == "not decided within 5 regions"
