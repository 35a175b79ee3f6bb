"""`exitgate score`: every form, and what it says where it cannot score."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from cli_loops import labels_file, loop, some_loops
from cli_program import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return some_loops(tmp_path)


def test_text(folder: Path) -> None:
    ran = run("score", "runs", "-p", "./sure.yaml", "-p", "recommended", "--by-run", cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("2 policies on 3 labelled runs, 1 of which should never have stopped\n")
    total, waste = [line for line in ran.out.splitlines() if line.startswith("./sure.yaml")]
    assert total.split()[1:] == ["3", "0", "0", "0", "1", "of", "1", "0", "(0-0)"]
    assert waste.split()[1:] == ["0", "%", "(0-0)", "0.00", "(0.00-0.00)", "0", "%", "(0-0)"]
    lines = [line.split() for line in ran.out.splitlines() if " ./sure.yaml " in line]
    assert ["one", "./sure.yaml", "3", "3", "complete", "right", "0", "0.00"] in lines
    assert ["one", "./sure.yaml", "0", "0.00"] in lines, "cut off: too wide to stand beside"
    assert ran.out.count(" recommended ") == 2 * 3
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_json_and_csv_agree(folder: Path) -> None:
    words = ("score", "runs", "-p", "./sure.yaml", "--set", "enough=50")
    plain = json.loads(run(*words, "--format", "json", cwd=folder).out)
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv", cwd=folder).out)))
    assert [(one["run"], str(one["stop"])) for one in plain["runs"]] == [(r["run"], r["stop"]) for r in rows]
    (total,) = plain["totals"]
    assert (total["premature"], total["cut_iterations"]["value"], total["cut_usd"]["value"]) == (
        3,
        1 + 2 + 1,
        5.0,
    )
    assert {r["run"]: r["kind"] for r in rows} == {
        "one": "premature",
        "two": "premature",
        "three": "premature",
    }


def test_markdown(folder: Path) -> None:
    ran = run("score", "runs", "-p", "./sure.yaml", "--format", "markdown", "--by-run", cwd=folder)
    assert "| ./sure.yaml | 3 | 0 | 0 | 0 |" in ran.out
    assert "| three | ./sure.yaml | never |" in ran.out


def test_every_shipped_policy(folder: Path) -> None:
    plain = json.loads(run("score", "runs", "-p", "all", "--format", "json", cwd=folder).out)
    assert {"recommended", "bb3", "ralph"} < {one["policy"] for one in plain["totals"]}


def test_a_label_for_a_run_that_is_not_there(folder: Path) -> None:
    labels_file(folder, "{run: oen, stop: 3}", "{run: two, stop: 9}")
    ran = run("score", "runs", cwd=folder)
    assert (ran.code, ran.out) == (65, "")
    assert "error[EP870]: there is no run `oen`\n--> labels.yaml:2:11" in ran.err
    assert "did you mean `one`?" in ran.err
    assert "error[EP872]: the run `two` has 3 iterations and cannot stop at 9" in ran.err


def test_nothing_to_score(folder: Path) -> None:
    labels_file(folder)
    (folder / "labels.yaml").write_text("labels: []\n", encoding="utf-8")
    ran = run("score", "runs", cwd=folder)
    assert (ran.code, "exitgate label" in ran.err) == (66, True)
    (folder / "empty").mkdir()
    assert run("score", "empty", cwd=folder).code == 66
    assert run("score", "runs", "-l", "none.yaml", cwd=folder).code == 66


#: The second one waits for the policy.
COMMANDS = [("score",), ("tune", "-p", "./sure.yaml", "-P", "enough=50"), ("calibrate", "-p", "./sure.yaml")]


@pytest.mark.parametrize(("path", "code", "said"), [
    ("gone", 66, "cannot read `gone`"), ("empty", 66, "no recorded runs in `empty`"),
    ("labels.yaml", 65, "no reader recognises the format"),
])  # fmt: skip
@pytest.mark.parametrize("command", COMMANDS)
def test_where_no_run_is_there_its_labels_are_not_blamed(
    folder: Path, command: tuple[str, ...], path: str, code: int, said: str
) -> None:
    (folder / "empty").mkdir()
    ran = run(*command, path, "-l", "labels.yaml", cwd=folder)
    assert (ran.code, said in ran.err, "EP870" in ran.err) == (code, True, False)


def test_a_label_whose_file_cannot_be_read(folder: Path) -> None:
    ran = run("score", "runs/one", "gone", cwd=folder)
    assert ran.code == 65
    assert ran.err.index("cannot read `gone`") < ran.err.index("there is no run `two`")


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(folder: Path) -> None:
    ran = run("score", "runs", "gone", "-p", "./sure.yaml", cwd=folder)
    assert ran.code == 66
    assert "3 labelled runs" in ran.out
    assert "cannot read `gone`" in ran.err


def test_settings_go_to_the_policies_that_have_them(folder: Path) -> None:
    assert run("score", "runs", "-p", "./sure.yaml", "-p", "bb3", "--set", "enough=50", cwd=folder).code == 0
    ran = run("score", "runs", "-p", "./sure.yaml", "-p", "bb3", "--set", "enuogh=50", cwd=folder)
    assert (ran.code, "did you mean `enough`?" in ran.err) == (65, True)
    ran = run("score", "runs", "--reader", "ralph-foldr", cwd=folder)
    assert (ran.code, "did you mean `ralph-folder`?" in ran.err) == (64, True)


def test_no_state_is_touched(folder: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    assert run("score", "runs", "-p", "./sure.yaml", cwd=folder).code == 0
    assert sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before


def test_a_hostile_id_is_shown_and_does_nothing(tmp_path: Path) -> None:
    loop(tmp_path, "=1+1\x1b[2J", ["certain"])
    labels_file(tmp_path, '{run: "=1+1\\x1b[2J", stop: 1}')
    assert "\x1b" not in run("score", ".", "--by-run", cwd=tmp_path).out
    rows = list(csv.reader(io.StringIO(run("score", ".", "--format", "csv", cwd=tmp_path).out)))
    assert rows[1][0].startswith("'=")
