"""What must hold of BB3 whatever the texts and numbers are."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import record_of
from exitgate.core.facts import registry
from exitgate.core.model.decision import Decision
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

BOTH = pytest.mark.parametrize("name", ["bb3", "bb3-faithful"])


@cache
def program(name: str, *settings_: tuple[str, str]) -> Program:
    return Program(load_policy(name, settings=dict(settings_)))


def facts(name: str, **sources: str) -> dict[str, object]:
    """Return the values of all facts for these texts."""
    given_ = {
        n: Source(n, text=t, record=json.loads(t) if n == "circuit" else None) for n, t in sources.items()
    }
    iteration = Iteration(1, "test#1", 0.0, given_)
    found = [
        fact
        for e in program(name).policy.extractions
        for fact in registry.load(e.extractor).extract(e.prefix, e.source, e.options, iteration)
    ]
    record, _ = record_of(found, program(name).policy)
    return dict(record)


def decide(name: str, *iterations: dict[str, object]) -> Decision:
    return program(name).decide(iterations)


def record(
    done: int, total: int, confidence: object, errors: int, state: object = "CLOSED"
) -> dict[str, object]:
    percent: object = 100 * done / total if total else Unknown("no task items", "tasks.percent")
    complete: object = done == total if total else Unknown("no task items", "tasks.complete")
    return {
        "tasks.done": done, "tasks.total": total, "tasks.open": total - done, "tasks.percent": percent,
        "tasks.complete": complete, "confidence": confidence, "errors.count": errors, "circuit.state": state,
    }  # fmt: skip


def by_hand(row: dict[str, object], still: int, repaired: bool) -> str:
    """Return the rule that decides, written without the engine; `still`: steps without a tick."""
    percent, confidence = row["tasks.percent"], row["confidence"]
    if row["circuit.state"] == "OPEN":
        return "circuit_open"
    if repaired and row["tasks.complete"] is True:
        return "all_tasks_done"
    if not isinstance(percent, Unknown) and percent >= 80:  # type: ignore[operator]
        return "high_completion"
    if not isinstance(confidence, Unknown) and confidence < 70:  # type: ignore[operator]
        return "low_confidence"
    if row["errors.count"] > 5:  # type: ignore[operator]
        return "too_many_errors"
    return "stagnation" if still >= 3 else "otherwise"


ROWS = st.tuples(
    st.integers(0, 10),
    st.sampled_from([0, 1, 5, 10]),
    st.sampled_from([Unknown("none"), 0, 69, 70, 71, 90, 100]),
    st.sampled_from([0, 5, 6, 40]),
    st.sampled_from(["OPEN", "CLOSED", "HALF_OPEN"]),
).map(lambda r: record(min(r[0], r[1]), *r[1:]))


@BOTH
@given(rows=st.lists(ROWS, min_size=1, max_size=6), still=st.booleans())
@settings(max_examples=200, deadline=None)
def test_the_chain_is_the_seven_rules_in_order(name: str, rows: list[dict[str, object]], still: bool) -> None:
    if still:
        rows = [{**row, "tasks.done": rows[-1]["tasks.done"]} for row in rows]
    steps = 0
    for earlier in reversed(rows[:-1]):
        if earlier["tasks.done"] != rows[-1]["tasks.done"]:
            break
        steps += 1
    assert decide(name, *rows).outcome == by_hand(rows[-1], steps, repaired=name == "bb3")


@BOTH
@given(response=st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_response_is_graded_within_its_range(name: str, response: str) -> None:
    found = facts(name, response=response)
    confidence = found["confidence"]
    assert isinstance(confidence, Unknown) or 0 <= confidence <= 100  # type: ignore[operator]
    assert isinstance(found["errors.count"], int)
    assert decide(name, found).verdict in ("CONTINUE", "EXIT")


HEDGES = st.lists(st.sampled_from(["maybe", "might", "could", "approximately"]), max_size=6)
SURE = st.lists(st.sampled_from(["definitely", "assured", "guaranteed"]), max_size=6)


@given(hedges=HEDGES, sure=SURE, first=st.sampled_from(["", "confident", "probably"]))
@settings(max_examples=100, deadline=None)
def test_the_faithful_score_is_that_of_the_pseudo_code(
    hedges: list[str], sure: list[str], first: str
) -> None:
    words = [*hedges, *sure, first]
    start = {"": 50, "confident": 90, "probably": 60}[first]
    want = max(0, min(100, start - 10 * len(set(hedges)) + 10 * len(set(sure))))
    assert facts("bb3-faithful", response=" ".join(words))["confidence"] == want


@given(
    marks=st.lists(st.sampled_from(["[ ]", "[x]", "[X]"]), max_size=12),
    bullet=st.sampled_from(["-", "*", "+", "1."]),
)
@settings(max_examples=100, deadline=None)
def test_ticks_are_counted(marks: list[str], bullet: str) -> None:
    plan = "# Plan\n\n" + "".join(f"{bullet} {mark} task\n" for mark in marks)
    done = sum(mark != "[ ]" for mark in marks)
    found = facts("bb3", plan=plan)
    assert (found["tasks.total"], found["tasks.done"]) == (len(marks), done)
    plain = facts("bb3-faithful", plan=plan)
    seen = [mark for mark in marks if mark != "[X]"] if bullet == "-" else []
    assert (plain["tasks.total"], plain["tasks.done"]) == (len(seen), seen.count("[x]"))


@BOTH
@given(lines=st.lists(st.sampled_from(["I am confident.", "All done!", "0 errors", "- [x] a"]), max_size=5))
@settings(max_examples=50, deadline=None)
def test_no_response_outvotes_an_open_breaker(name: str, lines: list[str]) -> None:
    found = facts(
        name, response="\n".join(lines), plan="- [ ] a\n", circuit='{"state": "OPEN", "reason": "x"}'
    )
    decision = decide(name, found)
    assert (decision.rule, decision.exit_class, decision.firm) == ("circuit_open", "halted", True)


@BOTH
def test_silence_goes_on_and_says_so(name: str) -> None:
    decision = decide(name, facts(name))
    assert (decision.verdict, decision.blind, decision.firm) == ("CONTINUE", True, False)


def test_all_tasks_done_is_dead_in_the_faithful_form_only() -> None:
    for least in (1, 50, 80, 100):
        for total in (1, 2, 3, 7, 100):
            row = record(total, total, 90, 0)
            setting = ("min_completion", str(least))
            assert program("bb3-faithful", setting).decide([row]).rule == "high_completion"
            assert program("bb3", setting).decide([row]).rule == "all_tasks_done"


def test_the_longest_run_without_a_reason_to_stop_is_bounded_when_nothing_is_finished() -> None:
    """Ticking and unticking: the faithful form never stops, the repaired one at the ninth iteration."""
    rows = [record(n % 2, 5, 90, 0) for n in range(40)]
    stops = {
        name: [n for n in range(1, 41) if decide(name, *rows[:n]).verdict == "EXIT"]
        for name in ("bb3", "bb3-faithful")
    }
    assert stops["bb3-faithful"] == []
    assert stops["bb3"][0] == 9
