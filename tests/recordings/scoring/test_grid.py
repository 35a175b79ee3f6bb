"""Sweeps: ranges and lists of values, what is wrong with them, and how many points are tried."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_loops import POLICY, policy

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.scoring.grid import Grid, default_of, distance, grid


@pytest.fixture
def sure(tmp_path: Path) -> CompiledPolicy:
    return load_policy(policy(tmp_path))


def values(found: Grid, name: str) -> list[str]:
    return list(found.values[name])


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("50..90:20", ["50", "70", "90"]),
        ("50..85:20", ["50", "70"]),
        ("50..52", ["50", "51", "52"]),
        ("70,50,70", ["70", "50"]),
        ("60, 80..90:5", ["60", "80", "85", "90"]),
        ("50..51:0.5", ["50", "50.5", "51"]),
        ("10..10", ["10"]),
        ("60%..70%:10", ["60", "70"]),
        ("55%", ["55%"]),
        ("60,80,60%", ["60", "80"]),
    ],
)
def test_values(sure: CompiledPolicy, written: str, wanted: list[str]) -> None:
    assert values(grid(sure, {"enough": written}), "enough") == wanted


def test_every_value_of_a_long_range_is_exact(sure: CompiledPolicy) -> None:
    assert values(grid(sure, {"enough": "10..20:0.1"}), "enough")[7] == "10.7"


@pytest.mark.parametrize(
    ("sweeps", "codes", "said"),
    [
        ({"enuogh": "1,2"}, ["EP468"], "did you mean `enough`?"),
        ({"enough": "5..20:5"}, ["EP469"], "write a value within its bounds"),
        ({"enough": "low"}, ["EP469"], ""),
        ({"enough": "90..50:5"}, ["EP875"], "write `--parameter enough=50..90:5`"),
        ({"enough": "50..90:0"}, ["EP875"], "write `--parameter enough"),
        ({"enough": "50..90:-5"}, ["EP875"], "write `--parameter enough"),
        ({"enough": "1..nan"}, ["EP875"], "write `--parameter enough"),
        ({"enough": "0..1e300:1"}, ["EP875"], "write `--parameter enough"),
        ({"enough": " , "}, ["EP875"], "write `--parameter enough"),
        ({"patience": "1.5,2"}, ["EP469"], ""),
        ({"enuogh": "1", "patience": "0"}, ["EP468", "EP469"], ""),
    ],
)
def test_what_is_wrong_is_told_at_once(
    sure: CompiledPolicy, sweeps: dict[str, str], codes: list[str], said: str
) -> None:
    with pytest.raises(ExitgateError) as caught:
        grid(sure, sweeps)
    assert [d.code for d in caught.value.diagnostics] == codes
    assert said in caught.value.diagnostics[0].help
    assert caught.value.exit_code == (64 if codes == ["EP875"] else 65)


def test_texts_may_have_points(sure: CompiledPolicy) -> None:
    assert values(grid(sure, {"word": "A..B,DONE"}), "word") == ["A..B", "DONE"]


def test_all_combinations(sure: CompiledPolicy) -> None:
    found = grid(sure, {"enough": "50,60", "patience": "1..3"})
    assert found.size == len(found.points) == 6
    assert found.points[0] == {"enough": "50", "patience": "1"}
    assert len({tuple(point.items()) for point in found.points}) == 6


def test_a_large_grid_is_drawn_from_with_the_default_among_the_points(sure: CompiledPolicy) -> None:
    sweeps = {"enough": "10..100", "patience": "1..9"}
    one, again, other = (grid(sure, sweeps, points=20, seed=seed) for seed in (1, 1, 2))
    assert (one.size, len(one.points)) == (91 * 9, 20)
    assert one == again
    assert one != other
    assert one.points[0] == {"enough": "80", "patience": "1"}
    assert len({tuple(point.items()) for point in one.points}) == 20
    assert all(10 <= int(point["enough"]) <= 100 for point in one.points)


def test_a_default_that_is_not_on_the_grid_is_not_made_up(sure: CompiledPolicy) -> None:
    found = grid(sure, {"enough": "10..60", "patience": "1..9"}, points=5)
    assert len(found.points) == 5
    assert {"enough": "80", "patience": "1"} not in found.points


def test_distance_is_in_parts_of_the_swept_range(sure: CompiledPolicy) -> None:
    swept = {"enough": ("60", "80", "100"), "word": ("FINISHED", "OTHER")}
    assert default_of(sure, tuple(swept)) == {"enough": "80", "word": "FINISHED"}
    assert distance(sure, swept, {"enough": "80", "word": "FINISHED"}) == 0
    assert distance(sure, swept, {"enough": "60", "word": "FINISHED"}) == 0.5
    assert distance(sure, swept, {"enough": "100", "word": "OTHER"}) == 1.5


def test_values_with_a_unit(tmp_path: Path) -> None:
    units = POLICY.replace(
        "  word:",
        "  most: {type: duration, default: 8h, min: 1s, doc: x}\n"
        "  price: {type: money, default: 2.5 USD, currency: USD, doc: x}\n  word:",
    )
    (tmp_path / "units.yaml").write_text(units, encoding="utf-8")
    policy = load_policy(str(tmp_path / "units.yaml"))
    assert default_of(policy, ("most", "price")) == {"most": "8h", "price": "2.5 USD"}
    found = grid(policy, {"most": "1h..2h:30m,480m", "price": "1 USD..2 USD:0.5 USD"})
    assert found.values == {
        "most": ("1h", "1h30m", "2h", "480m"), "price": ("1 USD", "1.5 USD", "2 USD"),
    }  # fmt: skip
    assert all(load_policy(policy.path, settings=point) for point in found.points)
    assert distance(policy, {"most": ("1h", "480m")}, {"most": "480m"}) == 0
    assert distance(policy, {"most": ("1h", "9h")}, {"most": "9h"}) == 0.125
    assert grid(policy, {"most": "1h..9h:5m"}, points=5).points[0] == {"most": "8h"}
    for wrong in ("1h..2h", "1..2:1", "2h..1h:1m", "1h..2h:0s"):
        with pytest.raises(ExitgateError, match="is not a range") as caught:
            grid(policy, {"most": wrong})
        assert "most=1h..3h:30m" in caught.value.diagnostics[0].help
