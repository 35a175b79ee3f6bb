"""From what a dry run found to what the page shows."""

from __future__ import annotations

from exitgate.dryrun.page import rooms
from exitgate.dryrun.page.charts import charts
from exitgate.dryrun.page.compared import compared, divergences
from exitgate.dryrun.page.cover import mask_of
from exitgate.dryrun.page.facts import facts
from exitgate.dryrun.page.grid import asked, grid, rule_anchor
from exitgate.dryrun.page.iterations import iterations, steady
from exitgate.dryrun.page.moments import counted, instant, span, usd
from exitgate.dryrun.page.spending import spending
from exitgate.dryrun.page.verdicts import SIGNS, stop_of, strip
from exitgate.dryrun.page.view import Page, Policy, Rule, Run
from exitgate.report.policy_page import effect_text, template_text
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.dryrun.labels import Label
    from exitgate.dryrun.result import DryRun, RunResult
    from exitgate.facts.mask import Mask
    from exitgate.policy.compiled import CompiledPolicy

#: Most iterations of one run that are shown.
MOST = 240
#: Iterations up to which a column has the width of this name.
_WIDTHS = ((12, "wide"), (24, "middle"), (36, "narrow"))
#: Problems of transcripts that are told.
REMARKS = 20


def page(
    found: DryRun, policies: Mapping[str, CompiledPolicy], labels: Mapping[str, Label] | None = None
) -> Page:
    """
    Return what the page shows.

    Args:
        found: Of a dry run that went to the end and kept everything.
        policies: By their names in the dry run.
        labels: Run's id -> its label.

    The runs where most is at stake come first: by what was spent after the earliest stop.
    """
    mask = mask_of(policies.values())
    groups: dict[str, list[RunResult]] = {}
    for result in found.results:
        groups.setdefault(result.run.id, []).append(result)
    ordered = sorted(groups.values(), key=_stake, reverse=True)
    runs = tuple(
        _run(number, group, [policies[result.policy] for result in group], (labels or {}).get(id), mask)
        for number, (id, group) in enumerate(((group[0].run.id, group) for group in ordered), 1)
    )
    told = [*found.notes, *map(str, (*found.unread, *found.problems))]
    if len(told) > REMARKS:
        told = [*told[:REMARKS], f"and {len(told) - REMARKS} more"]
    return Page(
        tuple(_policy(at, name, policy) for at, (name, policy) in enumerate(policies.items(), 1)),
        runs,
        tuple(mask.mask(text) for text in told),
        _signs(found.results),
    )


def _run(
    number: int,
    results: Sequence[RunResult],
    policies: Sequence[CompiledPolicy],
    label: Label | None,
    mask: Mask,
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
        iterations(results, policies, steps, columns, mask),
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


def _stake(results: Sequence[RunResult]) -> tuple[float, int]:
    return max(r.cost_after or 0.0 for r in results), max(r.after or 0 for r in results)


def _at_stake(results: Sequence[RunResult]) -> str:
    cost, after = _stake(results)
    return usd(cost) if cost else counted(after, "iteration") if after else ""


def _policy(number: int, name: str, policy: CompiledPolicy) -> Policy:
    return Policy(
        name,
        policy.version,
        policy.title,
        tuple((p.name, value_text(p.value, p.type), p.doc) for p in policy.parameters.values()),
        tuple(
            Rule(
                rule.id,
                rule_anchor(number, at),
                effect_text(rule),
                rule.text,
                template_text(rule.because),
            )
            for at, rule in enumerate(policy.rules, 1)
        ),
    )


def _signs(results: Sequence[RunResult]) -> tuple[tuple[str, str], ...]:
    """Return the signs that the page uses, each with its class."""
    used = {row.exit_class or "continue" for result in results for row in result.rows}
    return tuple((tone, sign) for tone, sign in SIGNS.items() if tone in used)
