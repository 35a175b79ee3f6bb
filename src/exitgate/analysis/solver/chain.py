"""The deciding rules of a stage: which of them wins, and what the stage tells besides."""

from __future__ import annotations

from exitgate.analysis.solver.flags import both, every, negated, some
from exitgate.analysis.walk.chain import deciding
from exitgate.model.verdict import CONTINUE, EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.flags import Flag
    from exitgate.policy.compiled import Rule

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
        found.setdefault(_told(rules[number] if number >= 0 else None, by_rule), []).append(flag)
    return {told: some(flags) for told, flags in found.items()}


def warnings(encoder: Encoder, stage: str) -> Mapping[str, Flag]:
    """Return where each rule of a stage that only warns does so, by its id."""
    return {
        rule.id: encoder.truth(rule.when, 0).yes
        for rule in encoder.policy.rules
        if rule.stage == stage and rule.mode != "shadow" and (rule.effect == "warn" or rule.mode == "warn")
    }


def _told(rule: Rule | None, by_rule: bool) -> tuple[object, ...]:
    if rule is None:
        return (CONTINUE, None, OTHERWISE, None)
    verdict = EXIT if rule.effect == "exit" else CONTINUE
    return (verdict, rule.exit_class, rule.outcome, rule.id if by_rule else None)
