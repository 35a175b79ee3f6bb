"""What must have come of the iterations before the last one: the run went on."""

from __future__ import annotations

from exitgate.analysis.played import RUN
from exitgate.analysis.solver.flags import both, either, every, negated, some
from exitgate.analysis.solver.logic import silent
from exitgate.analysis.solver.terms import Truth
from exitgate.analysis.space.reach import reach
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.first import AFTER, BEFORE, FAILURE, SUSPENDING
from exitgate.engine.record import FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.flags import Flag
    from exitgate.policy.compiled import Rule


def went_on(encoder: Encoder, odd: Flag) -> Flag:
    """
    Return where no iteration before the last one ends a run.

    Of a run that may be older than the iterations written out, a rule that looks further back can be
    anything. While `odd` is true, iterations can have failed although no fact tells, and silence can have
    been interrupted.
    """
    length = encoder.world.length
    each = [either(negated(encoder.world.there(at)), _lasts(encoder, at, odd)) for at in range(1, length)]
    return every((*each, *_speaks(encoder, odd)))


def _lasts(encoder: Encoder, at: int, odd: Flag) -> Flag:
    """Return where the stages asked after an iteration let the run go on."""
    policy = encoder.policy
    failed = _failed(encoder, at)
    parts: list[Flag] = []
    suspended: list[Flag] = []
    for stage in (AFTER, FAILURE, BEFORE):
        rules = deciding(policy, stage)
        if all(rule.effect != "exit" for rule in rules):
            continue
        flag, suspends = _goes_on(encoder, rules, at)
        suspended.append(suspends)
        if stage == BEFORE:
            parts.append(either(flag, some(suspended)))
        elif failed is not None:
            parts.append(either(failed if stage == AFTER else negated(failed), flag))
        elif stage == AFTER:
            parts.append(either(odd, flag))
    return every(parts)


def _goes_on(encoder: Encoder, rules: Sequence[Rule], at: int) -> tuple[Flag, Flag]:
    """Return where the first true rule of a stage, if any, lets the run go on, and where it suspends it."""
    world = encoder.world
    older = world.there(world.length - 1)
    found: list[Flag] = []
    suspended: list[Flag] = []
    none_before: Flag = True
    for rule in rules:
        true = encoder.truth(rule.when, at).yes
        if at + reach(encoder.policy, rule.when) >= world.length:
            free = world.fresh(f"{rule.id} of an older run", "Bool")
            true = either(both(older, free), both(negated(older), true))
        if rule.effect != "exit" or rule.exit_class in SUSPENDING:
            found.append(both(none_before, true))
            suspended += found[-1:] if rule.effect == "exit" else []
        none_before = both(none_before, negated(true))
    return some((*found, none_before)), some(suspended)


def _speaks(encoder: Encoder, odd: Flag) -> list[Flag]:
    """Return that as many iterations in a row are never silent as would end the run."""
    limit = encoder.policy.exit_after_blind
    if limit is None:
        return []
    tells = any(extraction.prefix == RUN for extraction in encoder.policy.extractions)
    blind = []
    for at in range(encoder.world.length):
        failed = _failed(encoder, at) if tells else None
        heard = (negated(failed),) if failed is not None else ()
        blind.append(every((encoder.world.there(at), silent(encoder, at), *heard)))
    suspends = any(rule.exit_class in SUSPENDING for rule in encoder.policy.rules)
    found = [negated(every(blind[at : at + limit])) for at in range(1, encoder.world.length - limit + 1)]
    return [either(odd, flag) for flag in found] if suspends else found


def _failed(encoder: Encoder, at: int) -> Flag | None:
    """Return where the agent is known to have failed, or None where no fact tells."""
    if FAILED not in encoder.policy.facts:
        return None
    term = encoder.fact(FAILED, at)
    return term.yes if isinstance(term, Truth) else None
