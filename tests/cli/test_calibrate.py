"""`exitgate calibrate`: against labels and against a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_loops import some_loops
from cli_program import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    some_loops(tmp_path)
    (tmp_path / "o.csv").write_text(
        "id,solved\none,true\ntwo,true\nthree,false\nfour,true\n", encoding="utf-8"
    )
    return tmp_path


TABLE = ("--outcomes", "o.csv", "--run-column", "id", "--outcome-column", "solved")


def test_against_labels(folder: Path) -> None:
    ran = run("calibrate", "runs", "-l", "labels.yaml", "-p", "./sure.yaml", cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert "10 values of 3 runs, 3 came true" in ran.out
    assert "Too little data: 3 runs, " in ran.out
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["20%", "to", "30%", "4", "20%", "0%", "0%", "to", "49%"] in rows


def test_against_a_table(folder: Path) -> None:
    ran = run("calibrate", "runs", *TABLE, "-p", "./sure.yaml", "--format", "json", cwd=folder)
    plain = json.loads(ran.out)
    assert (plain["observations_are"], plain["observations"], plain["auc"]["value"]) == ("runs", 3, 1.0)
    assert (
        "AUC" in run("calibrate", "runs", *TABLE, "-p", "./sure.yaml", "--format", "markdown", cwd=folder).out
    )


def test_wrong_uses(folder: Path) -> None:
    assert run("calibrate", "runs", cwd=folder).code == 64
    assert run("calibrate", "runs", "-l", "labels.yaml", *TABLE, cwd=folder).code == 64
    assert run("calibrate", "runs", "--outcomes", "o.csv", cwd=folder).code == 64
    ran = run("calibrate", "runs", "-l", "labels.yaml", "-p", "./sure.yaml", "-f", "confidense", cwd=folder)
    assert (ran.code, "did you mean `confidence`?" in ran.err) == (65, True)
    ran = run("calibrate", "runs", *TABLE[:4], "--outcome-column", "sloved", cwd=folder)
    assert (ran.code, "did you mean `solved`?" in ran.err) == (65, True)


def test_why_there_is_nothing_to_measure(folder: Path) -> None:
    (folder / "o.csv").write_text("id,solved\nother,true\n", encoding="utf-8")
    ran = run("calibrate", "runs", *TABLE, "-p", "./sure.yaml", cwd=folder)
    assert (ran.code, "none of 3 runs has a label or an outcome" in ran.err) == (66, True)
    words = ("calibrate", "runs", "-l", "labels.yaml")
    ran = run(*words, "-p", "./sure.yaml", "-f", "run.iterations", cwd=folder)
    assert (ran.code, "so it is not read" in " ".join(ran.err.split())) == (65, True)
    ran = run(*words, "-p", "recommended", "-f", "tasks.done", cwd=folder)
    assert ran.code == 66
    assert "`tasks.done` is known in none of 3 runs that have a label or an" in ran.err
    ran = run(*words, "-p", "./sure.yaml", cwd=folder)
    assert all(len(line) <= 80 for line in ran.out.splitlines())
