"""From one run under all policies to what the page shows of it."""

from __future__ import annotations

from exitgate.dryrun.page import rooms
from exitgate.dryrun.page.charts import charts
from exitgate.dryrun.page.compared import compared, divergences
from exitgate.dryrun.page.facts import facts
from exitgate.dryrun.page.grid import asked, grid
from exitgate.dryrun.page.iterations import ROOM, iterations, steady
from exitgate.dryrun.page.moments import counted, instant, span, usd
from exitgate.dryrun.page.spending import spending
from exitgate.dryrun.page.verdicts import stop_of, strip
from exitgate.dryrun.page.view import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.dryrun.labels import Label
    from exitgate.dryrun.result import RunResult
    from exitgate.facts.mask import Mask
    from exitgate.policy.compiled import CompiledPolicy

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
    columns = rooms.columns(run.iterations, anchors, MOST)
    steps = [asked(result, policy) for result, policy in zip(results, policies, strict=True)]
    moving, still = facts(results, policies, columns, mask)
    wanted = range(label.first or 0, (label.last or 0) + 1) if label is not None and not label.never else ()
    return Run(
        run.id,
        mask.mask(run.title),
        f"run-{number}",
        _figures(results[0]),
        columns,
        next((name for most, name in _WIDTHS if len(columns) <= most), "thin"),
        rooms.left_out(columns, run.iterations),
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
        iterations(results, policies, steps, columns, mask, room),
        _at_stake(results),
    )


def _figures(result: RunResult) -> tuple[tuple[str, str], ...]:
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
