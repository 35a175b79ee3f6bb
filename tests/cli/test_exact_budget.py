"""Ten times 0.10 USD are a dollar: with every command that decides, the tenth iteration ends the run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from cli_loops import loop
from cli_program import run
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.model.value import micro

POLICY = """
policy: dollar
format: 1
version: 1.0.0
title: A dollar ends the run
facts:
  result: {extract: result, from: result}
  spent: {formula: "run.cost"}
rules:
  - {id: over, when: run.cost > 1 USD, exit: failed, because: "{run.cost}"}
  - {id: dollar, when: "run.cost >= 1 USD and spent == 1 USD", exit: exhausted, because: "{run.cost}"}
otherwise: continue
"""
BY_SUM = POLICY.replace("run.cost >= 1 USD", "sum(result.cost, last 10) == 1 USD")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "dollar.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "sum.yaml").write_text(BY_SUM, encoding="utf-8")
    return tmp_path


def test_check(place: Path) -> None:
    """What the caller says an iteration cost."""
    words = ("check", "r.md", "--policy", "./dollar.yaml", "--cost", "0.1")
    codes = []
    for number in range(10):
        (place / "r.md").write_text(f"step {number}", encoding="utf-8")
        codes.append(run(*words, cwd=place).code)
    assert codes == [0] * 9 + [14]


def test_a_finer_cost_is_rounded_to_a_millionth_in_each_iteration(place: Path) -> None:
    text = POLICY.replace("run.cost > 1 USD", "run.cost > 2 USD").replace(" and spent == 1 USD", "")
    (place / "dollar.yaml").write_text(text, encoding="utf-8")
    codes = []
    for number in range(6):
        (place / "r.md").write_text(f"step {number}", encoding="utf-8")
        found = run("check", "r.md", "--policy", "./dollar.yaml", "--cost", "0.1666666", cwd=place)
        codes.append(found.code)
    assert codes == [0] * 5 + [14]
    assert "1.000002 USD" in found.out


@given(st.lists(st.floats(0, 1000), max_size=60))
def test_totals_are_the_sum_of_rounded_amounts_and_near_the_true_sum(amounts: Sequence[float]) -> None:
    total: float = 0
    for amount in amounts:
        total = micro(total + micro(amount))
    millionths = [round(Fraction(amount) * 10**6) for amount in amounts]
    assert total == float(Fraction(sum(millionths), 10**6))
    assert abs(sum(millionths) - sum(map(Fraction, amounts)) * 10**6) <= Fraction(len(amounts), 2)


@pytest.mark.parametrize("policy", ["dollar", "sum"])
def test_check_of_what_the_agent_reports(place: Path, policy: str) -> None:
    """A session that goes on reports what it has cost so far, as the float that its own sum came to."""
    codes, spent = [], 0.0
    for number in range(10):
        spent += 0.1
        result = {"type": "result", "result": f"step {number}", "session_id": "a", "total_cost_usd": spent}
        (place / "r.json").write_text(json.dumps(result), encoding="utf-8")
        codes.append(run("check", "r.json", "--policy", f"./{policy}.yaml", cwd=place).code)
    assert spent != 1
    assert codes == [0] * 9 + [14]
    lines = (place / ".ralph/exitgate/ledger.jsonl").read_text(encoding="utf-8").splitlines()
    totals = [json.loads(line)["totals"]["cost"] for line in lines if '"kind":"decision"' in line]
    assert totals[-10:] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


@pytest.mark.parametrize("policy", ["dollar", "sum"])
def test_dry_run_and_test(place: Path, policy: str) -> None:
    loop(place / "runs", "one", [f"step {number}" for number in range(11)], cost=0.1)
    ran = run("dry-run", "runs", "-p", f"./{policy}.yaml", "--no-cache", "--format", "json", cwd=place)
    (stopped,) = json.loads(ran.out)["stops"]
    assert (stopped["stop"], stopped["class"], stopped["cost_usd"]) == (10, "exhausted", 1.1)
    (place / "tests.yaml").write_text(
        f"format: 1\npolicy: ./{policy}.yaml\ntests:\n"
        "  - name: nine\n    transcript: runs/one\n    iteration: 9\n    expect: {verdict: CONTINUE}\n"
        "  - name: ten\n    transcript: runs/one\n    iteration: 10\n    expect: {rule: dollar}\n",
        encoding="utf-8",
    )
    tested = run("test", "tests.yaml", cwd=place)
    assert tested.code == 0, tested.out + tested.err
