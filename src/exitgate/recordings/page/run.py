"""From one run under all policies to what the page shows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.json_object import whole_of
from exitgate.core.model.value import Unknown, micro
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.page.cells import counted, instant, span, stop_of, strip, usd, verdict
from exitgate.recordings.page.charts import charts, spending
from exitgate.recordings.page.evidence import read_names
from exitgate.recordings.page.grid import evaluated_steps, grid
from exitgate.recordings.page.iterations import ROOM, iterations, steady
from exitgate.recordings.page.probes import answers_of, totals_text
from exitgate.recordings.page.room import left_out, shown_columns
from exitgate.recordings.page.view import Compared, Divergence, FactRow, Run
from exitgate.recordings.replay.result import IterationRow, RunResult
from exitgate.recordings.scoring.labels import Label
from exitgate.report.wording import value_text

#: Most iterations of one run that are shown.
MOST = 240
#: Iterations up to which a column has the width of this name.
_WIDTHS = ((8, "roomy"), (12, "wide"), (24, "middle"), (36, "narrow"))


def run_view(
    number: int,
    results: Sequence[RunResult],
    policies: Mapping[str, CompiledPolicy],
    label: Label | None,
    mask: Mask,
    room: int = ROOM,
) -> Run:
    """
    Return what the page shows of one run.

    Args:
        number: Of the run on the page, from 1; its anchor.
        results: Of each policy, from a dry run that went to the end and kept everything.
        policies: By their names in the dry run.
        label: Where the run should have stopped, or None.
        mask: Hides secrets.
        room: Bytes for its responses.
    """
    mine = [policies[result.policy] for result in results]
    return _run(number, results, mine, label, mask, room)


def stake(results: Sequence[RunResult]) -> tuple[float, int]:
    """Return USD and iterations behind the earliest stop of any policy: what is at stake in a run."""
    return max(r.cost_after or 0.0 for r in results), max(r.after or 0 for r in results)


def _run(
    number: int,
    results: Sequence[RunResult],
    policies: Sequence[CompiledPolicy],
    label: Label | None,
    mask: Mask,
    room: int,
) -> Run:
    run = results[0].run
    stops = [stop for result in results if (stop := stop_of(result)) is not None]
    anchors = [*stops, *([label.first] if label is not None and label.first is not None else [])]
    columns = shown_columns(run.iterations, anchors, MOST)
    steps = [evaluated_steps(result, policy) for result, policy in zip(results, policies, strict=True)]
    moving, still = facts(results, policies, columns, mask)
    named = {result.policy: policy for result, policy in zip(results, policies, strict=True)}
    answers = answers_of(results[0].recorded, named)
    wanted = range(label.first or 0, (label.last or 0) + 1) if label is not None and not label.never else ()
    return Run(
        run.id,
        mask.mask(run.title),
        f"run-{number}",
        _figures(results[0], totals_text(answers)),
        columns,
        next((name for most, name in _WIDTHS if len(columns) <= most), "thin"),
        left_out(columns, run.iterations),
        tuple(compared(r, p, label, mask) for r, p in zip(results, policies, strict=True)),
        divergences(results, mask),
        _label_text(label),
        label.note if label is not None else "",
        frozenset(wanted),
        tuple(strip(result, columns) for result in results),
        spending(results, columns),
        charts(results, policies, columns),
        tuple(
            grid(r, p, columns, s, at)
            for at, (r, p, s) in enumerate(zip(results, policies, steps, strict=True), 1)
        ),
        moving,
        still,
        tuple((r.policy, mask.mask(text)) for r in results for text in sorted(steady(r))),
        iterations(results, policies, steps, columns, mask, room, answers),
        _at_stake(results),
    )


def _figures(result: RunResult, probes: str) -> tuple[tuple[str, str], ...]:
    run = result.run
    took = run.ended_at - run.started_at if run.ended_at is not None and run.started_at is not None else None
    ended = f"{run.how}: {run.why}" if run.how and run.why else run.how or run.why
    told = (
        ("iterations", f"{run.iterations:,}"),
        ("cost", usd(run.cost)),
        ("tokens", f"{run.tokens:,}" if run.tokens is not None else ""),
        ("began", instant(run.started_at)),
        ("took", span(took)),
        ("ended", ended or ""),
        ("probes", probes),
        ("format", f"{run.reader}, an iteration is a {run.granularity}"),
        ("file", run.file),
        ("sub-agent of", run.parent or ""),
    )
    return tuple((name, value) for name, value in told if value)


def _label_text(label: Label | None) -> str:
    if label is None:
        return ""
    classes = f", {' or '.join(label.classes)}" if label.classes else ""
    return "no stop is right" if label.never else f"right stop: {label.stop}{classes}"


def _at_stake(results: Sequence[RunResult]) -> str:
    cost, after = stake(results)
    return usd(cost) if cost else counted(after, "iteration") if after else ""


# Policies together on one run: where each stops, what comes after that, where they part.

RIGHT, EARLY, LATE, MISSED = "right", "premature", "late", "missed"
#: Pairs of policies whose ways part that one run tells.
PAIRS = 10


def compared(result: RunResult, policy: CompiledPolicy, label: Label | None, mask: Mask) -> Compared:
    """Return one policy's stop and what it would have meant."""
    stop = result.stop
    grade, meant = _graded(result, label) if label is not None else ("", _meant(result, policy))
    if stop is None:
        end = "says CONTINUE to the end of the recording"
        return Compared(result.policy, result.version, 0, None, "", end, "", "", meant, grade)
    after = counted(result.after or 0, "iteration")
    cell = verdict(stop, stop.iteration)
    rule, message = stop.rule or stop.outcome, mask.mask(stop.message)
    spent = usd(result.cost_after)
    return Compared(
        result.policy, result.version, stop.iteration, cell, rule, message, after, spent, meant, grade
    )


