"""From a report's inputs to iterations: texts, and given facts where no text says them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.field_reports import given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.field_reports.cases import Report

#: Neutral name -> parameter of the policy that takes its value.
PARAMETERS = {
    "promise.expected": "promise",
    "checklist.optional_sections": "optional_sections",
    "checklist.task_sections": "task_sections",
    "permission.allowed_tools": "allowed_tools",
    "loop.max_iterations": "max_iterations",
    "loop.min_iterations": "min_iterations",
    "circuit.cooldown_minutes": "cooldown",
    "loop.max_cost": "max_cost",
    "loop.max_minutes": "max_elapsed",
    "loop.max_cost_usd": "max_cost",
    "loop.max_elapsed_minutes": "max_elapsed",
    "loop.max_failures": "max_failures",
    "loop.max_runtime_minutes": "max_elapsed",
    "loop.max_runtime_seconds": "max_elapsed",
    "loop.max_seconds": "max_elapsed",
    "loop.max_tokens": "max_tokens",
    "circuit.no_progress_threshold": "stagnation_loops",
    "circuit.same_error_threshold": "error_loops",
    "idle.threshold": "idle_loops",
    "loop.repeat_threshold": "loop_repeats",
    "permission.allowed": "allowed_tools",
    "progress.stagnation_threshold": "stagnation_loops",
    "completion.threshold": "min_completion",
    "checklist.threshold": "min_completion",
    "confidence.threshold": "min_confidence",
    "errors.threshold": "max_errors",
    "errors.max": "max_errors",
    "tests.only_threshold": "test_loops",
}

#: How the value of a parameter is written, where the report gives a bare number.
WRITTEN = {"cooldown": "{}m", "max_elapsed": "{}m", "max_cost": "{} USD"}
SECONDS = "_seconds"

#: Bounds for which 0 is the report's way to say that there is none.
BOUNDS = ("max_cost", "max_elapsed", "max_failures", "max_iterations", "max_tokens")

#: Neutral name -> fact of the current iteration, with the factor into its unit.
TOTALS = {
    "loop.cost": ("run.cost", 1),
    "loop.tokens": ("run.tokens", 1),
    "loop.cost_usd": ("run.cost", 1),
    "loop.elapsed_minutes": ("run.elapsed", 60),
    "loop.elapsed_seconds": ("run.elapsed", 1),
    "loop.runtime_minutes": ("run.elapsed", 60),
    "loop.runtime_seconds": ("run.elapsed", 1),
}

#: Neutral names of how often something held in a row, this iteration included -> the one before it.
INCLUSIVE = {
    "agent.consecutive_failures": "agent.failures_before",
    "agent.failure_streak": "agent.failures_before",
    "loop.consecutive_failures": "agent.failures_before",
}

#: Neutral names that are read below, each in its place.
READ = (
    "agent.error",
    "agent.exit_code",
    "agent.failures_before",
    "agent.interrupted",
    "agent.timed_out",
    "checklist.done_before",
    "checklist.done_history",
    "circuit.consecutive_no_progress",
    "circuit.opened_minutes_ago",
    "circuit.reason",
    "circuit.state",
    "git.available",
    "git.files_committed",
    "git.head_changed",
    "git.uncommitted",
    "git.uncommitted_before",
    "git.untracked",
    "git.untracked_before",
    "loop.iteration",
    "permission.denied_count",
    "previous_loop.permission_denied",
    "previous_run.signals",
    "progress.files_changed",
    "progress.no_progress_streak_before",
    "progress.stagnation_count_before",
    "run.id",
)
#: Beginnings of names that tell of what must not carry over, so that there is nothing to read.
LEFT_OVER = ("previous_loop.", "previous_run.")

FLAT = {"git.changed": False, "git.files_changed": 0, "git.commits": 0, "git.head_changed": False}


@dataclass(frozen=True)
class Moment:
    """One iteration: its texts by source, given facts, and the exit status, None where not known."""

    texts: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    agent_exit: int | None = None


@dataclass(frozen=True)
class Timeline:
    """
    What a report asks about.

    Args:
        moments: Oldest first, the current iteration last.
        settings: Parameter -> value.
        breaker: State, reason and minutes since it opened, or None for a breaker that never moved.
        number: Number of the current iteration, or None to count the moments.
        unread: Neutral names that nothing here understands.
    """

    moments: tuple[Moment, ...]
    settings: Mapping[str, Any]
    breaker: tuple[str, str, float] | None = None
    number: int | None = None
    unread: tuple[str, ...] = ()


def timeline_of(report: Report) -> Timeline:
    """Return the iterations of a report."""
    state = _plain(report.state)
    earlier = _earlier(report, state)
    now = {name: text for name, text in _texts(report).items() if text is not None}
    moments = (*earlier, Moment(now, _facts_now(state), given.exit_status(state)))
    known = (*PARAMETERS, *TOTALS, *READ)
    unread = tuple(
        name
        for name in state
        if name not in known and not given.understood(name) and not name.startswith(LEFT_OVER)
    )
    return Timeline(moments, _settings(state), _breaker(state), state.get("loop.iteration"), unread)


def _plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state with counts that include this iteration, given as those before it."""
    plain = dict(state)
    for name, before in INCLUSIVE.items():
        if name in plain:
            plain.setdefault(before, max(0, int(plain.pop(name)) - 1))
    if "circuit.consecutive_no_progress" in plain:
        plain.setdefault("progress.no_progress_streak_before", plain["circuit.consecutive_no_progress"])
    return plain


