"""`.ralph-session.json`: the iterations of the current run and what they brought."""

from __future__ import annotations

from exitgate.gate.views.fields import decided, decision_in, instant_of, number_in, value_in
from exitgate.gate.views.mapping import SUMMED
from exitgate.ledger.line import RUN_START
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = Mapping[str, object]
    Parameters = Mapping[str, object]

#: A file that has this key may be replaced.
MARK = "session_id"


def session(lines: Sequence[Line], fields: Mapping[str, str], parameters: Parameters) -> dict[str, object]:
    """
    Return the content of the view.

    Args:
        lines: The newest lines of the name, oldest first, at most 50 decisions; those of the last
            line's run count.
        fields: `tasks` names the number of tasks done by now, `files` and `commits` what one
            iteration changed and committed, `status` a text; each may be missing.
        parameters: Effective values by name.

    An iteration's tasks are those more than at the one before, or than when the run began. What is
    not known is null. Totals of files and commits come from the line's `totals.sums` where it has
    them, else from the iterations shown.
    """
    run = lines[-1].get("run") if lines else None
    own = [line for line in lines if line.get("run") == run]
    decisions = decided(own)
    start = next((line for line in own if line.get("kind") == RUN_START), None)
    tasks = [number_in(line, fields.get("tasks"), parameters) for line in decisions]
    begun = None if start is None else number_in(start, fields.get("tasks"), parameters)
    iterations = [
        {
            "number": line.get("iteration"),
            "timestamp": instant_of(line),
            "status": _status(line, fields, parameters),
            "tasks_completed": _more(now, before),
            "files_modified": number_in(line, fields.get("files"), parameters),
            "exit_decision": str(decision_in(line).get("verdict")).lower(),
        }
        for line, now, before in zip(decisions, tasks, [begun, *tasks], strict=False)
    ]
    return {
        MARK: run,
        "started_at": _started(own),
        "iterations": iterations,
        "total_tasks_completed": next((count for count in reversed(tasks) if count is not None), None),
        "total_files_modified": _total(decisions, fields.get("files"), parameters),
        "total_commits": _total(decisions, fields.get("commits"), parameters),
    }


def sums_after(
    before: Mapping[str, object], fields: Mapping[str, str], values: Mapping[str, object]
) -> dict[str, float]:
    """
    Return the sums over a run that its next line is to carry under `totals.sums`.

    Args:
        before: Totals of the run's newest line.
        fields: Of the session view.
        values: Values of the iteration by fact.
    """
    known = before.get("sums")
    sums: dict[str, float] = dict(known) if isinstance(known, dict) else {}
    for field in SUMMED:
        fact = fields.get(field)
        value = values.get(fact) if fact is not None else None
        if fact is not None and isinstance(value, int | float) and not isinstance(value, bool):
            sums[fact] = sums.get(fact, 0) + value
    return sums


def _status(line: Line, fields: Mapping[str, str], parameters: Parameters) -> object:
    said = value_in(line, fields.get("status"), parameters)
    if said is not None:
        return said
    decision = decision_in(line)
    return str(decision.get("class")).upper() if decision.get("verdict") == EXIT else "IN_PROGRESS"


def _more(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else max(0, now - before)


def _total(decisions: Sequence[Line], fact: str | None, parameters: Parameters) -> object:
    if fact is None or not decisions:
        return None
    totals = decisions[-1].get("totals")
    sums = totals.get("sums") if isinstance(totals, dict) else None
    if isinstance(sums, dict) and fact in sums:
        return sums[fact]
    known = [number_in(line, fact, parameters) for line in decisions]
    return sum(count for count in known if count is not None)


def _started(own: Sequence[Line]) -> str | None:
    """Return when the run began, by what its lines say, to the second."""
    if not own:
        return None
    totals = own[-1].get("totals")
    instant = totals.get("started_at") if isinstance(totals, dict) else None
    if not isinstance(instant, int | float):
        return instant_of(own[0])
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(instant))
