"""`.ralph-session.json`: the iterations of the current run and what they brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import gmtime, strftime

from exitgate.core.ledger.line import RUN_START
from exitgate.core.model.decision import CONTINUE, EXIT, Decision
from exitgate.core.model.fact import Fact
from exitgate.core.model.json_object import JsonObject, number_of
from exitgate.core.model.value import Unknown
from exitgate.core.views.mapping import (
    COUNTED,
    SUMMED,
    decided,
    instant_of,
    number_in,
    plain_number,
    value_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Parameters = Mapping[str, object]


#: A file that has this key may be replaced.
MARK = "session_id"

#: How many different values of a fact are counted over a run; later ones are not.
KINDS_LIMIT = 20


def session(
    lines: Sequence[JsonObject], fields: Mapping[str, str], parameters: Parameters
) -> dict[str, object]:
    """
    Return the content of the view.

    Args:
        lines: The newest lines of the name, oldest first, at most 50 decisions; those of the last
            line's run count.
        fields: `tasks` names the number of tasks done by now, `completed` those that one iteration
            completed, `files` and `commits` what it changed and committed, `status` a text, `work` the
            kind of work; each may be missing.
        parameters: Effective values by name.

    Without `completed`, an iteration's tasks are those more than at the one before, or than when the
    run began. What is not known is null. Totals come from the line's `totals.sums` where it has them,
    else from the iterations shown. `session_id` is ``ralph-`` and when the run began, in UTC. With
    `work` there are two keys more: `work_type` of an iteration, `work_types` with a count of each.
    """
    run = lines[-1].get("run") if lines else None
    own = [line for line in lines if line.get("run") == run]
    decisions = decided(own)
    started = _started(own)
    content: dict[str, object] = {
        MARK: f"ralph-{started[:10]}-{started[11:19].replace(':', '')}" if started else run,
        "started_at": started,
        "iterations": [
            _iteration(line, tasks, fields, parameters)
            for line, tasks in zip(decisions, _tasks(own, decisions, fields, parameters), strict=True)
            if line.get("iteration") != 0  # how things were before the first iteration is not an iteration
        ],
        "total_tasks_completed": _total_tasks(decisions, fields, parameters),
        "total_files_modified": _total(decisions, fields.get("files"), parameters),
        "total_commits": _total(decisions, fields.get("commits"), parameters),
    }
    work = fields.get("work")
    return content if work is None else {**content, "work_types": _kinds(decisions, work)}


def sums_after(
    before: JsonObject, fields: Mapping[str, str], values: Mapping[str, object]
) -> dict[str, float]:
    """
    Return the sums over a run that its next line is to carry under `totals.sums`.

    Args:
        before: Totals of the run's newest line.
        fields: Of the session view.
        values: Values of the iteration by fact.

    Beside sums by fact there are counts by ``fact=value``.
    """
    known: Any = before.object("sums")
    sums: dict[str, float] = dict(known)
    for field in SUMMED:
        fact = fields.get(field)
        value = None if fact is None else number_of(values.get(fact))
        if fact is not None and value is not None:
            sums[fact] = sums.get(fact, 0) + value
    for field in COUNTED:
        fact = fields.get(field)
        kind = values.get(fact) if fact is not None else None
        key = f"{fact}={kind}"
        if isinstance(kind, str) and (key in sums or len(sums) < KINDS_LIMIT + len(SUMMED)):
            sums[key] = sums.get(key, 0) + 1
    return sums


def _iteration(
    line: JsonObject, tasks: float | None, fields: Mapping[str, str], parameters: Parameters
) -> dict[str, object]:
    decision = line.object("decision")
    shown: dict[str, object] = {
        "number": line.get("iteration"),
        "timestamp": _second(instant_of(line)),
        "status": _status(line, fields, parameters),
        "tasks_completed": tasks,
        "files_modified": number_in(line, fields.get("files"), parameters),
        "exit_decision": exit_decision(
            decision.get("verdict"), decision.get("class"), decision.get("outcome")
        ),
    }
    work = fields.get("work")
    return shown if work is None else {**shown, "work_type": value_in(line, work, parameters)}


def _tasks(
    own: Sequence[JsonObject],
    decisions: Sequence[JsonObject],
    fields: Mapping[str, str],
    parameters: Parameters,
) -> list[float | None]:
    """Return how many tasks each iteration completed."""
    if "completed" in fields:
        return [number_in(line, fields["completed"], parameters) for line in decisions]
    start = next((line for line in own if line.get("kind") == RUN_START), None)
    counts = [number_in(line, fields.get("tasks"), parameters) for line in decisions]
    begun = None if start is None else number_in(start, fields.get("tasks"), parameters)
    return [_more(now, before) for now, before in zip(counts, [begun, *counts], strict=False)]


def _status(line: JsonObject, fields: Mapping[str, str], parameters: Parameters) -> object:
    said = value_in(line, fields.get("status"), parameters)
    if said is not None:
        return said
    decision = line.object("decision")
    return str(decision.get("class")).upper() if decision.get("verdict") == EXIT else "IN_PROGRESS"


def _more(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else max(0, now - before)


def _total_tasks(
    decisions: Sequence[JsonObject], fields: Mapping[str, str], parameters: Parameters
) -> object:
    if "completed" in fields:
        return _total(decisions, fields["completed"], parameters)
    counts = [number_in(line, fields.get("tasks"), parameters) for line in decisions]
    return next((count for count in reversed(counts) if count is not None), None)


def _total(decisions: Sequence[JsonObject], fact: str | None, parameters: Parameters) -> object:
    if fact is None or not decisions:
        return None
    sums = _sums(decisions)
    if fact in sums:
        return sums[fact]
    known = [number_in(line, fact, parameters) for line in decisions]
    return sum(count for count in known if count is not None)


def _kinds(decisions: Sequence[JsonObject], fact: str) -> dict[str, object]:
    """Return the iterations of each kind, by kind, over the whole run."""
    start = f"{fact}="
    return {key[len(start) :]: n for key, n in sorted(_sums(decisions).items()) if key.startswith(start)}


def _sums(decisions: Sequence[JsonObject]) -> JsonObject:
    return decisions[-1].object("totals").object("sums") if decisions else JsonObject()


def _started(own: Sequence[JsonObject]) -> str | None:
    """Return when the run began, by what its lines say, to the second."""
    if not own:
        return None
    instant = own[-1].object("totals").number("started_at")
    if instant is None:
        return _second(instant_of(own[0]))

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(instant))


def _second(instant: str) -> str:
    """Return ISO 8601 without a fraction of its seconds."""
    whole, dot, _ = instant.partition(".")
    return f"{whole}Z" if dot else instant


# A decision as the analysis object that Ralph's executor reads.

#: Class of exit -> what the executor calls it; the others go by their outcome.
CALLED = {"complete": "project_complete", "blocked": "blocked"}

#: Keys behind `found`, each the fact of that name behind the prefix `status`.
FIELDS = (
    "status",
    "tasks_completed",
    "files_modified",
    "tests_status",
    "work_type",
    "exit_signal",
    "recommendation",
)

#: The rule, or the outcome of one, that tells a stuck loop by the last outputs.
STUCK = "stuck_loop_detected"


def analysis(decision: Decision, facts: Mapping[str, Fact], number: int, time: float) -> dict[str, object]:
    """
    Return the object, ready for `json.dumps`; the schema is `schemas/analysis.schema.json`.

    Args:
        decision: Decisions, by any policy.
        facts: By name. Those of `status`, `indicators.signals` (or `completion.signals`) and
            `circuit.state` are shown; one that the policy does not read, or that is unknown, is null.
        number: Of the iteration.
        time: Seconds since the epoch.
    """
    return {
        "timestamp": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(time)),
        "iteration": number,
        "ralph_status": {
            "found": _value(facts, "status.present"),
            **{field: _value(facts, f"status.{field}") for field in FIELDS},
        },
        "completion_indicators": _value(
            facts, "indicators.signals" if "indicators.signals" in facts else "completion.signals"
        ),
        "exit_decision": exit_decision(decision.verdict, decision.exit_class, decision.outcome),
        "stuck_loop_detected": is_stuck(decision),
        "circuit_breaker_state": _value(facts, "circuit.state"),
    }


def exit_decision(verdict: object, exit_class: object, outcome: object) -> str:
    """Return ``continue``, ``project_complete``, ``blocked``, or the outcome of any other exit."""
    if verdict == CONTINUE:
        return "continue"
    return CALLED.get(str(exit_class)) or str(outcome)


def is_stuck(decision: Decision) -> bool:
    """Return whether a rule named, or with the outcome, `STUCK` is true, or the run ends as stuck."""
    warned = any(one.rule == STUCK for one in decision.warnings)
    return warned or decision.outcome == STUCK or decision.exit_class == "stuck"


def _value(facts: Mapping[str, Fact], name: str) -> object:
    fact = facts.get(name)
    if fact is None or isinstance(fact.value, Unknown):
        return None
    return plain_number(fact.value)
