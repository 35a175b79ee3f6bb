"""Checks asked again and views, through the whole check."""

from __future__ import annotations

import json
import os

import pytest

from exitgate.core.gate.check import check
from exitgate.core.gate.new_run import reset
from exitgate.core.ledger import read
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

STATE = ".ralph/exitgate"
POLICY = """
policy: small
format: 1
version: 1.0.0
parameters:
  limit: {type: count, default: 7, doc: A number.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.percent >= 100%, exit: complete, because: all done}
otherwise: continue
views:
  exit_state: {completion: tasks.percent, confidence: output.length, errors: $limit, stagnation: tasks.done}
  decision_log: {}
  session: {path: session.json, tasks: tasks.done, files: git.files_changed}
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("EXITGATE_RUN", "RUN_LOG_DIR"):
        monkeypatch.delenv(name, raising=False)
    os.mkdir(".ralph")
    (tmp_path / "small.yaml").write_text(POLICY)
    return tmp_path


def ask(text, done, **more):
    for path, content in (
        ("last-response.md", text),
        ("@fix_plan.md", "- [x] a\n" * done + "- [ ] b\n" * (4 - done)),
    ):
        with open(f".ralph/{path}", "w") as file:
            file.write(content)
    return check(Request(policy="small.yaml", **more))


def test_an_iteration_is_decided_on_once():
    for number in (1, 2, 3):
        first = ask(f"turn {number}", number, iteration=number)
        again = ask(f"turn {number}", number, iteration=number)
        assert again.line == first.line
        assert (again.decision.verdict, again.iteration.number) == ("CONTINUE", number)
    last = ask("the end", 4, iteration=4)
    assert last.decision.exit_class == "complete"
    assert ask("the end", 4, iteration=4).line == last.line
    assert len([line for line in read.lines(STATE) if line["kind"] == "decision"]) == 4
    assert ask("begin", 0, iteration=1).iteration.run == "default#2"


def test_a_turn_is_decided_on_once():
    first = ask("a", 1, turn="t-1")
    assert first.line["turn"] == "t-1"
    assert ask("b", 1, turn="t-1").line == first.line
    assert ask("b", 1, turn="t-2").iteration.number == 2


def test_a_look_gives_the_recorded_decision_too():
    first = ask("a", 1, iteration=1)
    assert ask("a", 1, iteration=1, record=False).line == first.line


def test_views_follow_each_decision():
    ask("one", 1)
    ask("three", 1)
    with open(".ralph/exit-state.json") as file:
        state = json.load(file)
    assert (state["confidence_history"], state["error_history"]) == ([3, 5], [7, 7])
    assert (state["completion_history"], state["stagnation_count"]) == ([25, 25], 1)
    with open("session.json") as file:
        assert len(json.load(file)["iterations"]) == 2
    assert all(one.same for one in replay(STATE))


def test_a_view_that_fails_is_a_warning_of_the_answer_and_not_of_the_ledger():
    with open("session.json", "w") as file:
        file.write("mine")
    checked = ask("one", 1)
    assert "it was left alone" in checked.decision.warnings[-1].message
    assert checked.line["decision"]["warnings"] == []
    assert checked.decision.verdict == "CONTINUE"


def test_a_reset_clears_the_counts_that_views_show():
    ask("one", 1)
    told = []
    assert reset(Request(), told=told)["kind"] == "reset"
    assert told == []
    with open(".ralph/exit-state.json") as file:
        state = json.load(file)
    assert (state["total_decisions"], state["last_decision"], state["confidence_history"]) == (0, None, [])


def test_a_reset_says_that_views_stay_when_the_policy_is_gone():
    ask("one", 1)
    for name in os.listdir(f"{STATE}/policies"):
        os.unlink(f"{STATE}/policies/{name}")
    told = []
    assert reset(Request(), told=told)["kind"] == "reset"
    assert "views stay as they were" in told[0]


def test_a_view_of_a_fact_there_is_none_of_is_refused(place):
    (place / "bad.yaml").write_text(POLICY.replace("tasks.percent, conf", "tasks.procent, conf"))
    with pytest.raises(Exception, match="EP445"):
        load_policy("bad.yaml")
