"""A ledger replayed gives every decision again, byte for byte."""

from __future__ import annotations

import json
import os
import random

import pytest
from cases import EVERY

from exitgate.core.gate.check import check
from exitgate.core.ledger import read
from exitgate.core.ledger.runs import EXPIRY
from exitgate.core.policy import compile as compile_module
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import difference, replay

STATE = ".ralph/exitgate"
#: By chance, of each policy.
CHECKS = 90 if EVERY else 40

POLICY = """
policy: small
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 100, min: 1, doc: Share of ticked tasks that ends the run.}
facts:
  tasks: {extract: checklist, from: plan}
  progress: {extract: progress, signals: [tasks.done, output.length]}
  hope: {points: [{when: tasks.done > 0, add: 10}, {when: output.length > 5, add: 20}], range: [0, 100]}
circuit:
  open: [{id: flat, when: (not progress.made) for 3 consecutive iterations}]
  watch: not progress.made
  close: progress.made
  cooldown: 5m
rules:
  - {id: halted, when: circuit.state is OPEN, exit: halted, because: "{circuit.reason}"}
  - {id: done, when: tasks.percent >= $enough, exit: complete, because: "{tasks.done} of {tasks.total}"}
  - {id: stuck, when: tasks.done unchanged for 4 iterations, exit: stuck, because: nothing moved}
  - {id: hoped, when: "count(hope >= 20, last 5) >= 5", exit: review, because: "{hope}"}
  - {id: terse, when: output.length < 3, warn: true, because: "only {output.length}"}
  - {id: seen, when: streak(output.length > 4) >= 2, exit: idle, mode: shadow, because: long}
  - {id: budget, when: run.iterations >= 9, exit: exhausted, stage: before_iteration}
  - {id: failing, when: (run.failed) for 2 consecutive iterations, exit: failed, stage: after_failure}
  - {id: lately, when: "count(output.length > 5, last 20m) >= 4", exit: review, mode: shadow}
  - {id: still, when: tasks.open unchanged for 10m, warn: true, because: nothing moved in ten minutes}
  - {id: same, when: "count(output.length > 1, last 20 per tasks.current) >= 3", warn: true, because: again}
  - {id: thawed, when: progress.made is unknown, warn: true, because: nothing to compare with}
undetermined: {exit_after: 3}
otherwise: continue
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "small.yaml").write_text(POLICY)
    known = {}

    def once(reference, **more):
        key = (reference, str(more))
        if key not in known:
            known[key] = load_policy(reference, **more)
        return known[key]

    monkeypatch.setattr(compile_module, "load_policy", once)
    return tmp_path


def written(value):
    return json.dumps(value, separators=(",", ":"))


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def one_check(chance, now, policy="small.yaml"):
    """A check in circumstances drawn by chance: anything may be missing, empty, given or failed."""
    for path, content in (
        (".ralph/last-response.md", chance.choice((None, "", "ok", "All of it is done now, I am sure."))),
        (".ralph/@fix_plan.md", chance.choice((None, "no list", "- [x] a\n- [ ] b", "- [x] a\n- [x] b"))),
    ):
        if content is not None:
            put(path, content)
        elif chance.random() < 0.5 and os.path.exists(path):
            os.unlink(path)
    return check(
        Request(
            policy=policy,
            run=chance.choice(("one", "two")),
            agent_exit=chance.choice((None, 0, 1)),
            facts={"tasks.done": str(chance.randrange(3))} if chance.random() < 0.2 else {},
            stage=chance.choice((None, None, None, "before_iteration", "after_failure")),
            time=now,
        )
    )


@pytest.mark.parametrize("policy", ["small.yaml", "bb3", "bb3-faithful"])
def test_every_decision_comes_out_again(place, policy):
    chance = random.Random(policy)
    now, seen = 1_800_000_000.0, set()
    for _ in range(CHECKS):
        now += chance.choice((1.0, 60.5, -3000.0)) if chance.random() < 0.95 else EXPIRY + 60
        seen.add(one_check(chance, now, policy).decision.outcome)
    found = list(replay(STATE))
    assert [one.difference for one in found] == [""] * CHECKS
    for one in found:
        assert one.same
        assert written(one.decision) == written(one.line.plain["decision"])
    assert len(seen) >= 2, "too little happened"
    for count in (1, 7, CHECKS + 5):
        assert list(replay(STATE, newest=count)) == found[-count:]


def test_a_changed_line_is_told_with_the_place(place):
    put(".ralph/last-response.md", "going on with it")
    for _ in range(2):
        check(Request(policy="small.yaml"))
    path = os.path.join(STATE, "ledger.jsonl")
    with open(path) as file:
        raw = file.read()
    put(path, raw.replace('"outcome":"otherwise"', '"outcome":"because"'))
    first, second = replay(STATE)
    assert first.difference == '`decision.outcome` was `"because"`, now `"otherwise"`'
    assert not second.same


def test_a_changed_fact_that_was_computed_is_told(place):
    put(".ralph/last-response.md", "going on with it")
    check(Request(policy="small.yaml"))
    path = os.path.join(STATE, "ledger.jsonl")
    with open(path) as file:
        raw = file.read()
    assert '"o":"hope","b":[20,30]' in raw
    put(path, raw.replace('"b":[20,30]', '"b":[19,30]'))
    assert [one.difference for one in replay(STATE)] == ["fact `hope` has another value"]


def test_history_reads_the_bounds_that_were_recorded(place):
    for number in range(5):
        put(".ralph/last-response.md", "going on with it" + "." * number)
        decision = check(Request(policy="small.yaml")).decision
    assert decision.rule == "hoped", "points of at least 20 in each of five iterations"
    assert [one.difference for one in replay(STATE)] == [""] * 5


def test_a_stand_in_beside_a_blind_decision_comes_out_again(place):
    put(".ralph/circuit-state.json", "{garbage")
    put(".ralph/last-response.md", "going on with it")
    check(Request(policy="bb3"))
    os.unlink(".ralph/last-response.md")
    for _ in range(2):
        assert len(check(Request(policy="bb3")).decision.warnings) > 1
    assert [one.difference for one in replay(STATE)] == [""] * 3


def test_another_policy_decides_otherwise_and_says_where(place):
    put(".ralph/last-response.md", "going on with it")
    put(".ralph/@fix_plan.md", "- [x] a\n- [ ] b")
    check(Request(policy="small.yaml"))
    other = load_policy("small.yaml", settings={"enough": "50"})
    (one,) = replay(STATE, other)
    assert (one.decision["outcome"], one.same) == ("done", False)
    assert one.difference == '`decision.verdict` was `"CONTINUE"`, now `"EXIT"`'


def test_a_policy_that_is_not_kept_is_told_for_each_line(place):
    put(".ralph/last-response.md", "going on with it")
    check(Request(policy="small.yaml"))
    for name in os.listdir(os.path.join(STATE, "policies")):
        os.unlink(os.path.join(STATE, "policies", name))
    (one,) = replay(STATE)
    assert (one.decision, one.same) == (None, False)
    assert "is not at" in one.difference


def test_behind_a_damaged_line_history_ends_as_it_did_for_the_check(place):
    put(".ralph/@fix_plan.md", "- [x] a\n- [ ] b")
    path = os.path.join(STATE, "ledger.jsonl")
    for number in range(6):
        if number == 3:
            with open(path, "rb") as file:
                lines = file.read().splitlines(keepends=True)
            lines[-2] = b"x" * (len(lines[-2]) - 1) + b"\n"
            with open(path, "wb") as file:
                file.write(b"".join(lines))
        put(".ralph/last-response.md", "turn" + number * "x")
        check(Request(policy="small.yaml", run="one"))
    damages = []
    found = list(replay(STATE, damages=damages))
    assert [d.reason for d in damages] == ["it is damaged"]
    again = []
    assert list(replay(STATE, name="one", damages=again, newest=9)) == found
    assert [(d.number, d.reason) for d in again] == [(d.number, d.reason) for d in damages]
    assert [one.line.plain["iteration"] for one in found if one.line.plain["iteration"] > 3] == [4, 5, 6]
    assert all(one.same for one in found if one.line.plain["iteration"] > 3)
    assert all("damaged" not in one.difference for one in found)


def test_nothing_is_changed_by_a_replay(place):
    put(".ralph/last-response.md", "going on with it")
    check(Request(policy="small.yaml", run="one"))
    check(Request(policy="small.yaml", run="two"))
    before = list(read.lines(STATE))
    assert [one.line.plain["run"] for one in replay(STATE, name="two")] == ["two#1"]
    assert list(read.lines(STATE)) == before
    assert list(replay("nowhere")) == []


def test_the_first_difference_is_the_one_told():
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2.0}]}) == "`decision.a[1].b` was `2`, now `2.0`"
    assert difference({"a": 1, "b": 2}, {"b": 2, "a": 1}) != ""
    assert difference([1], [1, 2]) == "`decision` was `[1]`, now `[1,2]`"


def test_what_is_computed_from_a_fact_given_by_hand_comes_out_again(place):
    put(".ralph/last-response.md", "going on with it")
    checked = check(Request(policy="response-analyzer", facts={"output_quality": "90"}))
    assert checked.facts["confidence"].value == 38
    assert [one.difference for one in replay(STATE)] == [""]
