"""Facts that a report gives by their neutral names, for the current iteration and for those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.field_reports.names import EXPRESSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

BEFORE = "_before"

#: Neutral name of a count of iterations in a row -> what each of them showed.
STREAKS: dict[str, dict[str, Any]] = {
    "completion.exit_signal_streak": {"status.present": True, "status.exit_signal": True},
    "idle.streak": {"output.length": 0},
    "permission.denied_streak": {"denials.count": 1, "denials.blocking": True},
    "questions.streak": {"questions.asked": True},
    "status_block.missing_streak": {"status.present": False},
    "tests.only_streak": {"tests.only": True},
}

#: Names of exit statuses that a report may give in words.
STATUSES = (("agent.interrupted", 130), ("agent.timed_out", 124), ("agent.error", 1))


def exit_status(state: Mapping[str, Any]) -> int | None:
    """Return the agent's exit status, by its number or in words; None where nothing is said."""
    if state.get("agent.exit_code") is not None:
        return int(state["agent.exit_code"])
    said = next((status for name, status in STATUSES if state.get(name) is True), None)
    sound = any(state.get(name) is False for name, _ in STATUSES)
    return 0 if said is None and sound else said


def fact_of(name: str) -> str | None:
    """Return the fact that a neutral name stands for, None for one that is computed or not there."""
    text = EXPRESSIONS.get(name, ("",))[0]
    return text if text and text.replace(".", "").replace("_", "").isalnum() else None


def now(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of the current iteration that the state gives under their neutral names."""
    skipped = {name for name, _ in STATUSES} | {"agent.exit_code", "circuit.state", "checklist.present"}
    named = {name: fact_of(name) for name in state if name not in skipped}
    return {fact: state[name] for name, fact in named.items() if fact is not None}


def earlier(state: Mapping[str, Any], back: int) -> dict[str, Any]:
    """Return the facts that the state gives of the iteration `back` before the current one, 1 the last."""
    facts: dict[str, Any] = {}
    for name, value in state.items():
        base = name.removesuffix(BEFORE)
        if base == name:
            continue
        if base in STREAKS and back <= int(value):
            facts |= STREAKS[base]
        elif back == 1 and (fact := fact_of(base)) is not None:
            facts[fact] = value
    return facts


def length(state: Mapping[str, Any]) -> int:
    """Return how many earlier iterations the state speaks of under `…_before`."""
    counts = [0]
    for name, value in state.items():
        base = name.removesuffix(BEFORE)
        if base == name:
            continue
        if base in STREAKS:
            counts.append(int(value))
        elif fact_of(base) is not None:
            counts.append(1)
    return max(counts)


def understood(name: str) -> bool:
    """Return whether `now` or `earlier` reads a name."""
    base = name.removesuffix(BEFORE)
    return fact_of(base) is not None or (base != name and base in STREAKS)
