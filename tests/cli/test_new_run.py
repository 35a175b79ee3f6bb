"""`exitgate new-run`: the next run begins with what is there before any work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_policy import write
from cli_program import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    (tmp_path / "response.md").write_text("Working on two.\n", encoding="utf-8")
    return tmp_path


def test_the_next_run_is_begun_and_named(folder: Path) -> None:
    words = ["new-run", "nightly", "-p", "policy.yaml", "--plan", "plan.md"]
    ran = run(*words, cwd=folder)
    assert ran == (0, "began nightly#1 with small 1.0.0: a new run was asked for; there was none\n", "")
    line = json.loads(run(*words, "--format", "json", cwd=folder).out)
    assert (line["run"], line["kind"], line["iteration"]) == ("nightly#2", "run_start", 0)
    assert line["facts"]["tasks.done"]["v"] == 1
    checking = ["check", "response.md", "plan.md", "-p", "policy.yaml", "--run", "nightly"]
    plain = json.loads(run(*checking, "--format", "json", cwd=folder).out)
    assert (plain["run"], plain["iteration"]) == ("nightly#2", 1)


def test_the_environment_names_the_run(folder: Path) -> None:
    ran = run("new-run", "-p", "policy.yaml", "--plan", "plan.md", cwd=folder, EXITGATE_RUN="day")
    assert ran.out.startswith("began day#1 ")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["a\x1bb"], 64),
        (["x", "-p", "wrong.yaml"], 65),
        (["x", "-p", "policy.yaml", "--plan", "none.md"], 66),
    ],
)
def test_trouble_writes_nothing(words: list[str], code: int, folder: Path) -> None:
    ran = run("new-run", *words, cwd=folder)
    assert (ran.code, ran.out) == (code, "")
    ledger = folder / ".ralph" / "exitgate" / "ledger.jsonl"
    assert not ledger.exists() or ledger.read_bytes() == b""
