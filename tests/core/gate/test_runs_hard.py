"""Runs under hard conditions: killed loops, expiry, checks asked twice, runs begun and reset by hand."""

from __future__ import annotations

import os

import pytest

from exitgate.core.gate.check import check
from exitgate.core.gate.idempotency import decided_before
from exitgate.core.gate.new_run import new_run, reset
from exitgate.core.gate.notes import digest_of
from exitgate.core.ledger import read
from exitgate.core.ledger.runs import EXPIRY
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.policy import compile as compile_module
from exitgate.core.state.history import look_back
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

STATE = ".ralph/exitgate"
NOW = 1_800_000_000.0

POLICY = """
policy: small
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.percent >= 100%, exit: complete, because: done}
  - {id: said, when: "streak(output.length > 20) >= 3", exit: idle, because: said it three times}
  - {id: stuck, when: tasks.done unchanged for 4 iterations, exit: stuck, because: nothing moved}
  - {id: budget, when: run.iterations >= 6, exit: exhausted, stage: before_iteration, because: enough}
otherwise: continue
"""


@pytest.fixture
def policy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "small.yaml").write_text(POLICY)
    made = compile_module.load_policy("small.yaml")
    monkeypatch.setattr(compile_module, "load_policy", lambda *_, **__: made)
    return made


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def plan(done, total=4):
    put(".ralph/@fix_plan.md", "\n".join(f"- [{'x' if n < done else ' '}] task {n}" for n in range(total)))


def turn(text, now, **more):
    put(".ralph/last-response.md", text)
    return check(Request(policy="small.yaml", time=now, **more))


LOUD = "I have done everything there is, number {}"


@pytest.mark.parametrize("how", ["expiry", "reset", "new-run", "other name"])
def test_signals_of_a_killed_loop_never_end_the_next_one(policy, how):
    plan(1)
    for number in range(2):  # one more of these would end the run, and so would two more standing still
        assert turn(LOUD.format(number), NOW + number).decision.verdict == "CONTINUE"
    now, more = NOW + 60, {}
    if how == "expiry":
        now = NOW + EXPIRY + 60
    elif how == "reset":
        assert reset(Request(time=now))["kind"] == "reset"
    elif how == "new-run":
        assert new_run(Request(policy="small.yaml", time=now))["run"] == "default#2"
    else:
        more = {"run": "other"}
    first = turn(LOUD.format(7), now, **more)
    assert len(first.records) == 1, "the next run sees records of the killed one"
    assert first.decision.verdict == "CONTINUE"
    assert (first.iteration.run, first.iteration.number) == ("other#1" if more else "default#2", 1)
    again = turn(LOUD.format(8), now + 1, **more)
    assert (len(again.records), again.decision.verdict) == (2, "CONTINUE")
    assert turn(LOUD.format(9), now + 2, **more).decision.outcome == "said"


def test_a_new_run_begins_with_what_was_there_before_any_work(policy):
    plan(2)
    put(".ralph/last-response.md", LOUD.format("left over"))
    line = new_run(Request(policy="small.yaml", time=NOW))
    assert (line["kind"], line["run"], line["iteration"]) == ("run_start", "default#1", 0)
    assert line["facts"]["tasks.done"]["v"] == 2
    assert not [name for name in line["facts"] if name.startswith("output.")]
    assert new_run(Request(policy="small.yaml", time=NOW + 1))["run"] == "default#2"
    checked = turn("now to work", NOW + 5)
    assert (checked.iteration.run, checked.iteration.number) == ("default#2", 1)
    assert "had already reached iteration 0" in list(read.lines(STATE))[1]["reason"]


def test_what_a_killed_loop_left_in_the_response_is_no_iteration_of_a_new_run(policy):
    plan(1)
    turn(LOUD.format(1), NOW)
    put(".ralph/last-response.md", LOUD.format("left over"))
    assert new_run(Request(policy="small.yaml", time=NOW + 1))["run"] == "default#2"
    first = check(Request(policy="small.yaml", time=NOW + 2))
    assert (first.iteration.run, first.iteration.number, first.decision.stage) == (
        "default#2", 0, "before_iteration",
    )  # fmt: skip
    told = "response: `.ralph/last-response.md` was there before `default#2` began and is ignored"
    assert told in [warned.message for warned in first.decision.warnings]
    again = check(Request(policy="small.yaml", time=NOW + 3))
    assert (again.iteration.number, again.decision.stage) == (1, "after_iteration"), "said again, it counts"
    assert {found.difference for found in replay(STATE)} == {""}


