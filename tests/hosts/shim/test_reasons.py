"""Words of the script for decisions: only a refused tool is called one, only what is complete is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.model.decision import CONTINUE, EXIT, Decision
from exitgate.core.policy.compile import load_policy
from exitgate.hosts.shim.state_files import REASONS, breaker_in_words, closed_breaker, reason_of

FOUR = "in 4 loops running"
CLASSES = (
    "complete", "idle", "blocked", "review", "stuck", "halted", "exhausted", "wait", "failed", "undetermined",
    "interrupted",
)  # fmt: skip


@given(exit_class=st.sampled_from(CLASSES), outcome=st.from_regex(r"[a-z_]{1,20}", fullmatch=True))
def test_no_success_and_no_refusal_is_made_up(exit_class: str, outcome: str) -> None:
    reason, halt = reason_of(Decision(EXIT, exit_class, outcome, None, "so"))
    assert bool(reason) != bool(halt), "an EXIT ends the loop in one way"
    if outcome in REASONS:
        assert reason == outcome
    elif exit_class == "complete":
        assert reason == "project_complete"
    else:
        assert halt == f"{outcome}: so"


def test_going_on_is_neither() -> None:
    assert reason_of(Decision(CONTINUE, None, "otherwise", None, "")) == ("", "")


@pytest.mark.parametrize(
    ("why", "state", "counted", "told"),
    [
        ("no_progress", "OPEN", 3, "no progress in 3 loops running"),
        ("no_progress", "OPEN", 1, "no progress in 1 loop running"),
        ("watch", "HALF_OPEN", 2, "no progress in 2 loops running, the breaker watches"),
        ("no_progress, same_error", "OPEN", 4, f"no progress {FOUR}; the same error {FOUR}"),
        ("same_error", "OPEN", 0, "the same error: errors.signature repeats $error_loops times"),
        ("release freeze, by hand", "OPEN", 3, "release freeze, by hand"),
        ("progress", "CLOSED", 0, "progress was made; the breaker is closed"),
    ],
)  # fmt: skip
def test_why_a_breaker_moved_is_a_sentence(why: str, state: str, counted: int, told: str) -> None:
    breaker = load_policy("guardrails").breaker
    assert breaker is not None
    counters = {**closed_breaker(0.0), "consecutive_no_progress": counted, "consecutive_same_error": counted}
    assert breaker_in_words(why, state, counters, breaker) == told
