"""`exitgate tune`: forms, the patch, and what is told of wrong sweeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_loops import some_loops
from cli_program import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return some_loops(tmp_path)


WORDS = ("tune", "runs", "-p", "./sure.yaml", "-P", "enough=50..90:20", "-P", "patience=1,2")


def test_text_ends_with_the_patch(folder: Path) -> None:
    ran = run(*WORDS, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "./sure.yaml: 6 points on 3 labelled runs, 1 of which should never have stopped;\n"
        "facts extracted once"
    )
    patch = (
        'exit_decision:\n  policy: "../sure.yaml"\n  enough: 70   # default 80\n  patience: 1   # default 1\n'
    )
    assert ran.out.endswith(patch)


def test_the_patch_is_a_project_file_that_config_reads(folder: Path) -> None:
    patch = run(*WORDS, "--format", "config", cwd=folder).out
    (folder / ".bb3").mkdir()
    (folder / ".bb3" / "config.yaml").write_text(patch, encoding="utf-8")
    ran = run("config", "--format", "json", cwd=folder)
    assert ran.code == 0, ran.err
    assert '"enough"' in ran.out
    assert run("validate", ".bb3/config.yaml", cwd=folder).code == 0


def test_json_has_fitted_and_cross_validated_figures(folder: Path) -> None:
    plain = json.loads(run(*WORDS, "--format", "json", cwd=folder).out)
    assert plain["chosen"]["values"] == {"enough": "70", "patience": "1"}
    assert plain["cross_validated"]["folds"] == 3
    assert (
        set(plain["cross_validated"]["total"])
        == set(plain["chosen"]["total"])
        == set(plain["default"]["total"])
    )


def test_markdown(folder: Path) -> None:
    ran = run(*WORDS, "--format", "markdown", cwd=folder)
    assert "```yaml\nexit_decision:\n" in ran.out


def test_wrong_sweeps(folder: Path) -> None:
    assert run("tune", "runs", cwd=folder).code == 64
    ran = run("tune", "runs", "-P", "min_confidense=1,2", "-P", "idle_loops=0", cwd=folder)
    assert ran.code == 65  # as `--set` answers the same
    assert "did you mean `min_confidence`?" in ran.err
    assert "below its `min` 1" in ran.err
    assert run("tune", "runs", "-P", "idle_loops=1,2", "--set", "idle_loops=2", cwd=folder).code == 64
    assert run("tune", "runs", "-P", "idle_loops=1,2", "--folds", "1", cwd=folder).code == 64


def test_a_drawn_grid_says_so(folder: Path) -> None:
    ran = run(*WORDS, "--points", "3", "--seed", "4", cwd=folder)
    assert "3 points drawn from 6" in ran.out
    assert ran.out == run(*WORDS, "--points", "3", "--seed", "4", cwd=folder).out


def test_the_patch_has_what_was_set_and_gives_the_scores_that_were_told(folder: Path) -> None:
    words = ("tune", "runs", "-p", "./sure.yaml", "-P", "enough=50,60", "--set", "patience=2")
    found = json.loads(run(*words, "--format", "json", cwd=folder).out)
    assert "  patience: 2   # as set\n" in found["patch"]
    (folder / ".bb3").mkdir()
    (folder / ".bb3" / "config.yaml").write_text(found["patch"], encoding="utf-8")
    (total,) = json.loads(run("score", "runs", "--format", "json", cwd=folder).out)["totals"]
    assert total == {**found["chosen"]["total"], "policy": "sure"}
    assert total != {**found["default"]["total"], "policy": "sure"}


def test_without_a_policy_it_is_the_projects_with_its_settings(folder: Path) -> None:
    (folder / ".bb3").mkdir()
    config = "exit_decision: {policy: ../sure.yaml, patience: 2}\n"
    (folder / ".bb3" / "config.yaml").write_text(config, encoding="utf-8")
    found = json.loads(run("tune", "runs", "-P", "patience=1,2,3", "--format", "json", cwd=folder).out)
    assert (found["policy"], found["default"]["values"]) == ("sure", {"patience": "2"})
    assert '  policy: "../sure.yaml"\n' in found["patch"]
    for words in (("score", "-l"), ("calibrate", "-l")):
        ran = run(*words, "labels.yaml", "runs", cwd=folder)
        assert (ran.code, "sure" in ran.out) == (0, True), ran.err
    assert "sure: CONTINUE" in run("label", "runs", "-o", "new.yaml", stdin="v\n", cwd=folder).out
    assert run("label", "runs", "-p", "all", cwd=folder).code == 64


def test_a_parameter_is_swept_once(folder: Path) -> None:
    ran = run("tune", "runs", "-P", "idle_loops=1", "-P", "idle_loops=2", cwd=folder)
    assert (ran.code, "`idle_loops` is swept twice" in ran.err) == (64, True)
