"""A breaker that a person opened stops every loop of the state directory, whatever the policy asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import some

from exitgate.core.gate import breaker_control
from exitgate.core.gate.check import check
from exitgate.core.policy import shipped
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

TEXTS = (
    "Moved two functions into a module of their own.",
    "Now the callers, one after the other.",
    "More callers.",
)


@pytest.mark.parametrize("policy", some(shipped.policies(), 5))
def test_it_stops_every_policy_until_it_is_reset(
    policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    state = str(tmp_path / "state")

    def ask(number: int) -> tuple[str | None, str]:
        texts = {"response": TEXTS[number], "plan": "- [ ] callers\n- [ ] tests\n"}
        decision = check(
            Request(policy=policy, texts=texts, state_dir=state, time=1e9 + 60 * number)
        ).decision
        return decision.exit_class, decision.message

    first = ask(0)
    breaker_control.trip(state, "the disk is being changed", 1e9 + 30)
    exit_class, message = ask(1)
    assert exit_class is not None
    if first[0] is None:
        assert exit_class == "halted"
        assert "the disk is being changed" in message
    breaker_control.reset(state, "changed", 1e9 + 90)
    assert "the disk" not in ask(2)[1]
    assert [one.difference for one in replay(state)] == [""] * 3


def test_one_that_opened_by_itself_is_the_policys_own_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exitgate.core.engine.breaker import BreakerState
    from exitgate.core.gate.breaker import stopped_by_hand
    from exitgate.core.model.decision import Decision

    going_on = Decision("CONTINUE", None, "otherwise", None, "")
    opened = BreakerState().opened("no_progress", 1e9)
    assert stopped_by_hand(going_on, opened) is going_on
    assert stopped_by_hand(going_on, BreakerState()) is going_on
    done = Decision("EXIT", "complete", "done", "done", "")
    assert stopped_by_hand(done, BreakerState().opened("x", 1e9, by_hand=True)) is done
