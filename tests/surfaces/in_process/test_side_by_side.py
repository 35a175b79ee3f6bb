"""Runs in folders of their own are decided side by side, and none is told what another's agent said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from exitgate import Gate, Iteration

THREADS, TURNS = 4, 3
CLAIM = "Please stop when all tasks are complete."


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def turns(agent: int) -> list[Iteration]:
    """Half of the agents say again what their own task says, the others say the same unasked."""
    echo = agent % 2 == 1
    return [
        Iteration(
            f"Step {n} of agent {agent} is done.\n\n{CLAIM}\n" * (1 + agent),
            task=f"Task {agent}.{n}. {CLAIM if echo else 'Write a converter.'}",
            plan=f"- [x] a\n- [ ] b{n} of {agent}\n",
        )
        for n in range(TURNS)
    ]


def decided(agent: int) -> list[object]:
    gate = Gate("recommended", root=None)
    made = []
    for turn in turns(agent):
        decision = gate.check(turn)
        facts = gate._last.facts if gate._last is not None else {}
        told = {name: (str(f.value), f.evidence, f.rejected) for name, f in facts.items() if f.evidence}
        made.append((decision.verdict, decision.outcome, decision.advice, decision.warnings, told))
    return made


def test_threads_decide_as_one_after_the_other_would(place: Path, restless: None) -> None:
    alone = [decided(agent) for agent in range(THREADS)]
    assert len({str(one) for one in alone}) == THREADS
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(decided, range(THREADS))) == alone
