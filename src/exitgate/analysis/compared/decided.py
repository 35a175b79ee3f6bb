"""On which inputs two policies decide differently: `decided`, by the boundary walk."""

from __future__ import annotations

from exitgate.analysis.compared import change as sections
from exitgate.analysis.compared.decision import Decided, Kind, Result, Unseen
from exitgate.language.measure import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.analysis.ask import Answer, Limits
    from exitgate.analysis.compared.change import Change
    from exitgate.engine.program import Program
    from exitgate.policy.compiled import CompiledPolicy, Rule

#: Kinds of decisions that are told apart, and kinds in which warnings differ.
MOST, MOST_WARNED = 40, 200
#: Properties of an entry of facts that the walk cannot see through.
COMPUTED = ("formula", "points", "signal", "because", "type", "min", "max")


def decided(before: CompiledPolicy, after: CompiledPolicy, limits: Limits) -> Decided:
    """
    Return every kind of input, facts in a run, on which the second policy decides otherwise than the first.

    Only what follows from facts counts: how they are read, when the breaker moves and when silence ends a run
    is told by `unseen`. Each walk, over decisions and over warnings, may take `limits`.
    """
    only = (_only(before, after), _only(after, before))
    if same_on_facts(before, after):
        return Decided((), (), True, "", 0, *only)
    from exitgate.analysis.ask import FOUND, differences

    quiet = [policy.but(rules=_deciding(policy)) for policy in (before, after)]
    answers = differences(quiet[0], quiet[1], limits, MOST)
    kinds = _kinds([one for one in answers if one.status == FOUND], before, after)
    end, more = answers[-1], ""
    if end.status == FOUND or sum(one.status == FOUND for one in answers) >= MOST:
        more = f"more than {MOST} kinds differ"
    warned, why = _warned(before, after, limits)
    open_ = end.why or more or why
    return Decided(kinds, warned, end.exact and not open_, open_, end.points, *only)


def unseen(changes: Iterable[Change]) -> Unseen:
    """Return what of the written changes may change decisions although facts do not show it."""
    reading: list[str] = []
    breaker: list[str] = []
    silence = False
    for one in changes:
        if one.section == sections.FACTS and one.kind == sections.CHANGED:
            if any(detail.property.split()[0] not in COMPUTED for detail in one.details):
                reading.append(one.name)
        elif one.section == sections.CIRCUIT:
            breaker.append(one.name)
        elif one.section == sections.UNDETERMINED:
            silence = True
    return Unseen(tuple(reading), tuple(breaker), silence)


def same_on_facts(before: CompiledPolicy, after: CompiledPolicy) -> bool:
    """Return whether two policies have the same rules, so that no facts can make a difference."""
    return _core(before) == _core(after)


def _core(policy: CompiledPolicy) -> tuple[object, ...]:
    rules = [(r.effect, r.exit_class, r.outcome, r.mode, r.stage, r.when, r.id) for r in policy.rules]
    types = {name: str(spec.type) for name, spec in policy.facts.items()}
    return rules, policy.conditions, policy.derived, policy.values(), dict(policy.unreadable), types


def _deciding(policy: CompiledPolicy) -> tuple[Rule, ...]:
    return tuple(rule for rule in policy.rules if rule.effect != "warn" and rule.mode == "enforce")


def _kinds(answers: Sequence[Answer], before: CompiledPolicy, after: CompiledPolicy) -> tuple[Kind, ...]:
    from exitgate.engine.program import Program

    programs = Program(before), Program(after)
    found = [
        Kind(
            one.stage, _result(programs[0], one), _result(programs[1], one), tuple(one.run or ()), one.points
        )
        for one in answers
    ]
    return tuple(sorted(found, key=lambda kind: (-kind.points, len(kind.run))))


def _result(program: Program, answer: Answer) -> Result:
    """Return what a policy decides on an example, by the engine."""
    policy = program.policy
    run = [{**policy.unreadable, **values} for values in answer.run or ()]
    made = program.decide(program.complete_all(run), answer.stage)
    warnings = tuple(sorted({one.rule for one in made.warnings if one.rule is not None}))
    if made.rule is None and made.verdict == "EXIT":  # silence: the walk speaks of the rules without it
        return Result("CONTINUE", None, "otherwise", None, warnings)
    return Result(made.verdict, made.exit_class, made.outcome, made.rule, warnings)


def _warned(before: CompiledPolicy, after: CompiledPolicy, limits: Limits) -> tuple[tuple[Kind, ...], str]:
    """Return an example for each warning that only one of the two gives, and why there may be more."""
    from exitgate.analysis.ask import FOUND, differences

    sides = [[r for r in policy.rules if r not in _deciding(policy)] for policy in (before, after)]
    if not sides[0] and not sides[1]:
        return (), ""
    only_side = [policy.but(rules=tuple(rules)) for policy, rules in zip((before, after), sides, strict=True)]
    if same_on_facts(*only_side):
        return (), ""
    answers = differences(only_side[0], only_side[1], limits, MOST_WARNED)
    kinds = _kinds([one for one in answers if one.status == FOUND], *only_side)
    each: dict[tuple[str, str, bool], Kind] = {}
    for kind in sorted(kinds, key=lambda one: len(set(one.before.warnings) ^ set(one.after.warnings))):
        for rule in sorted({*kind.before.warnings} ^ {*kind.after.warnings}):
            each.setdefault((kind.stage, rule, rule in kind.after.warnings), kind)
    return tuple(dict.fromkeys(each.values())), answers[-1].why


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
