"""Whatever a ledger holds, a budget counts at least what the run added: a total never becomes less."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cases import each
from compiled import COMPILED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exitgate.core.gate.check import check
from exitgate.core.ledger.runs import GROWING
from exitgate.core.ledger.verify import verify
from exitgate.core.state.request import Request

POLICY = """policy: p
format: 1
version: 1.0.0
facts: {denied: {extract: denials, from: result}}
rules:
  - {id: spent, stage: before_iteration, when: run.cost >= 5 USD, exit: exhausted, because: spent}
  - {id: talked, stage: before_iteration, when: run.tokens >= 500, exit: exhausted, because: talked}
  - {id: turned, stage: before_iteration, when: run.iterations >= 5, exit: exhausted, because: turned}
  - {id: late, stage: before_iteration, when: run.elapsed >= 500s, exit: exhausted, because: late}
"""
STATE = ".ralph/exitgate"
BEGIN = 1_800_000_000.0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    monkeypatch.chdir(begin(tmp_path))
    return tmp_path


def begin(place: Path) -> Path:
    folder = place / os.urandom(6).hex()
    folder.mkdir()
    (folder / "policy.yaml").write_text(POLICY)
    return folder


def step(number: int, response: str = "", **more: object) -> tuple[str, dict[str, object], tuple[str, ...]]:
    """Check iteration `number`; return class or CONTINUE, the totals of its line, and what was warned."""
    Path("r.md").write_text(response or f"turn {number} {os.urandom(4).hex()}")
    asked: dict[str, object] = {"cost": 1.0, "tokens": 100, "time": BEGIN + 100 * number, **more}
    checked = check(Request(response="r.md", policy="./policy.yaml", **asked))  # type: ignore[arg-type]
    assert checked.line is not None
    totals = checked.line["totals"]
    assert isinstance(totals, dict)
    told = tuple(one.message for one in checked.decision.warnings)
    return checked.decision.exit_class or "CONTINUE", totals, told


def tamper(numbers: list[int], **totals: object) -> None:
    """Put totals into lines of the ledger; the iteration of a line, too."""
    path = Path(STATE, "ledger.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for number in numbers:
        line = lines[number]
        for name, value in totals.items():
            if name == "iteration":
                line["iteration"] = value
            else:
                line["totals"][name] = value
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


WRONG = (-1000, -0.5, float("nan"), float("-inf"), float("inf"), 1e300, "7", None, True, [], {})


@each("name, value", [(name, value) for name in GROWING for value in (*WRONG, 0, 1)])
def test_the_newest_line_gives_nothing_back(name: str, value: object, place: Path) -> None:
    os.chdir(begin(place))
    for number in range(1, 4):
        assert step(number)[0] == "CONTINUE"
    tamper([-1], **{name: value})
    code, totals, told = step(4)
    assert float(totals["cost"]) >= 3.0  # type: ignore[arg-type]
    assert float(totals["tokens"]) >= 300  # type: ignore[arg-type]
    assert float(totals["elapsed"]) >= 300  # type: ignore[arg-type]
    assert totals["iterations"] == 4
    assert any("is damaged" in one and f"`{name}`" in one for one in told), told
    assert any(f"`{name}`" in damage.reason for damage in verify(STATE).damages)
    classes = [code, *(step(number)[0] for number in (5, 6))]
    assert "exhausted" in classes


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    numbers=st.lists(st.integers(-3, -1), min_size=1, max_size=3, unique=True),
    totals=st.dictionaries(st.sampled_from(GROWING), st.sampled_from((*WRONG, 0, 1))),
)
def test_a_budget_counts_at_least_what_is_added_from_now_on(
    place: Path, numbers: list[int], totals: dict[str, object]
) -> None:
    os.chdir(begin(place))
    for number in range(1, 4):
        step(number)
    tamper(numbers, **totals)
    before = {"cost": 0.0, "tokens": 0.0, "elapsed": 0.0, "iterations": 0.0}
    for number in range(4, 10):
        code, found, _ = step(number)
        for name, least in before.items():
            assert float(found[name]) >= least  # type: ignore[arg-type]
        before = {name: float(found[name]) for name in before}  # type: ignore[arg-type]
        if code != "CONTINUE":
            assert code == "exhausted"
            return
    raise AssertionError("six iterations with a budget of five, and no end")


def test_an_iteration_that_falls_back_is_counted_on(place: Path) -> None:
    for number in range(1, 4):
        step(number)
    tamper([-1], iteration=1)
    assert step(4)[1]["iterations"] == 4


@each("cost", [-100, -0.01])
def test_an_agent_gives_nothing_back(cost: float, place: Path) -> None:
    os.chdir(begin(place))
    result = json.dumps({"type": "result", "result": "done", "total_cost_usd": cost, "session_id": "s"})
    assert step(1)[1]["cost"] == 1.0
    assert step(2, response=result, cost=None)[1]["cost"] == 1.0


def test_what_is_given_by_hand_gives_nothing_back(place: Path) -> None:
    assert step(1)[1]["cost"] == 1.0
    for number, value in enumerate(("3", "2", "0"), 2):
        assert step(number, facts={"run.cost": f"{value} USD"}, tokens=0)[1]["cost"] == 3.0
    assert step(5, cost=-4.0)[1]["cost"] == 3.0


def test_an_honest_run_is_sound(place: Path) -> None:
    for number in range(1, 5):
        _, totals, told = step(number)
        assert totals["cost"] == number
        assert not any("damaged" in one for one in told)
    assert verify(STATE).whole
