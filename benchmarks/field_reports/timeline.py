"""From a report's inputs to iterations: texts, and given facts where no text says them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
    "loop.max_tokens": "max_tokens",
}

#: How the value of a parameter is written, where the report gives a bare number.
WRITTEN = {"cooldown": "{}m", "max_elapsed": "{}m", "max_cost": "{} USD"}

#: Neutral name -> fact of the current iteration, with the factor into its unit.
TOTALS = {
    "loop.cost": ("run.cost", 1),
    "loop.tokens": ("run.tokens", 1),
    "loop.elapsed_minutes": ("run.elapsed", 60),
}

#: Neutral names that are read below, each in its place.
READ = (
    "agent.exit_code",
    "agent.failures_before",
    "checklist.done_history",
    "circuit.opened_minutes_ago",
    "circuit.reason",
    "circuit.state",
    "git.available",
    "git.files_committed",
    "git.head_changed",
    "git.uncommitted",
    "git.untracked",
    "loop.iteration",
    "permission.denied_count",
    "previous_loop.permission_denied",
    "previous_run.signals",
    "progress.files_changed",
    "progress.no_progress_streak_before",
    "run.id",
)

FLAT = {"git.changed": False, "git.files_changed": 0, "git.commits": 0, "git.head_changed": False}


@dataclass(frozen=True)
class Moment:
    """One iteration: its texts by source, given facts, and the agent's exit status."""

    texts: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    agent_exit: int = 0


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
    state = report.state
    earlier = _earlier(report)
    now = {name: text for name, text in _texts(report).items() if text is not None}
    exit_status = int(state.get("agent.exit_code", 0))
    moments = (*earlier, Moment(now, _facts_now(report), exit_status))
    settings = {PARAMETERS[name]: value for name, value in state.items() if name in PARAMETERS}
    settings |= {name: WRITTEN[name].format(settings[name]) for name in WRITTEN if name in settings}
    known = (*PARAMETERS, *TOTALS, *READ)
    unread = tuple(name for name in state if name not in known)
    return Timeline(moments, settings, _breaker(state), state.get("loop.iteration"), unread)


def _texts(report: Report) -> dict[str, str | None]:
    return {"response": report.response, "plan": report.plan, "task": report.prompt}


def _earlier(report: Report) -> tuple[Moment, ...]:
    """Return the iterations before the current one, as long as the longest history that was given."""
    state = report.state
    done = list(state.get("checklist.done_history") or ())[:-1]
    flat = int(state.get("progress.no_progress_streak_before", 0))
    denied = bool(state.get("previous_loop.permission_denied"))
    shown = flat or "git.available" in state or "progress.files_changed" in state
    begins = flat + 1 if shown else 0  # how the working tree stood when the run began
    failures = int(state.get("agent.failures_before", 0))
    length = max(len(report.history), len(done), begins, int(denied), failures)
    moments = []
    for index in range(length):
        back = length - index  # 1 for the iteration before the current one
        texts = {"response": report.history[-back]} if back <= len(report.history) else {}
        facts: dict[str, Any] = {}
        if back <= len(done):
            facts |= _ticked(done[-back], report.plan)
        if shown:
            facts |= {**FLAT, "git.content": "before"}
        if denied and back == 1:
            facts |= {"denials.count": 1, "denials.blocking": True}
        moments.append(Moment(texts, facts, int(back <= failures)))
    return tuple(moments)


def _ticked(done: int, plan: str | None) -> dict[str, Any]:
    """Return the facts of a plan as it stood earlier: as many items as now, fewer of them done."""
    from exitgate.facts.checklist_items import markdown_items

    total = len(markdown_items(plan or "", {}, (), ())[0])
    return {
        "tasks.done": done,
        "tasks.total": total,
        "tasks.open": total - done,
        "tasks.blocking_open": total - done,
        "tasks.percent": 100 * done / total if total else None,
        "tasks.complete": done == total if total else None,
    }


def _facts_now(report: Report) -> dict[str, Any]:
    """Return what the report gives about the current iteration beside its texts."""
    state = report.state
    facts: dict[str, Any] = {}
    changed = state.get("progress.files_changed")
    if changed is not None:
        moved = {"git.changed": changed > 0, "git.files_changed": changed, "git.head_changed": False}
        facts |= {**moved, "git.commits": 0, "git.content": "now" if changed else "before"}
    if state.get("git.available"):
        count = sum(state.get(f"git.{name}", 0) for name in ("files_committed", "uncommitted", "untracked"))
        head = bool(state.get("git.head_changed"))
        facts |= {"git.changed": count > 0 or head, "git.files_changed": count, "git.head_changed": head}
        facts |= {"git.commits": int(head), "git.content": "now" if count else "before"}
    for name, (fact, factor) in TOTALS.items():
        if name in state:
            facts[fact] = state[name] * factor
    if "permission.denied_count" in state:
        facts["denials.count"] = state["permission.denied_count"]
        facts["denials.blocking"] = state["permission.denied_count"] > 0
    return facts


def _breaker(state: Mapping[str, Any]) -> tuple[str, str, float] | None:
    if "circuit.state" not in state:
        return None
    minutes = float(state.get("circuit.opened_minutes_ago", 0))
    return str(state["circuit.state"]), str(state.get("circuit.reason", "opened earlier")), minutes