@pytest.mark.parametrize(
    "asked", [{"iteration": 1}, {"turn": "t"}, {"agent_exit": 0}, {"response": "other.md"}]
)
def test_who_says_that_an_iteration_was_is_believed(policy, asked):
    plan(1)
    put(".ralph/last-response.md", LOUD.format("left over"))
    put("other.md", LOUD.format("left over"))
    new_run(Request(policy="small.yaml", time=NOW))
    assert check(Request(policy="small.yaml", time=NOW + 1, **asked)).iteration.number == 1


@pytest.mark.parametrize("later", [EXPIRY + 60, 5])
def test_replay_knows_the_response_that_a_new_run_found(policy, later):
    put(".ralph/last-response.md", LOUD.format("left over"))
    new_run(Request(policy="small.yaml", time=NOW))
    for number in range(3):
        check(Request(policy="small.yaml", time=NOW + later + number))
    assert {found.difference for found in replay(STATE)} == {""}


def test_a_new_run_after_one_that_expired_closes_it(policy):
    turn("a", NOW)
    new_run(Request(policy="small.yaml", time=NOW + EXPIRY + 60))
    kinds = [(line["run"], line["kind"]) for line in read.lines(STATE)]
    assert kinds[-2:] == [("default#1", "expired"), ("default#2", "run_start")]


def test_a_reset_ends_the_run_once_and_the_old_response_is_still_noticed(policy):
    assert reset(Request(time=NOW)) is None
    turn("all of it, as before", NOW)
    line = reset(Request(time=NOW + 1), "starting over")
    assert (line["run"], line["reason"], line["counts"]["decisions"]) == ("default#1", "starting over", 0)
    assert reset(Request(time=NOW + 2)) is None
    checked = turn("all of it, as before", NOW + 3)
    assert checked.iteration.run == "default#2"
    assert any(
        "is unchanged since iteration 1 of `default#1`" in w.message for w in checked.decision.warnings
    )
    assert checked.line["counts"] == {"decisions": 1, "continue": 1, "exit": 0}


def test_a_reset_of_one_name_leaves_others_alone(policy):
    turn("a", NOW, run="one")
    turn("b", NOW, run="two")
    reset(Request(run="one", time=NOW))
    assert turn("c", NOW + 1, run="two").iteration.number == 2
    assert turn("d", NOW + 1, run="one").iteration.run == "one#2"


def before(policy, text, iteration=None, turn_id=None):
    now = Iteration(99, "x#9", NOW, {"response": Source("response", text=text)})
    last = read.last(STATE, "default")
    return decided_before(policy, now, last, lambda run, n: read.tail(STATE, run, n), iteration, turn_id, {})


def test_a_check_asked_again_is_answered_from_the_ledger(policy):
    plan(1)
    made = [turn(LOUD.format(number), NOW + number) for number in range(3)]
    assert made[-1].decision.outcome == "said"
    for number, one in enumerate(made, 1):
        found = before(policy, LOUD.format(number - 1), number)
        assert (found.decision, found.line, found.notes) == (one.decision, one.line, ())
        assert (found.iteration.run, found.iteration.number) == ("default#1", number)
        assert {name: fact.value for name, fact in found.facts.items()} == {
            name: fact.value for name, fact in one.facts.items()
        }
    assert before(policy, LOUD.format(7), 3) is None, "the run has ended: another response is a new run's"
    assert before(policy, LOUD.format(2)) is None
    assert before(policy, LOUD.format(2), turn_id="t") is None


def test_another_response_to_the_newest_iteration_is_told(policy):
    plan(1)
    one = turn("short", NOW)
    found = before(policy, "another", 1)
    assert found.decision.warnings == found.notes
    assert found.decision.but(warnings=()) == one.decision
    assert "decided on another response" in found.notes[0].message


def test_without_a_ledger_nothing_was_asked_before(policy):
    assert before(policy, "a", 1) is None
    assert not os.path.exists(STATE)


def test_expired_or_ended_runs_give_history_no_line(policy):
    plan(1)
    turn("a", NOW)
    last = read.last(STATE, "default")

    def never(run, limit):
        raise AssertionError("lines of an old run were read")

    found = look_back(policy, last, "default", NOW + EXPIRY + 60, never)
    assert (found.lines, found.standing.expired) == ((), "default#1")
    assert found.records(policy, 99) == ()
    assert last["sources"]["response"]["digest"] == digest_of("a")
