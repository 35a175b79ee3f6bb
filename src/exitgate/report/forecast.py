"""What ends a run next, found by asking the same engine about more iterations like the last one."""

from __future__ import annotations

from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import program_of
from exitgate.core.engine.stages import AFTER, BEFORE, FAILURE
from exitgate.core.model.decision import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]


ITERATIONS = "run.iterations"
#: How many iterations ahead are looked at, and how many of the numbers below are tried.
FARTHEST, TRIED = 3, 3
_LIMIT = f"{ITERATIONS} >= $"


def coming(policy: CompiledPolicy, decision: Decision, records: Records) -> tuple[int, Decision] | None:
    """
    Return after how many more iterations like this one the run ends, and the decision that ends it.

    None where the run has ended, or if none of the history forms under way ends it. Only the counter of
    iterations moves; the other facts stay as they are. Never raises.
    """
    if decision.is_exit or decision.stage not in (AFTER, FAILURE) or not records:
        return None
    program = program_of(policy)
    blind = program.blind_run(records) if decision.blind else None
    for more in _numbers(policy, decision, blind):
        later = (*records, *(_later(records[-1], n) for n in range(1, more + 1)))
        found = Evaluation.of_records(program, later).decide((decision.stage, BEFORE))
        if found.verdict == EXIT:
            return more, found
    return None


def ticks_left(policy: CompiledPolicy, decision: Decision, records: Records) -> int | None:
    """
    Return how many more of the open tasks must be done for the run to be complete, by the engine's word.

    The other facts stay as they are, but for those computed from the tasks. Tasks that a plan needs are
    done before optional ones. None where the run has ended, where the open tasks are unknown, and where the
    run would not be complete with all of them done. Never raises.
    """
    open_ = records[-1].get("tasks.open") if records else None
    if decision.is_exit or not isinstance(open_, int) or open_ < 1:
        return None
    program = program_of(policy)

    def completes(count: int) -> bool:
        later = program.complete((*records, _ticked(_later(records[-1], 1), count)))
        stage = decision.stage if decision.stage in (AFTER, FAILURE) else AFTER
        return Evaluation.of_records(program, later).decide((stage,)).exit_class == "complete"

    if not completes(open_):
        return None
    enough, too_few = open_, 0
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        enough, too_few = (middle, too_few) if completes(middle) else (enough, middle)
    return enough


def _ticked(record: Mapping[str, object], count: int) -> Mapping[str, object]:
    """Return a record in which so many more tasks are done, the facts of the checklist as it counts them."""
    done, open_, share = (record.get(f"tasks.{name}") for name in ("done", "open", "percent"))
    blocking = record.get("tasks.blocking_open")
    values: dict[str, object] = {}
    if isinstance(done, int) and isinstance(open_, int):
        values = {"tasks.done": done + count, "tasks.open": open_ - count}
        total = done + open_
        known = record.get("tasks.total")
        if isinstance(share, int | float) and share and done:
            total = max(round(100 * done / share), total)
        elif isinstance(known, int):
            total = max(known, total)
        if isinstance(share, int | float):
            values["tasks.percent"] = _share(done + count, total)
    if isinstance(blocking, int):
        values["tasks.blocking_open"] = left = max(blocking - count, 0)
        if isinstance(record.get("tasks.complete"), bool):
            values["tasks.complete"] = left == 0
    values = {name: value for name, value in values.items() if name in record}
    return record.with_values(values) if hasattr(record, "with_values") else {**record, **values}


def _share(done: int, total: int) -> int | float:
    """Return a percentage as the checklist computes it."""
    return 100 if done >= total else 100 * done // total if 100 * done % total == 0 else 100 * done / total


def iterations_left(policy: CompiledPolicy, used: int) -> int | None:
    """Return how many more iterations a plain limit of the policy allows, or None where it has none."""
    left = None
    for rule in policy.rules:
        if rule.effect == "exit" and rule.mode == "enforce" and rule.text.startswith(_LIMIT):
            parameter = policy.parameters.get(rule.text[len(_LIMIT) :])
            value = parameter.value if parameter is not None else None
            if isinstance(value, int) and (left is None or value - used < left):
                left = value - used
    return left


def _numbers(policy: CompiledPolicy, decision: Decision, blind: int | None) -> list[int]:
    """Return the smallest numbers of iterations after which a form under way would be complete."""
    found = set(_under_way(policy, decision))
    limit = policy.exit_after_blind
    if blind is not None and limit is not None:
        found.add(limit - blind)
    return sorted(n for n in found if 0 < n <= FARTHEST)[:TRIED]


def _under_way(policy: CompiledPolicy, decision: Decision) -> Iterator[int]:
    exits = {r.id for r in policy.rules if r.effect == "exit" and r.mode == "enforce"}
    for step in decision.steps:
        if step.pending and step.rule in exits:
            yield from (form.need - form.have for form in step.pending if not (form.is_first or form.of_time))


def _later(record: Mapping[str, object], more: int) -> Mapping[str, object]:
    used = record.get(ITERATIONS)
    values = {**record, ITERATIONS: used + more} if isinstance(used, int) else dict(record)
    return record.with_values(values) if hasattr(record, "with_values") else values
