"""Neutral fact names of reports and what they are called in the policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.value import Unknown

if TYPE_CHECKING:
    from benchmarks.field_reports.play import Played

#: Progress as it was seen; where nothing could be seen, what the agent says of it.
_MOVED = "(progress.made is unknown and @worked) or progress.made"

#: Neutral name -> expressions of the condition language over the policy's own facts, tried in order.
EXPRESSIONS: dict[str, tuple[str, ...]] = {
    "agent.error": (
        "(infrastructure.failed is known and infrastructure.failed)"
        " or (infrastructure.failed is unknown and infrastructure.kind is not NONE)",
    ),
    "agent.exit_code": ("run.agent_exit",),
    "agent.infra_error": ("infrastructure.kind is not NONE",),
    "agent.timed_out": ("infrastructure.timed_out",),
    "checklist.blocking_open": ("tasks.blocking_open",),
    "checklist.complete": ("tasks.complete",),
    "checklist.done": ("tasks.done",),
    "checklist.open": ("tasks.open",),
    "checklist.percent": ("tasks.percent",),
    "checklist.present": ("tasks.present",),
    "checklist.total": ("tasks.total",),
    "circuit.state": ("circuit.state",),
    "completion.detected": ("completion.found",),
    "completion.echoed": ("completion.echoed",),
    "completion.exit_signal_streak": ("streak(status.exit_signal is true)",),
    "completion.low_confidence_streak": ("streak(@low_confidence_claim)",),
    "completion.partial": ("completion.partial",),
    "completion.signal_count": ("completion.signals",),
    "confidence.certainty_words": ("confidence.certainties", "confidence.certain"),
    "confidence.explicit": ("confidence.explicit",),
    "confidence.hedges": ("confidence.hedges",),
    "confidence.negated": ("confidence.negated",),
    "errors.count": ("errors.count",),
    "errors.present": ("errors.present",),
    "idle.streak": ("streak(@idle)", "streak(@tiny_reply)"),
    "errors.signature": ("errors.signature",),
    "loop.detected": ("@looping", "signature repeats 3 times"),
    "loop.oscillation": ("cycles(signature, last 12) >= 2",),
    "loop.repeat_count": ("repeats(signature)",),
    "loop.window_repeat_count": ("occurrences(signature, last 5)",),
    "output.empty": ("output.empty",),
    "output.format": ("result.format",),
    "output.length": ("output.length",),
    "output.truncated": ("result.truncated",),
    "permission.blocking": ("denials.blocking",),
    "permission.denied": ("denials.denied",),
    "permission.denied_count": ("denials.count",),
    "progress.made": (_MOVED, "progress.made"),
    "progress.no_progress_streak": (
        f"streak(not ({_MOVED})) skipping (questions.asked or else false)",
        "streak(not progress.made) skipping (questions.asked or else false)",
        "streak(not progress.made)",
    ),
    "progress.stagnation_count": ("repeats(tasks.done) - 1",),
    "promise.found": ("promise.emitted",),
    "questions.asked": ("questions.asked",),
    "rate_limit.hit": ("infrastructure.limited",),
    "score.value": ("completion_confidence",),
    "status_block.confidence_label": ("status.confidence",),
    "status_block.contradictory": ("status.contradictory",),
    "status_block.count": ("status.count",),
    "status_block.exit_signal": ("status.exit_signal",),
    "status_block.files_modified": ("status.files_modified",),
    "status_block.found": ("status.present",),
    "status_block.missing_streak": ("streak(not status.present)",),
    "status_block.phase_complete": ("status.phase_complete",),
    "status_block.recommendation": ("status.recommendation",),
    "status_block.remaining_work": ("status.remaining_work",),
    "status_block.status": ("status.status",),
    "status_block.tasks_completed": ("status.tasks_completed",),
    "status_block.tests_status": ("status.tests_status",),
    "status_block.work_type": ("status.work_type",),
    "tests.failed": ("tests.failed",),
    "tests.only": ("tests.only",),
    "tests.only_streak": ("streak(tests.only)",),
    "tests.passed": ("tests.passed",),
    "tests.passing": ("tests.passing",),
    "tests.skipped": ("tests.skipped",),
}

#: Our reason code for a kind of exit -> reasons of the reports that it answers, by class and by outcome.
CLASSES: dict[str, frozenset[str]] = {
    "complete": frozenset(
        ("complete", "completed", "plan_complete", "project_complete", "completion_threshold", "done")
    ),
    "idle": frozenset(("stuck", "idle", "no_work", "nothing_left")),
    "blocked": frozenset(("blocked", "permission_denied", "needs_human", "questions", "question")),
    "review": frozenset(
        ("low_confidence", "manual_review", "review", "questions", "errors", "too_many_errors")
    ),
    "stuck": frozenset(
        (
            "stuck",
            "loop",
            "stagnation",
            "test_saturation",
            "oscillation",
            "no_progress",
            "idle",
            "stagnation_detected",
        )
    ),
    "halted": frozenset(("circuit_open", "circuit_breaker", "halted")),
    "exhausted": frozenset(
        ("limit", "limits", "budget", "exhausted", "max_iterations", "max_cost", "max_runtime", "max_tokens")
    ),
    "wait": frozenset(("rate_limit", "rate_limited", "usage_limit", "wait")),
    "failed": frozenset(
        (
            "infrastructure",
            "failed",
            "infra_error",
            "agent_error",
            "agent_failed",
            "failures",
            "consecutive_failures",
        )
    ),
    "interrupted": frozenset(("interrupted",)),
}


class NotThereError(Exception):
    """The policy has no such fact; the text says why."""


def read(name: str, played: Played) -> object:
    """Return the value of a neutral name, None for unknown. Raises `NotThereError`."""
    expressions = EXPRESSIONS.get(name)
    if expressions is None:
        raise NotThereError(f"nothing here is called {name}")
    said = ""
    for text in expressions:
        try:
            value = _value(text, played)
        except LanguageError as error:
            said = str(error)
            continue
        if isinstance(value, Unknown):
            return _at_least(text, played) if text.startswith("streak(") else None
        return value
    raise NotThereError(f"policy {played.program.policy.name} has no `{expressions[0]}`: {said}")


def _value(text: str, played: Played) -> object:
    policy = played.program.policy
    kinds = {parameter: one.type for parameter, one in policy.parameters.items()}
    node = check(parse(text), Scope(policy.facts, kinds, policy.conditions), None)
    return compile_node(node, policy.values(), policy.conditions)(played.records)


def _at_least(text: str, played: Played) -> int | None:
    """
    Return how long a streak is known to be; None when not even one iteration is.

    The iteration before the first that could tell is unknown, so the exact number is, too.
    """
    known = [n for n in range(1, len(played.records) + 1) if _value(f"{text} >= {n}", played) is True]
    return max(known, default=None)
