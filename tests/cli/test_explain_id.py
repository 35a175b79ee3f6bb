"""`exitgate explain ID`: pages of ids, facts as a policy has them, and what is no id."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from compiled import COMPILED

from exitgate.cli.main import main

POLICY = """\
policy: ours
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 80, min: 10, doc: Share that ends the run.}
facts:
  tasks: {extract: checklist, from: plan}
  score: {points: [{when: tasks.done > 3, add: 10}]}
conditions: {nearly: tasks.percent >= $enough}
rules:
  - {id: over, when: "@nearly", exit: complete, because: "{tasks.done} done", advice: stop}
  - {id: points, when: score >= 10, warn: true}
circuit:
  open: [{id: still, when: tasks.done unchanged for 5 iterations}]
invariants:
  - {id: promised, given: tasks.percent >= 100, always: exit}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    return tmp_path


def explain(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["explain", *words])
    read = capsys.readouterr()
    return code, read.out, read.err


@pytest.mark.parametrize(
    ("word", "begins", "holds"),
    [
        (
            "EP401",
            "# EP401: a fact that the policy does not have",
            "error[EP401]: there is no fact `tasks.dnoe`",
        ),
        ("ep401", "# EP401: ", "How to fix it"),
        ("unreachable", "", ""),
        ("shadowed-rule", "# shadowed-rule", "## Bad"),
        ("checklist", "# checklist", "### `checklist.percent`"),
        ("checklist.percent", "### `checklist.percent`", "| range | from 0 to 100 |"),
        ("checklist.grammar", "### Option `checklist.grammar`", "literal"),
        ("streak", "# streak", "| `streak(status.exit_signal is true)` |"),
        ("or else", "# or else", "VALUE or else VALUE"),
        ("unchanged", "# unchanged for", "false, pending 2 of 3"),
        ("skipping", "# streak", "skipping (CONDITION)"),
        ("percent", "## `percent`", "`70%`"),
        ("stuck", "## `stuck`", "Exit code [12](exit-codes.md)."),
        ("exit-code-12", "## `stuck`", "`stagnation`"),
        ("exit-code-65", "## 65", "All diagnostics are printed"),
        ("EXIT", "## `EXIT`", "class"),
        ("after_failure", "## `after_failure`", "not 0"),
        ("shadow", "## `shadow`", "only recorded"),
        ("bb3", "# bb3", "| `$min_completion` | percent | `80%` |"),
        ("completion-en", "# completion-en", "Not all tasks are complete."),
        ("claude-stream", "## `claude-stream`", "tells"),
        ("check", "## exitgate check", "Usage"),
    ],
)
def test_a_page(word: str, begins: str, holds: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = explain(capsys, word)
    if not begins:
        assert (code, out) == (64, "")
        return
    assert (code, err) == (0, "")
    assert out.startswith(begins)
    assert holds in out


def test_a_section_ends_where_the_next_begins(capsys: pytest.CaptureFixture[str]) -> None:
    out = explain(capsys, "checklist.percent")[1]
    assert out.count("\n#") == 0
    assert "blocking_open" not in out


def test_a_word_that_is_several_things_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = explain(capsys, "count")
    assert (code, out.startswith("# count\n")) == (0, True)
    assert "- `exitgate explain type:count`: A whole number from 0: `12`" in out
    assert explain(capsys, "type:count")[1].startswith("## `count`")
    assert "Also:" not in explain(capsys, "function:count")[1]


def test_a_number_is_a_decision_and_a_file_a_response(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = explain(capsys, "12")
    assert (code, out) == (66, "")
    assert "EP815" in err
    (folder / "streak").write_text("going on", encoding="utf-8")
    assert explain(capsys, "streak", "-p", "bb3")[1].startswith("CONTINUE · otherwise")
    (folder / "bb3").mkdir()  # as `exitgate policies eject bb3` makes it
    code, out, _ = explain(capsys, "bb3")
    assert (code, "BB3" in out) == (0, True)
    (folder / "ours").mkdir()
    assert explain(capsys, "ours")[0] == 74
    code, _, err = explain(capsys, "missing/response.md")
    assert (code, "EP820" in err) == (66, True)
    code, _, err = explain(capsys, "response.md", "--fact", "run.iterations=2")
    assert (code, "EP820" in err) == (66, True)


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("streek", "`streak`"),
        ("EP4O1", "`EP401`"),
        ("checklist.percnt", "`checklist.percent`"),
        ("or esle", "`or else`"),
    ],
)
def test_the_nearest_ids(word: str, near: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = explain(capsys, word)
    assert (code, out) == (64, "")
    assert f"error[EP550]: `{word}` is not a decision, a file or an id" in err
    assert near in err


@pytest.mark.parametrize(
    "word", ["", " ", "zzzzzzzzzzzzz", "💥", "a" * 5000, "..", "\x1b[31m", "function:", "#"]
)
def test_what_is_no_id(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = explain(capsys, word)
    assert (code in (64, 66, 74), out) == (True, "")
    assert "\x1b" not in err
    assert "EP" in err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = explain(capsys, "checklist.percent", "--format", "json")
    plain = json.loads(out)
    assert code == 0
    assert {key: plain[key] for key in ("schema", "id", "kind", "page", "also")} == {
        "schema": "exitgate/page@1",
        "id": "checklist.percent",
        "kind": "fact",
        "page": "extractors/checklist.md#checklistpercent",
        "also": [],
    }
    assert plain["markdown"].startswith("### `checklist.percent`\n")


def test_names_of_a_policy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ours.yaml").write_text(POLICY, encoding="utf-8")

    def page(word: str) -> str:
        code, out, err = explain(capsys, word, "--policy", "ours.yaml")
        assert (code, err) == (0, "")
        return out

    percent = page("tasks.percent")
    assert percent.startswith("# tasks.percent\n\nShare of task items that are done.\n")
    assert "| from | 0 |\n| to | 100 |" in percent
    assert "- rule `over`, EXIT complete: `@nearly`" in percent
    assert "- invariant `promised`: `tasks.percent >= 100%`" in percent
    done = page("tasks.done")
    assert "- the computed fact `score`" in done
    assert "- the breaker opens, `still`: `tasks.done unchanged for 5 iterations`" in done
    assert "computed from other facts" in page("score")
    assert "- only in messages and views" in page("tasks.total")
    assert "| at least | 10% |" in page("$enough")
    assert "- rule `over`, EXIT complete: `@nearly`" in page("enough")
    assert "tasks.percent >= $enough" in page("@nearly")
    assert page("nearly") == page("@nearly")
    tasks = page("tasks")
    assert "Facts of `ours` 1.0.0, by the extractor `checklist`, reading `plan`;" in tasks
    assert "| `tasks.percent` | percent | Share of task items that are done. |" in tasks
    assert "score" not in tasks
    over = page("over")
    assert "Rule 1 of 2 of `ours` 1.0.0." in over
    assert "| says | {tasks.done} done |" in over
    assert "Advice to the agent: stop" in over
    assert "| value | 95% |" in explain(capsys, "$enough", "-p", "ours.yaml", "--set", "enough=95")[1]


def test_a_fact_of_the_policy_in_force(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Used in `recommended`" in explain(capsys, "tasks.percent")[1]
    # what is an id by itself stays one, unless a policy is named
    assert explain(capsys, "checklist.done")[1].startswith("### `checklist.done`")


def test_an_id_needs_no_sound_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".bb3").mkdir()
    (folder / ".bb3" / "config.yaml").write_text("exit_decision: {policy: nowhere}\n", encoding="utf-8")
    assert explain(capsys, "EP810")[0] == 0


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    out = explain(capsys, "stuck")[1]
    assert out.startswith("`stuck`\n\nNo progress:")
    assert "Exit code 12." in out
    assert max(map(len, out.splitlines())) <= 60
    assert "](" not in out
