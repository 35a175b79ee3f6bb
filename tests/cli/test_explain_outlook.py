"""`exitgate explain` on the default policy: what is near, what is next; hostile texts; its cost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cases import some
from compiled import COMPILED
from markdown_it import MarkdownIt
from steps import Steps

from exitgate.cli.main import main
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.policy.shipped import policies
from exitgate.recordings.ledger.recall import recall

PLAN = "# Plan\n\n- [x] one\n- [x] two\n- [ ] three\n- [ ] four\n- [ ] five\n"
#: Steps that an explanation may take on the default policy.
STEPS = 3_000_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "plan.md").write_text(PLAN, encoding="utf-8")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    return code, capsys.readouterr().out


def check(capsys: pytest.CaptureFixture[str], response: str) -> int:
    Path("response.md").write_text(response, encoding="utf-8")
    return said(capsys, "check", "response.md", "plan.md")[0]


def test_the_default_policy_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    for turn in (1, 2):
        assert check(capsys, f"I am not sure about turn {turn}.\n") == 0
    shown = said(capsys, "explain")[1]
    assert "\nwould have been EXIT complete (plan_complete) if 5 tasks were done (now 2)\n" in shown
    assert "\nthresholds\n  low_confidence   2 of 3, 1 to go: (@doubtful and not @moved) for 3" in shown
    assert "\nnext time\n  the same again  EXIT review · low_confidence\n" in shown
    assert "  CONTINUE        (work_goes_on) if 3 tasks are done (now 2)\n" in shown
    every = said(capsys, "explain", "--all")[1]
    assert "\nwould have been EXIT idle (nothing_left) if " in every
    assert (
        "would not have been EXIT stuck: no change of the values tried would do it, which is not a proof"
        in (" ".join(every.split()))
    )
    assert check(capsys, "I am not sure about turn 3.\n") == 11, "as it was told"
    ended = said(capsys, "explain")[1]
    assert "\nnext time\n" not in ended
    assert "\nwould have been CONTINUE (work_goes_on) if 3 tasks were done (now 2)\n" in ended


def test_an_interruption_is_not_said_to_end_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, "Ticked two of them.\n") == 0
    Path("response.md").write_text("Working on three.\n", encoding="utf-8")
    assert said(capsys, "check", "response.md", "plan.md", "--agent-exit", "130")[0] == 130
    for words in (("explain",), ("explain", "--all"), ("explain", "--format", "json")):
        code, out = said(capsys, *words)
        assert "in any case" not in out
        assert "it ends" not in out
    assert code == 0
    assert json.loads(out)["next"]["bound"] is False
    assert check(capsys, "Wrote the third.\n") == 0


def test_as_values(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "Working.\n")
    plain = json.loads(said(capsys, "explain", "--format", "json")[1])
    assert {"nearest", "parameters", "distances", "next", "changes", "ladder"} <= plain.keys()
    done = next(one for one in plain["nearest"] if one["class"] == "complete")
    assert (done["status"], done["facts"]) == ("found", 1)
    used_up = next(one for one in plain["nearest"] if one["class"] == "exhausted")
    assert (used_up["status"], used_up["facts"]) == ("found", 1)
    assert done["changes"][0]["edits"] == [{"fact": "tasks.done", "before": 2, "after": 5, "new": False}]
    limit = next(one for one in plain["distances"] if one["parameter"] == "max_iterations")
    assert (limit["value"], limit["threshold"], limit["gap"]) == (1, 50, 49)
    assert limit["set"].startswith("shipped:guardrails:")
    assert plain["next"]["same"]["verdict"] == "CONTINUE"
    for one in plain["nearest"]:
        if one["status"] == "found":
            replayed(one)


def replayed(turn: dict[str, object]) -> None:
    """Hold the first change against the engine: the record of the ledger with other values."""
    found = recall(".ralph/exitgate")
    program = Program(found.policy)
    edits = {e["fact"]: e["after"] for e in turn["changes"][0]["edits"]}  # type: ignore[index]
    if edits.keys() & {"tasks.done"}:
        edits |= {"tasks.percent": 100.0, "tasks.open": 0, "tasks.blocking_open": 0, "tasks.complete": True}
    now = found.records[-1]
    records = program.complete((*found.records[:-1], Record({**now, **edits}, now.stand_ins, now.remembered)))
    decisions = [program.decide(records, stage) for stage in ("after_iteration", "before_iteration")]
    ends = next((one for one in decisions if one.verdict == "EXIT"), decisions[0])
    assert (ends.verdict, ends.exit_class) == (turn["verdict"], turn["class"])


def test_a_stage_asked_alone_is_explained_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("response.md").write_text("Working.\n", encoding="utf-8")
    words = ("explain", "response.md", "plan.md", "--stage", "before_iteration", "--format", "json")
    plain = json.loads(said(capsys, *words)[1])
    assert {one["class"] for one in plain["nearest"]} == {"halted", "complete", "exhausted"}
    assert plain["next"] is None, "no iteration has ended"


def test_hostile_texts_stay_texts(capsys: pytest.CaptureFixture[str]) -> None:
    trick = "\x1b]0;owned\x07 <script>alert(1)</script> | `x` </details> @someone " + "word " * 4000
    block = f"---RALPH_STATUS---\nSTATUS: BLOCKED\nRECOMMENDATION: {trick}\n---END_RALPH_STATUS---\n"
    check(capsys, f"{trick}\n{block}")
    for form in ("text", "markdown", "json"):
        shown = said(capsys, "explain", "--all", "--format", form)[1]
        assert not {c for c in shown if c != "\n" and not c.isprintable()}
        assert len(shown) < 200_000
        if form == "markdown":
            page = MarkdownIt("commonmark", {"html": True}).enable("table").render(shown)
            assert "<script" not in page
            assert page.count("</details>") == 2
            assert "@someone" not in re.sub(r"<code>.*?</code>", "", page)


def test_it_stays_quick(capsys: pytest.CaptureFixture[str]) -> None:
    for turn in range(2):
        check(capsys, f"Turn {turn}: I changed some things.\n")
    assert said(capsys, "explain")[0] == 0  # what is imported once is imported
    with Steps(most=STEPS):
        said(capsys, "explain")


@pytest.mark.parametrize("name", some(policies(), 4))
def test_every_shipped_policy_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("response.md").write_text("Did some work on the parser.\n", encoding="utf-8")
    code, shown = said(capsys, "explain", "response.md", "plan.md", "--policy", name)
    assert code == 0
    assert "would " in shown


def test_a_breaker_that_asks_for_a_parameter(capsys: pytest.CaptureFixture[str]) -> None:
    Path("policy.yaml").write_text(
        "policy: ours\nformat: 1\nversion: 1.0.0\n"
        "parameters: {still: {type: bool, default: true, doc: On.}}\n"
        "facts:\n  tasks: {extract: checklist, from: plan}\n"
        "circuit:\n"
        "  open:\n"
        "    - {id: still, when: tasks.done < 3 and $still}\n"
        "  close: tasks.done > 3\n"
        "rules:\n  - {id: open, when: circuit.state is OPEN, exit: halted, because: open}\n",
        encoding="utf-8",
    )
    Path("response.md").write_text("on\n", encoding="utf-8")
    code, shown = said(capsys, "explain", "response.md", "plan.md", "--policy", "./policy.yaml")
    assert code == 0
    assert "would have been CONTINUE (otherwise) if 3 tasks were done (now 2)" in shown