def divergences(results: Sequence[RunResult], mask: Mask) -> tuple[Divergence, ...]:
    """Return, for each pair of policies, the first iteration on which they do not agree."""
    found: dict[int, dict[str, tuple[str, IterationRow, int | None]]] = {}
    for pair in list(combinations(results, 2))[:PAIRS]:
        at = _parting(*pair)
        if at is not None:
            for one in pair:
                row = next(row for row in one.rows if row.iteration == at)
                found.setdefault(at, {})[one.policy] = (one.policy, row, stop_of(one))
    return tuple(
        Divergence(
            at,
            tuple((name, verdict(row, stop), mask.mask(row.message)) for name, row, stop in sides.values()),
        )
        for at, sides in sorted(found.items())
    )


def _parting(one: RunResult, other: RunResult) -> int | None:
    """Return the first iteration where two policies differ; behind a common stop nothing counts."""
    for mine, theirs in zip(one.rows, other.rows, strict=False):
        if (mine.verdict, mine.exit_class) != (theirs.verdict, theirs.exit_class):
            return mine.iteration
        if mine.iteration in (stop_of(one), stop_of(other)):
            return None
    return None


def _meant(result: RunResult, policy: CompiledPolicy) -> str:
    """Return what a stop would have saved, and what of the work came after it, where no label says more."""
    if result.stop is None or not result.after:
        return "nothing saved and nothing cut short"
    saved = counted(result.after, "iteration")
    cost = usd(result.cost_after)
    told = f"saves {saved}" + (f" and {cost}" if cost else "")
    more = _ticked_after(result, policy)
    if more is None:
        return told
    lost = f"cuts short {counted(more, 'ticked task')}" if more else "no task was ticked after it"
    return f"{told}; {lost}"


def _ticked_after(result: RunResult, policy: CompiledPolicy) -> int | None:
    """Return how many more tasks were done at the best moment after the stop; None without a task list."""
    prefixes = [entry.prefix for entry in policy.extractions if entry.extractor == "checklist"]
    stop = stop_of(result)
    if not prefixes or stop is None:
        return None
    name = f"{prefixes[0]}.done"
    rows = zip(result.rows, result.decided, strict=False)
    done = [(row.iteration, one.record.get(name)) for row, one in rows]
    known = [(at, count) for at, value in done if (count := whole_of(value)) is not None]
    before = [count for at, count in known if at <= stop]
    after = [count for at, count in known if at > stop]
    return max(0, max(after) - max(before)) if before and after else None


def _graded(result: RunResult, label: Label) -> tuple[str, str]:
    """Return how a stop is to the label, and in words."""
    stop, count = stop_of(result), result.run.iterations
    if label.never:
        if stop is None:
            return RIGHT, "continues, as labelled"
        return EARLY, f"cuts off {counted(count - stop, 'iteration')} of a run that should continue"
    assert label.first is not None
    assert label.last is not None
    if stop is None:
        return MISSED, f"{_wasted(result, label.last, count)} wasted"
    if stop < label.first:
        return EARLY, f"cuts off {counted(label.first - stop, 'iteration')} before the right stop"
    if stop > label.last:
        return LATE, f"{_wasted(result, label.last, stop)} wasted"
    assert result.stop is not None
    if label.classes and result.stop.exit_class not in label.classes:
        wanted = " or ".join(label.classes)
        return RIGHT, f"the right iteration, but as {result.stop.exit_class}; the label says {wanted}"
    return (
        RIGHT,
        f"saves {counted(count - stop, 'iteration')}" if count > stop else "stops where the run ended",
    )


def _wasted(result: RunResult, first: int, last: int) -> str:
    """Return what the iterations behind `first` up to `last` took."""
    costs = [cost for cost in result.costs[first:last] if cost is not None]
    told = counted(last - first, "iteration")
    return f"{told} and {usd(micro(sum(costs)))}" if costs else told


# Values of facts over the iterations, for the table beside the lines.

#: Characters of a value in a cell, and in the list of values that never changed.
CELL, ALONE = 24, 80


def facts(
    results: Sequence[RunResult],
    policies: Sequence[CompiledPolicy],
    columns: Sequence[int],
    mask: Mask,
) -> tuple[tuple[FactRow, ...], tuple[tuple[str, str], ...]]:
    """
    Return the facts that rules read: those that changed with a value for each of `columns`, and those that
    did not with their one value. Policies that see the same share a row.
    """
    seen: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for result, policy in zip(results, policies, strict=True):
        for name in sorted(read_names(policy)):
            values = tuple(_shown(result, policy, name, number, mask) for number in columns)
            seen.setdefault((name, values), []).append(result.policy)
    readers: dict[str, int] = {}
    for name, _ in seen:
        readers[name] = readers.get(name, 0) + 1
    rows: list[FactRow] = []
    still: list[tuple[str, str]] = []
    for (name, values), who in sorted(seen.items()):
        label = ", ".join(dict.fromkeys(who)) if readers[name] > 1 else ""
        if len(set(values)) == 1:
            still.append((f"{name} ({label})" if label else name, _cut(values[0], ALONE)))
        else:
            rows.append(FactRow(name, label, tuple(_cut(value, CELL) for value in values)))
    return tuple(rows), tuple(still)


def _shown(result: RunResult, policy: CompiledPolicy, name: str, number: int, mask: Mask) -> str:
    if number > len(result.decided):
        return ""
    value = result.decided[number - 1].record.get(name, Unknown("not recorded"))
    if isinstance(value, Unknown):
        return "unknown"
    spec = policy.facts.get(name)
    text = value_text(value, spec.type if spec is not None else None)
    return mask.mask(text)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
