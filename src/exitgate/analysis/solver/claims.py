"""What a question claims of a run, written out."""

from __future__ import annotations

from exitgate.analysis.solver.terms import both, every, negated, same, some
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.core.model.decision import CONTINUE, EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.terms import Flag
    from exitgate.core.language.tree import Node

    #: From the encoders of the policies asked about to where the answer is yes.
    Claim = Callable[[Sequence[Encoder]], Flag]
    from collections.abc import Mapping

    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.terms import Flag
    from exitgate.core.policy.compiled import Rule


def condition(wanted: Sequence[tuple[Node, int]]) -> Claim:
    """Return the claim that each condition has one of the truths wanted of it, as bits of `walk.gates`."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        parts: list[Flag] = []
        for node, bits in wanted:
            truth = encoders[0].truth(node, 0)
            found = {TRUE: truth.yes, FALSE: truth.no, UNKNOWN: negated(truth.known)}
            parts.append(some(flag for bit, flag in found.items() if bits & bit))
        return every(parts)

    return claim


def winner(stage: str, number: int | None, also: Node | None) -> Claim:
    """Return the claim that a deciding rule of a stage wins, and that a condition is true besides."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        if number is None:
            return False
        more = encoders[0].truth(also, 0).yes if also is not None else True
        return both(wins(encoders[0], stage, number), more)

    return claim


def result(stage: str, wanted: Collection[int], given: Node | None) -> Claim:
    """Return the claim that one of certain rules wins, -1 for none, and that `given` is true."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        first = encoders[0].truth(given, 0).yes if given is not None else True
        return both(first, decided(encoders[0], stage, wanted))

    return claim


def difference(stage: str, by_rule: bool) -> Claim:
    """Return the claim that two policies come to different results, or warn differently."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        one, other = (results(encoder, stage, by_rule) for encoder in encoders)
        told = {*one, *other}
        apart = [negated(same(one.get(key, False), other.get(key, False))) for key in sorted(told, key=repr)]
        ours, theirs = (warnings(encoder, stage) for encoder in encoders)
        ids = sorted({*ours, *theirs})
        return some((*apart, *(negated(same(ours.get(id, False), theirs.get(id, False))) for id in ids)))

    return claim


# The deciding rules of a stage: which of them wins, and what the stage tells besides.

OTHERWISE = "otherwise"


def winners(encoder: Encoder, stage: str, at: int = 0) -> dict[int, Flag]:
    """Return for each deciding rule of a stage, and -1 for none of them, where it wins."""
    found: dict[int, Flag] = {}
    none_before: Flag = True
    for number, rule in enumerate(deciding(encoder.policy, stage)):
        true = encoder.truth(rule.when, at).yes
        found[number] = both(none_before, true)
        none_before = both(none_before, negated(true))
    found[-1] = none_before
    return found


def wins(encoder: Encoder, stage: str, number: int) -> Flag:
    """Return where one deciding rule of a stage wins; those behind it are not looked at."""
    rules = deciding(encoder.policy, stage)
    before = [negated(encoder.truth(rule.when, 0).yes) for rule in rules[:number]]
    return every((*before, encoder.truth(rules[number].when, 0).yes))


def decided(encoder: Encoder, stage: str, wanted: Collection[int], at: int = 0) -> Flag:
    """Return where one of the wanted rules wins."""
    return some(flag for number, flag in winners(encoder, stage, at).items() if number in wanted)


def results(encoder: Encoder, stage: str, by_rule: bool) -> Mapping[tuple[object, ...], Flag]:
    """Return where the stage comes to each result: verdict, class, outcome, and the rule if asked for."""
    rules = deciding(encoder.policy, stage)
    found: dict[tuple[object, ...], list[Flag]] = {}
    for number, flag in winners(encoder, stage).items():
        found.setdefault(_result_parts(rules[number] if number >= 0 else None, by_rule), []).append(flag)
    return {told: some(flags) for told, flags in found.items()}


def warnings(encoder: Encoder, stage: str) -> Mapping[str, Flag]:
    """Return where each rule of a stage that only warns does so, by its id."""
    return {
        rule.id: encoder.truth(rule.when, 0).yes
        for rule in encoder.policy.rules
        if rule.stage == stage and rule.mode != "shadow" and (rule.effect == "warn" or rule.mode == "warn")
    }


def _result_parts(rule: Rule | None, by_rule: bool) -> tuple[object, ...]:
    if rule is None:
        return (CONTINUE, None, OTHERWISE, None)
    verdict = EXIT if rule.effect == "exit" else CONTINUE
    return (verdict, rule.exit_class, rule.outcome, rule.id if by_rule else None)