def _settings(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameter -> value as it is written; a bound of 0 is none, and the policy's own holds."""
    settings: dict[str, Any] = {}
    for name, value in state.items():
        parameter = PARAMETERS.get(name)
        if parameter is None or (parameter in BOUNDS and value == 0):
            continue
        form = WRITTEN.get(parameter, "")
        if form and name.endswith(SECONDS):
            form = form.replace("m", "s")
        settings[parameter] = form.format(value) if form else value
    return settings


def _texts(report: Report) -> dict[str, str | None]:
    return {"response": report.response, "plan": report.plan, "task": report.prompt}


def _earlier(report: Report, state: Mapping[str, Any]) -> tuple[Moment, ...]:
    """Return the iterations before the current one, as long as the longest history that was given."""
    done = _done(report, state)
    flat = int(state.get("progress.no_progress_streak_before", 0))
    denied = bool(state.get("previous_loop.permission_denied"))
    seen = bool(state.get("git.available", True))
    shown = seen and (flat or "git.available" in state or "progress.files_changed" in state)
    begins = flat + 1 if shown else flat  # how the working tree stood when the run began
    failures = int(state.get("agent.failures_before", 0))
    length = max(len(report.history), len(done), begins, int(denied), failures, given.length(state))
    moments = []
    for index in range(length):
        back = length - index  # 1 for the iteration before the current one
        texts = {"response": report.history[-back]} if back <= len(report.history) else {}
        facts = given.earlier(state, back)
        if back <= len(done):
            facts |= _ticked(done[-back], report.plan)
        if shown:
            facts |= {**FLAT, "git.content": "before"}
        if denied and back == 1:
            facts |= {"denials.count": 1, "denials.blocking": True}
        moments.append(Moment(texts, facts, 1 if back <= failures else None))
    return tuple(moments)


def _done(report: Report, state: Mapping[str, Any]) -> list[int]:
    """Return how many items of the plan were done in earlier iterations, oldest first."""
    if "checklist.done_history" in state:
        return list(state["checklist.done_history"])[:-1]
    if "checklist.done_before" in state:
        return [int(state["checklist.done_before"])]
    flat = int(state.get("progress.stagnation_count_before", 0))
    if not flat:
        return []
    from exitgate.core.facts.plans.items import DONE, markdown_items

    items = markdown_items(report.plan or "", {}, (), ())[0]
    return [sum(item.state == DONE for item in items)] * (flat + 1)


def _ticked(done: int, plan: str | None) -> dict[str, Any]:
    """Return the facts of a plan as it was earlier: as many items as now, fewer of them done."""
    from exitgate.core.facts.plans.items import markdown_items

    total = len(markdown_items(plan or "", {}, (), ())[0])
    return {
        "tasks.done": done,
        "tasks.total": total,
        "tasks.open": total - done,
        "tasks.blocking_open": total - done,
        "tasks.percent": 100 * done / total if total else None,
        "tasks.complete": done == total if total else None,
    }


def _facts_now(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the report gives about the current iteration beside its texts."""
    facts = given.now(state)
    changed = state.get("progress.files_changed")
    if changed is not None or state.get("git.available"):
        facts |= _tree(state, changed)
    for name, (fact, factor) in TOTALS.items():
        if name in state:
            facts[fact] = state[name] * factor
    if "permission.denied_count" in state:
        facts["denials.blocking"] = state["permission.denied_count"] > 0
    return facts


def _tree(state: Mapping[str, Any], changed: int | None) -> dict[str, Any]:
    """
    Return the facts of the working tree: what was committed, and what is dirty that was not before.

    A count of changed files that the report gives is the count, regardless of the rest of the report.
    """
    head = bool(state.get("git.head_changed"))
    committed = int(state.get("git.files_committed", head))
    dirty = sum(
        abs(int(state.get(name, 0)) - int(state.get(f"{name}{given.BEFORE}", 0)))
        for name in ("git.uncommitted", "git.untracked")
    )
    count = committed + dirty if changed is None else changed
    return {
        "git.changed": count > 0 or head,
        "git.files_changed": count,
        "git.head_changed": head,
        "git.commits": int(head),
        "git.content": "now" if count else "before",
    }


def _breaker(state: Mapping[str, Any]) -> tuple[str, str, float] | None:
    if "circuit.state" not in state:
        return None
    minutes = float(state.get("circuit.opened_minutes_ago", 0))
    return str(state["circuit.state"]), str(state.get("circuit.reason", "opened earlier")), minutes
