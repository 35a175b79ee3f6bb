"""
Fifty-two situations in which real loops were stopped wrongly, or not at all: one input of our own for each.

The numbers are those under which the field knows them. Every YAML file here holds some; a situation is a run,
iteration by iteration, and what the policy must say at the end of it. `nudge` is CONTINUE with advice.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml
from cases import each

from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.model import PROCESS, Begin, Provenance, RecordedIteration, ToolCall, from_unwrapped
from exitgate.recordings.replay.replay import Extraction, Replay

HERE = Path(__file__).parent
START = 1_767_225_600.0
SITUATIONS = [
    {**one, "file": path.name}
    for path in sorted(HERE.glob("*.yaml"))
    for one in yaml.safe_load(path.read_text())
]
#: Told by other tests, since no policy decides them: what it is about, and the test.
ELSEWHERE = {
    16: ("tests/situations/test_situations.py", "test_an_empty_promise_is_refused"),
    24: ("tests/situations/test_situations.py", "test_every_run_is_bounded_whatever_a_host_does"),
    48: ("tests/recordings/readers/test_swe_agent.py", "exit_cost"),
}


def iterations(situation):
    """Return the iterations; `times: n` repeats one, with `{n}` in its texts counted, `{k}` in a call's."""
    found: list[RecordedIteration] = []
    for one in situation["iterations"]:
        for again in range(one.get("times", 1)):
            found.append(iteration(len(found) + 1, filled(one, again + 1)))
    return found


def filled(value, number, mark="{n}"):
    if isinstance(value, str):
        return value.replace(mark, str(number))
    if isinstance(value, list):
        return [filled(one, number, mark) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, number, mark) for name, one in value.items()}
    return value


def iteration(number, given):
    calls = None
    if "calls" in given:
        calls = tuple(
            ToolCall(
                c["tool"], filled(c.get("input", {}), again, "{k}"), filled(c.get("result", ""), again, "{k}")
            )
            for c in given["calls"]
            for again in range(1, c.get("times", 1) + 1)
        )
    where = Provenance("loop", number, number)
    parts = {
        "prompt": given.get("prompt"),
        "plan": given.get("plan"),
        "files": given.get("files"),
        "git": given.get("git"),
        "exit_status": given.get("exit_status", 0),
        "ended_at": START + 300 * number,
        "started_at": START + 300 * (number - 1),
    }
    response = given.get("response")
    if response is None:
        return RecordedIteration(number, where, tool_calls=calls, record=given.get("result"), **parts)
    found = unwrap(response)
    told = from_unwrapped(number, where, found, **parts)
    more = {"record": {**told.record, **given.get("result", {})}}
    return told.but(**more, **({} if calls is None else {"tool_calls": calls}))


@cache
def loaded(where, settings):
    return load_policy(where, settings=dict(settings))


def walk(situation):
    named = situation.get("policy", "recommended")
    where = str(HERE / "policies" / named) if named.endswith(".yaml") else named
    policy = loaded(where, tuple(situation.get("settings", {}).items()))
    begin = Begin("run", PROCESS, "loop", START)
    extraction, decide = Extraction(policy, begin), Replay(policy, begin)
    return [decide.step(extraction.step(one)).decision for one in iterations(situation)]


@each("situation", SITUATIONS, ids=lambda s: f"{s['number']}-{s['title'][:60]}")
def test_situation(situation):
    decisions = walk(situation)
    expect = situation["expect"]
    last = decisions[-1]
    shown = [
        (d.verdict, d.exit_class, d.rule, [w.rule for w in d.warnings if w.rule]) for d in decisions[-4:]
    ]
    verdict = "CONTINUE" if expect["verdict"] == "nudge" else expect["verdict"]
    assert last.verdict == verdict, shown
    # The stop stands where it belongs: nothing before the last iteration ends the run.
    assert all(d.verdict == "CONTINUE" for d in decisions[:-1]), shown
    if "class" in expect:
        assert last.exit_class == expect["class"], shown
    if "outcome" in expect:
        assert last.outcome == expect["outcome"], shown
    if expect["verdict"] == "nudge":
        assert last.advice, shown
    for rule in expect.get("warns", ()):
        assert rule in [w.rule for w in last.warnings], shown
    for rule in expect.get("silent", ()):
        assert all(rule not in [w.rule for w in d.warnings] for d in decisions), shown
    for text in expect.get("says", ()):
        told = " ".join([last.message, last.advice, last.escalation, *(w.message for w in last.warnings)])
        assert text in told
    if "retry" in expect:
        assert (last.retry_at is not None) is expect["retry"]
    if "shadow" in expect:
        assert expect["shadow"] in last.shadows


def test_every_situation_has_a_test():
    assert sorted({s["number"] for s in SITUATIONS} | set(ELSEWHERE)) == list(range(1, 53))


@pytest.mark.parametrize("number", sorted(ELSEWHERE))
def test_what_is_told_elsewhere_is_there(number):
    file, name = ELSEWHERE[number]
    assert name in (HERE.parents[1] / file).read_text()


def test_an_empty_promise_is_refused():
    """16: a stop phrase that is empty would be in every text."""
    with pytest.raises(ExitgateError) as caught:
        load_policy("recommended", settings={"promise": ""})
    assert caught.value.exit_code in (64, 65)


def test_every_run_is_bounded_whatever_a_host_does():
    """24: a host that asks again and again, whatever was said before, meets the bound."""
    policy = load_policy("recommended", settings={"max_iterations": "8"})
    begin = Begin("run", PROCESS, "loop", START)
    extraction, decide = Extraction(policy, begin), Replay(policy, begin)
    plan = "".join(f"- [{{}}] step {n}\n" for n in range(20))
    for number in range(1, 9):
        done = plan.format(*("x" if n < number else " " for n in range(20)))
        seen = iteration(number, {"response": f"Step {number} stands, with its tests.", "plan": done})
        decision = decide.step(extraction.step(seen)).decision
        assert (decision.exit_class == "exhausted") is (number == 8), (number, decision)
