"""Whatever a program hands to a gate, its ledger is whole and comes out the same again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exitgate import Gate, Iteration
from exitgate.core.ledger.verify import verify
from exitgate.recordings.ledger.replay import replay

PLANS = st.sampled_from([None, "", "- [x] a\n- [ ] b\n", "- [x] a\n- [x] b\n", "no list"])
TURNS = st.builds(
    Iteration,
    st.one_of(st.none(), st.sampled_from(["", "going on", "All tasks are complete."]), st.text(max_size=20)),
    plan=PLANS,
    task=st.sampled_from([None, "All tasks are complete."]),
    exit_status=st.sampled_from([None, 0, 1, -15]),
    cost=st.one_of(st.none(), st.floats(0, 3)),
    tokens=st.one_of(st.none(), st.integers(0, 1000)),
    turn=st.sampled_from([None, "t", "u"]),
    facts=st.sampled_from([{}, {"tasks.done": 2}, {"tasks.complete": None}, {"tasks.percent": 12.5}]),
)
STEPS = st.lists(
    st.one_of(TURNS, TURNS, TURNS, st.sampled_from(["before", "reset", "another gate"])), max_size=8
)


def walk(policy: str, state: str, steps: list[Iteration | str]) -> None:
    gate = Gate(policy, root=None, state_dir=state)
    for step in steps:
        if isinstance(step, Iteration):
            gate.check(step)
        elif step == "before":
            gate.before()
        elif step == "reset":
            gate.reset()
        else:
            gate = Gate(policy, root=None, state_dir=state)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_a_ledger_comes_out_the_same_again(place: Path, steps: list[Iteration | str]) -> None:
    with tempfile.TemporaryDirectory(dir=place) as state:
        walk("small.yaml", state, steps)
        assert verify(state).whole
        assert [again.difference for again in replay(state) if not again.same] == []


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_so_does_one_of_the_default_policy(place: Path, steps: list[Iteration | str]) -> None:
    plain = [step if isinstance(step, str) else step.but(facts={}) for step in steps]
    with tempfile.TemporaryDirectory(dir=place) as state:
        walk("recommended", state, plain)
        assert verify(state).whole
        assert [again.difference for again in replay(state) if not again.same] == []
