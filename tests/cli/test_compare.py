"""`exitgate compare`: forms and wrong uses; what it finds is tested with dry runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_loops import some_loops
from cli_program import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    some_loops(tmp_path)
    text = (tmp_path / "sure.yaml").read_text(encoding="utf-8")
    (tmp_path / "easy.yaml").write_text(text.replace("default: 80", "default: 50"), encoding="utf-8")
    return tmp_path


WORDS = ("compare", "./sure.yaml", "./easy.yaml", "--runs", "runs")


def test_text(folder: Path) -> None:
    ran = run(*WORDS, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert "./sure.yaml / ./easy.yaml  0 of 3" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    first = ran.out.split("\n\n")[3]
    assert first.startswith("two, iteration 1: 4.00 USD and 2 iterations at stake\n")
    assert "CONTINUE by no rule, stops at 3, complete" in first
    assert "EXIT complete by sure\n    Sure: 60%\n" in first
    assert "(confidence (60%) >= $enough (80%)) for $patience (1) consecutive" in first


def test_json(folder: Path) -> None:
    plain = json.loads(run(*WORDS, "--format", "json", cwd=folder).out)
    assert [(one["run"], one["usd_at_stake"]) for one in plain["divergences"]] == [
        ("two", 4.0), ("one", 0.5), ("three", 0.5),
    ]  # fmt: skip
    assert plain["agreement"][0]["second_stops_earlier"] == 2
    assert plain["agreement"][0]["only_second_stops"] == 1
    assert {(one["run"], one["policy"], one["iteration"]) for one in plain["stops"]} >= {
        ("two", "./sure.yaml", 3)
    }


def test_markdown(folder: Path) -> None:
    ran = run(*WORDS, "--format", "markdown", cwd=folder)
    assert "### two, iteration 1: 4.00 USD and 2 iterations at stake" in ran.out


def test_wrong_uses(folder: Path) -> None:
    assert run("compare", "./sure.yaml", "./easy.yaml", cwd=folder).code == 64
    ran = run("compare", "./sure.yaml", "./sure.yaml", "--runs", "runs", cwd=folder)
    assert (ran.code, "at least two policies" in ran.err) == (64, True)
    assert run("compare", "bb3", "bb4", "--runs", "runs", cwd=folder).code in {65, 66}
    (folder / "empty").mkdir()
    assert run("compare", "bb3", "ralph", "--runs", "empty", cwd=folder).code == 66


def test_one_policy_with_two_settings(folder: Path) -> None:
    ran = run("compare", "./sure.yaml", "./sure.yaml:enough=50", "--runs", "runs", cwd=folder)
    assert ran.code == 0
    assert "confidence (60%) >= $enough (80%)" in ran.out
    assert "confidence (60%) >= $enough (50%)" in ran.out
