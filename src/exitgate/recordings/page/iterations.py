"""Iterations to read: what the agent said, what was seen in it, what each policy made of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.language.unparse import written
from exitgate.core.model.decision import Step
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.model import RecordedIteration
from exitgate.recordings.page import probes
from exitgate.recordings.page.calls import calls
from exitgate.recordings.page.cells import instant, span, stop_of, usd, verdict
from exitgate.recordings.page.evidence import Shown, evidence_of, placed, read_names, shown_text
from exitgate.recordings.page.grid import reasons
from exitgate.recordings.page.plans import plans
from exitgate.recordings.page.room import cap, shortened
from exitgate.recordings.page.view import Decision, Iteration, Segment
from exitgate.recordings.replay.result import RunResult
from exitgate.report.decision.explanation import PENDING, names_of, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.recordings.page.probes import Answered

Steps = Sequence[Mapping[str, Step]]
Span = tuple[int, int, int, bool]


#: Bytes for the responses of one run, and the least that each of them has.
ROOM, LEAST = 90_000, 400
#: Calls of tools have such a part of that beside the responses, and plans such a part.
CALLS, PLANS = 4, 8
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
    answers: Mapping[int, Sequence[Answered]] | None = None,
) -> tuple[Iteration, ...]:
    """Return the iterations of `columns`; long responses share `room` bytes. `answers` are of probes."""
    recorded = {one.index: one for one in results[0].recorded}
    texts = {number: shown_text(recorded[number], mask) for number in columns}
    sizes = {number: _size(shown) for number, shown in texts.items()}
    most = cap(list(sizes.values()), room, LEAST)
    told = [steady(result) for result in results]
    read = [read_names(policy) for policy in policies]
    called = calls([recorded[number] for number in columns], room // CALLS, mask)
    planned = plans(recorded, columns, policies, room // PLANS, mask)
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
        spans, pieces, left = placed(evidence_of(decided), shown, mask)
        found.append(
            Iteration(
                number,
                _figures(recorded[number], results[0], number, mask),
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
                *probes.shown((answers or {}).get(number, ()), mask),
                called.get(number),
                planned.get(number),
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


def _figures(
    one: RecordedIteration, result: RunResult, number: int, mask: Mask
) -> tuple[tuple[str, str], ...]:
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
    return tuple((name, mask.mask(value)) for name, value in told if value)


def _tools(one: RecordedIteration) -> str:
    called = Counter(call.name for call in one.tool_calls or () if call.own)
    return ", ".join(
        _bounded([f"{name} {count} times" if count > 1 else name for name, count in called.most_common()])
    )


# A text cut into stretches: what is evidence, what is not, and what is left out for length.

#: Characters around a piece of evidence that are shown where the text is not shown whole.
AROUND = 120
#: A gap shorter than this is not worth its note.
SHORTEST_GAP = 60


def segments(text: str, spans: Sequence[Span], room: int) -> tuple[Segment, ...]:
    """
    Return `text` in stretches, in order; together they hold at most about `room` characters.

    Args:
        text: The whole text.
        spans: Evidence within it, in any order, overlapping or not.
        room: Characters that may be shown. The end is kept first, then evidence, then the beginning.

    What is left out is a stretch of kind ``gap`` that says how much it is.
    """
    kept = _visible_ranges(len(text), spans, room)
    found: list[Segment] = []
    before = 0
    for start, end in kept:
        if start > before:
            found.append(_gap(text, before, start))
        found += _marked(text, start, end, spans)
        before = end
    if before < len(text):
        found.append(_gap(text, before, len(text)))
    return tuple(found)


def _visible_ranges(length: int, spans: Sequence[Span], room: int) -> list[tuple[int, int]]:
    """Return the ranges to show, in order and apart."""
    if length <= room:
        return [(0, length)] if length else []
    tail = room * 2 // 5
    ranges, left = [(length - tail, length)], room - tail - room // 4
    for start, end, _, _ in sorted(spans, key=lambda span: (not span[3], span[0])):
        around = (max(0, start - AROUND), min(length, min(end, start + room) + AROUND))
        if around[1] - around[0] > left:
            break
        left -= around[1] - around[0]
        ranges.append(around)
    ranges.append((0, room // 4 + max(0, left)))
    return _joined(ranges)


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start - joined[-1][1] < SHORTEST_GAP:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _marked(text: str, start: int, end: int, spans: Sequence[Span]) -> list[Segment]:
    """Return ``text[start:end]``, evidence set apart; one that counts outdoes one that does not."""
    inside = [(max(a, start), min(b, end), number, counts) for a, b, number, counts in spans]
    inside = [span for span in inside if span[0] < span[1]]
    cuts = sorted({start, end, *(a for a, *_ in inside), *(b for _, b, *_ in inside)})
    found = []
    for left, right in pairwise(cuts):
        over = [span for span in inside if span[0] <= left and right <= span[1]]
        kind = "text" if not over else "counted" if any(span[3] for span in over) else "refused"
        refs = tuple(sorted({span[2] for span in over if span[1] == right}))
        found.append(Segment(kind, text[left:right], refs))
    return found


def _gap(text: str, start: int, end: int) -> Segment:
    lines = text.count("\n", start, end)
    counted = f"{end - start:,} characters"
    return Segment("gap", f"{counted} in {lines:,} lines left out" if lines > 1 else f"{counted} left out")
