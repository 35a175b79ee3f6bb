"""On which inputs two policies decide differently: `decided`, by the boundary walk."""

from __future__ import annotations

from exitgate.analysis.diff.matching import meaning
from exitgate.analysis.results import comparison as sections
from exitgate.analysis.results.answer import UNDECIDED, together, undecided
from exitgate.analysis.results.comparison import Decided, Kind, Result, Unobservable
from exitgate.analysis.simulation import with_stand_ins
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.facts.registry import BUILT_IN
from exitgate.core.language.measure import facts_of
from exitgate.core.model.decision import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.analysis.results.answer import Answer
    from exitgate.analysis.results.comparison import Change, Run
    from exitgate.analysis.walk.search import Limits
    from exitgate.core.engine.program import Program
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Tell = Callable[[str], None]


#: What of an entry under `facts:` the walk sees through: the first word of a property.
COMPUTED = frozenset(("formula", "points", "signal", "because", "type", "min", "max", "doc"))


def _silent(_: str) -> None:
    """Report no progress."""


def decision_changes(
    before: CompiledPolicy, after: CompiledPolicy, limits: Limits, tell: Tell = _silent
) -> Decided:
    """
    Return every kind of input, facts of a run, on which the second policy decides otherwise than the first.

    A kind is a stage with the results of both: verdict, class and outcome. Only what follows from facts
    counts: how they are read, when the breaker moves and when silence ends a run is known from
    `invisible_changes`. The walk of each stage, and of each warning, may take `limits`. `tell` is given each
    before its walk.
    """
    from exitgate.analysis.diff.divergence import Divergence, count_differences, divergences, smallest_run
    from exitgate.core.engine.program import Program

    programs = Program(before), Program(after)
    kinds: list[Kind] = []
    every, points = True, 0
    rest: list[Answer] = []
    for stage in STAGES:
        if _chain(before, stage) == _chain(after, stage):
            continue
        tell(stage.replace("_", " "))
        found = divergences(before, after, stage, limits)
        question = Divergence(before, after, stage)
        looked = count_differences(question)
        examples = dict(found.examples)
        for pair, (_, run) in looked.pairs.items():
            examples.setdefault(pair, smallest_run(question, run, pair))
        for pair, run in examples.items():
            count = looked.pairs.get(pair, (0, run))[0]
            one, other = (result_of(program, run, stage) for program in programs)
            kinds.append(Kind(stage, one, other, run, count))
        rest.append(found.rest)
        every, points = every and looked.every, points + looked.points
    kinds.sort(key=lambda kind: (-kind.points, len(kind.run), STAGES.index(kind.stage)))
    warned, others = _warned(before, after, limits, programs, tell)
    only = _only(before, after), _only(after, before)
    return Decided(tuple(kinds), warned, together(rest), together(others), points, every, *only)


def invisible_changes(changes: Iterable[Change]) -> Unobservable:
    """Return what of the written changes may change decisions although facts do not show it."""
    reading: list[str] = []
    breaker: list[str] = []
    silence = False
    for one in changes:
        if one.section == sections.FACTS and (one.kind == sections.CHANGED or one.name in BUILT_IN):
            if any(detail.property.split()[0] not in COMPUTED for detail in one.details):
                reading.append(one.name)
        elif one.section == sections.CIRCUIT:
            breaker.append(one.name)
        elif one.section == sections.UNDETERMINED:
            silence = True
    return Unobservable(tuple(reading), tuple(breaker), silence)


def result_of(program: Program, run: Run, stage: str) -> Result:
    """Return what a policy decides at the end of a run of facts, by the engine; silence ends no run here."""
    policy = program.policy
    made = Evaluation.of_records(program, program.complete_all(with_stand_ins(policy, run))).decide((stage,))
    warnings = tuple(sorted({one.rule for one in made.warnings if one.rule is not None}))
    if made.rule is None:
        return Result("CONTINUE", None, "otherwise", None, warnings)
    return Result(made.verdict, made.exit_class, made.outcome, made.rule, warnings)


def decides(rule: Rule) -> bool:
    """Return whether a rule can make a decision."""
    return rule.effect != "warn" and rule.mode == "enforce"


def _chain(policy: CompiledPolicy, stage: str) -> list[tuple[object, ...]]:
    """Return the deciding rules of a stage with all that their conditions rest on."""
    return [
        (rule.effect, rule.exit_class, rule.outcome, meaning(policy, rule.when))
        for rule in policy.rules
        if rule.stage == stage and decides(rule)
    ]


def _warned(
    before: CompiledPolicy,
    after: CompiledPolicy,
    limits: Limits,
    programs: tuple[Program, Program],
    tell: Tell,
) -> tuple[tuple[Kind, ...], list[Answer]]:
    """Return an example for each warning that only one of the two gives, and what is said of the others."""
    from exitgate.analysis.walk.difference import Differ
    from exitgate.analysis.walk.queries import differ

    sides = [
        {r.id: r for r in policy.rules if not decides(r) and r.mode != "shadow"} for policy in (before, after)
    ]
    found: list[Kind] = []
    others: list[Answer] = []
    for id in dict.fromkeys((*sides[0], *sides[1])):
        rules = [side.get(id) for side in sides]
        told = [
            (r.stage, meaning(p, r.when)) if r is not None else None
            for p, r in zip((before, after), rules, strict=True)
        ]
        if told[0] == told[1]:
            continue
        alone = [
            policy.but(rules=(rule,) if rule is not None else (), exit_after_blind=None)
            for policy, rule in zip((before, after), rules, strict=True)
        ]
        tell(f"warning {id}")
        answer = differ(alone[0], alone[1], limits)
        if answer.run is not None:
            shown = Differ(before, after, answer.stage, False).shown(answer.run)
            if shown is None:
                answer = undecided("no run was found that gets there", answer.points)
            else:
                one, other = (result_of(program, shown, answer.stage) for program in programs)
                found.append(Kind(answer.stage, one, other, shown, 0))
                continue
        if answer.status == UNDECIDED:
            others.append(undecided(f"warning `{id}`: {answer.why}", answer.points))
        else:
            others.append(answer)
    return tuple(found), others


def _only(policy: CompiledPolicy, other: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts that rules of a policy read and that the other cannot have, sorted."""
    names: set[str] = set()
    for rule in policy.rules:
        names |= facts_of(rule.when, policy.conditions)
    for fact in policy.derived:
        for row in fact.rows:
            names |= facts_of(row.when, policy.conditions)
        if fact.formula is not None:
            names |= facts_of(fact.formula, policy.conditions)
    return tuple(sorted(names - other.facts.keys()))
