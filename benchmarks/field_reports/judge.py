"""Right or wrong: a report's answer beside a policy's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.field_reports.chosen import policy_of
from benchmarks.field_reports.names import CLASSES, NotThereError, read
from benchmarks.field_reports.play import play
from benchmarks.field_reports.special import SPECIAL
from benchmarks.field_reports.timeline import timeline_of

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.cache import recall_policy
from exitgate.core.policy.shipped import policies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.field_reports.cases import Report
    from benchmarks.field_reports.play import Played

    from exitgate.core.policy.compiled import CompiledPolicy

RIGHT, WRONG, NOT_JUDGED = "right", "wrong", "not judged"


@dataclass(frozen=True)
class Judged:
    """One expectation of a report: what it is about, the judgement, and in words what was wanted and got."""

    what: str
    judgement: str
    detail: str = ""


@dataclass(frozen=True)
class Scored:
    """A report with the policy it was scored with, what was decided, and every expectation."""

    report: Report
    policy: str
    decided: str
    parts: tuple[Judged, ...]

    @property
    def judgement(self) -> str:
        """`wrong` when any part is, `right` when all that could be judged are, else `not judged`."""
        judgements = {part.judgement for part in self.parts}
        if WRONG in judgements:
            return WRONG
        return RIGHT if RIGHT in judgements else NOT_JUDGED


def score(report: Report, override: str | None = None) -> Scored:
    """Return the report scored, with policy `override` where one is given."""
    name = override or policy_of(report)
    special = next(
        (make for key, make in SPECIAL.items() if key in report.other or key in report.state), None
    )
    if special is not None:
        parts = tuple(
            Judged(what, NOT_JUDGED, str(got)) if isinstance(got, Exception) else _compared(what, want, got)
            for what, want, got in special(report)
        )
        return Scored(report, name, "", parts)
    timeline = timeline_of(report)
    if override is None and name not in policies():
        return Scored(report, name, "", (Judged("policy", NOT_JUDGED, f"no policy `{name}` is shipped"),))
    try:
        policy, dropped = _loaded(name, timeline.settings)
    except ExitgateError as error:
        return Scored(report, name, "", (Judged("settings", WRONG, f"policy {name} refuses them: {error}"),))
    played = play(timeline, policy)
    decision = played.decision
    decided = " ".join(one for one in (decision.verdict, decision.exit_class, decision.outcome) if one)
    unread = tuple(Judged(name_, NOT_JUDGED, "given, and nothing here reads it") for name_ in timeline.unread)
    return Scored(
        report, name, decided, (*_decision(report, played), *_facts(report, played), *unread, *dropped)
    )


def _loaded(name: str, settings: Mapping[str, object]) -> tuple[CompiledPolicy, tuple[Judged, ...]]:
    """Return the policy with the settings that it has parameters for, and a remark on each it has not."""
    parameters = _policy(name, ()).parameters
    known = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in settings.items()
        if key in parameters
    }
    dropped = tuple(
        Judged(one, NOT_JUDGED, f"policy {name} has no such parameter")
        for one in settings
        if one not in parameters
    )
    return _policy(name, tuple(sorted(known.items()))), dropped


@cache
def _policy(name: str, settings: tuple[tuple[str, str], ...]) -> CompiledPolicy:
    return recall_policy(name, settings=dict(settings)).policy


def _decision(report: Report, played: Played) -> Iterator[Judged]:
    decision = played.decision
    got = f"{decision.verdict} {decision.exit_class or ''} by {decision.rule or 'no rule'}".replace("  ", " ")
    if report.decision is not None:
        wanted = "EXIT" if report.decision == "STOP" else "CONTINUE"
        judgement = RIGHT if decision.verdict == wanted else WRONG
        yield Judged("decision", judgement, f"wanted {wanted}, got {got}")
    if not report.reasons:
        return
    answers = {decision.outcome, *CLASSES.get(decision.exit_class or "", ())}
    # A reason without a decision may be said by a warning as well.
    said = answers.union(*({*CLASSES.get(w.rule or "", ()), w.rule} for w in decision.warnings))
    right = answers if report.decision is not None else said | _warned_classes(played)
    judgement = RIGHT if right.intersection(report.reasons) else WRONG
    yield Judged("reason", judgement, f"wanted {' or '.join(report.reasons)}, got {got}")


def _warned_classes(played: Played) -> set[str]:
    """Return what warnings answer: a warn rule has no class, but its outcome names one."""
    rules = {rule.id: rule for rule in played.program.policy.rules}
    warned = [rules[w.rule] for w in played.decision.warnings if w.rule in rules]
    return {rule.outcome for rule in warned}


def _facts(report: Report, played: Played) -> Iterator[Judged]:
    for name, want in report.expect.items():
        try:
            got = read(name, played)
        except NotThereError as error:
            yield Judged(name, NOT_JUDGED, str(error))
            continue
        yield _compared(name, want, got)


def _compared(name: str, want: object, got: object) -> Judged:
    return Judged(name, RIGHT if _same(want, got) else WRONG, f"wanted {want!r}, got {got!r}")


def _same(want: object, got: object) -> bool:
    if isinstance(want, bool) or isinstance(got, bool) or want is None or got is None:
        return want is got
    if isinstance(want, int | float) and isinstance(got, int | float):
        return round(float(got), 2) == round(float(want), 2)
    if isinstance(want, list):
        return isinstance(got, list | tuple) and list(got) == want
    return str(got).casefold() == str(want).casefold()
