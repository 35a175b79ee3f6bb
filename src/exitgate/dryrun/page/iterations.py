"""Iterations to read: what the agent said, what was seen in it, what each policy made of that."""

from __future__ import annotations

from collections import Counter

from exitgate.dryrun.page.evidence import gathered, placed, read_names, shown_text
from exitgate.dryrun.page.grid import reasons
from exitgate.dryrun.page.moments import instant, span, usd
from exitgate.dryrun.page.rooms import cap
from exitgate.dryrun.page.segments import segments
from exitgate.dryrun.page.verdicts import stop_of, verdict
from exitgate.dryrun.page.view import Decision, Iteration
from exitgate.language.written import written
from exitgate.report.explanation import PENDING, names_of, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.dryrun.page.evidence import Shown
    from exitgate.dryrun.result import RunResult
    from exitgate.facts.mask import Mask
    from exitgate.model.decision import Step
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.recorded import RecordedIteration

    Steps = Sequence[Mapping[str, Step]]

#: Bytes for the responses of one run, and the least that each of them has.
ROOM, LEAST = 90_000, 400
#: Characters of a message or a condition, and of what is beside them.
MESSAGE, ASIDE = 360, 200
#: Names of tools, of files, of rules under way or not known that are listed.
NAMES = 5


def iterations(
    results: Sequence[RunResult],
    policies: Sequence[CompiledPolicy],
    steps: Sequence[Steps],
    columns: Sequence[int],
    mask: Mask,
    room: int = ROOM,
) -> tuple[Iteration, ...]:
    """Return the iterations of `columns`; long responses share `room` bytes."""
    recorded = {one.index: one for one in results[0].recorded}
    texts = {number: shown_text(recorded[number], mask) for number in columns}
    sizes = {number: _size(shown) for number, shown in texts.items()}
    most = cap(list(sizes.values()), room, LEAST)
    told = [steady(result) for result in results]
    read = [read_names(policy) for policy in policies]
    first: dict[str, int] = {}
    found = []
    for number in columns:
        shown = texts[number]
        said = shown.text.strip() if shown is not None else ""
        same = first.setdefault(said, number) if said else number
        kept = len(shown.text) * min(most, sizes[number]) // max(1, sizes[number]) if shown else 0
        decided = [
            (result.decided[at], names, _decisive(result, policy, at))
            for result, policy, names in zip(results, policies, read, strict=True)
            if (at := _at(result, number)) is not None
        ]
        spans, pieces, left = placed(gathered(decided), shown, mask)
        found.append(
            Iteration(
                number,
                _figures(recorded[number], results[0], number),
                tuple(
                    _decision(result, policy, of, at, mask, once)
                    for result, policy, of, once in zip(results, policies, steps, told, strict=True)
                    if (at := _at(result, number)) is not None
                ),
                shown.source if shown else "",
                segments(shown.text, spans, kept) if shown else (),
                _silent(recorded[number], shown),
                same if same != number else 0,
                pieces,
                left,
            )
        )
    return tuple(found)


def steady(result: RunResult) -> frozenset[str]:
    """Return the warnings that come with every decision of a run of several iterations."""
    if len(result.rows) < 2:
        return frozenset()
    return frozenset.intersection(*(frozenset(row.warnings) for row in result.rows))


def _size(shown: Shown | None) -> int:
    """Return how many bytes a text takes in the page."""
    if shown is None:
        return 0
    marks = sum(shown.text.count(mark) for mark in "<>&\"'")
    return len(shown.text.encode("utf-8", "replace")) + 4 * marks


def _at(result: RunResult, number: int) -> int | None:
    """Return where the decision on an iteration is; decisions are made from the first on, in order."""
    return number - 1 if number <= len(result.rows) else None


def _decisive(result: RunResult, policy: CompiledPolicy, at: int) -> frozenset[str]:
    rule = next((rule for rule in policy.rules if rule.id == result.rows[at].rule), None)
    return frozenset(names_of(rule.when, policy)) if rule is not None else frozenset()


def _silent(one: RecordedIteration, shown: Shown | None) -> str:
    if shown is None:
        return one.not_known.get("response", "the transcript does not record the response")
    return "" if shown.text.strip() else f"the {shown.source} is empty"


def _decision(
    result: RunResult, policy: CompiledPolicy, steps: Steps, at: int, mask: Mask, told: frozenset[str]
) -> Decision:
    row, decision = result.rows[at], result.decided[at].decision
    rules = {rule.id: rule for rule in policy.rules}
    condition = ""
    if row.rule is not None:
        seen = [one.record for one in result.decided[max(0, at - policy.lookback) : at + 1]]
        condition = written(rules[row.rule].when, seen, policy.values(), policy.conditions)
    under_way = [
        f"{id} {max(step.pending, key=lambda one: one.have / max(one.need, 1))}"
        for id, step in steps[at].items()
        if state_of(rules[id], step, decision) == PENDING
    ]
    would = {alternative.rule for alternative in decision.alternatives}
    unknown = [f"{step.rule}: {reasons(step)}" for step in decision.undetermined if step.rule in would]
    return Decision(
        result.policy,
        verdict(row, stop_of(result)),
        row.outcome,
        shortened(mask.mask(row.message), MESSAGE),
        row.rule or "",
        shortened(mask.mask(condition), MESSAGE),
        _bounded(row.alternatives),
        _bounded([shortened(mask.mask(text), ASIDE) for text in row.warnings if text not in told]),
        _bounded(under_way),
        tuple(shortened(mask.mask(text), ASIDE) for text in _bounded(unknown)),
    )


def _bounded(names: Sequence[str]) -> tuple[str, ...]:
    if len(names) <= NAMES:
        return tuple(names)
    return (*names[:NAMES], f"and {len(names) - NAMES} more")


def shortened(text: str, room: int) -> str:
    """Return at most `room` characters of a text, an ellipsis at the cut."""
    return text if len(text) <= room else text[: room - 1] + "…"


def _figures(one: RecordedIteration, result: RunResult, number: int) -> tuple[tuple[str, str], ...]:
    """Return what is known of an iteration beside its texts."""
    took = one.ended_at - one.started_at if one.ended_at is not None and one.started_at is not None else None
    tokens = result.rows[number - 1].tokens if number <= len(result.rows) else None
    where = one.provenance
    lines = f":{where.first}" if where.first else ""
    told = (
        ("began", instant(one.started_at)),
        ("took", span(took)),
        ("cost", usd(result.costs[number - 1])),
        ("tokens", f"{tokens:,}" if tokens is not None else ""),
        ("exit status", str(one.exit_status) if one.exit_status is not None else ""),
        ("error", (one.error_kind or "").replace("_", " ")),
        ("tools", _tools(one)),
        ("files", ", ".join(_bounded(tuple(dict.fromkeys(f.path for f in one.files_changed or ()))))),
        ("recorded in", f"{where.file}{lines}"),
    )
    return tuple((name, value) for name, value in told if value)


def _tools(one: RecordedIteration) -> str:
    called = Counter(call.name for call in one.tool_calls or () if call.own)
    return ", ".join(
        _bounded([f"{name} {count} times" if count > 1 else name for name, count in called.most_common()])
    )
