"""
What else a decision could be: anything unknown may turn out to have any value.

A decision is firm where no value for any unknown changes its verdict or class. Two kinds of rules leave it
open: those whose condition is unknown, and those that came out as they did only because the policy says what
to take for the unknown (`or else`, `is unknown`, `nothing is known`, `first`, `last`, progress and the
breaker while something that moves them is unknown, points whose unknown rows add nothing).

A value that the policy declares under `unreadable:` counts as known: it was declared for that, and it gives
a warning. What the decision could be with another one is listed apart.
"""

from __future__ import annotations

from exitgate.model.decision import Alternative
from exitgate.model.value import Unknown
from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.engine.assumed import Assumed
    from exitgate.engine.ladder import Clause, Ladder

    Records = Sequence[Mapping[str, object]]
    #: Verdict and class.
    Result = tuple[str, str | None]
    #: Rule, verdict and class.
    Key = tuple[str, str, str | None]
    #: What it could be with these facts unknown.
    WithUnknown = Callable[[frozenset[str]], Sequence[Alternative]]

#: Facts among which those that an alternative needs are looked for; of more, all are named.
NEEDED = 8


def alternatives(
    ladder: Ladder,
    records: Records,
    truths: Sequence[object],
    winner: int,
    result: Result,
    ended: bool,
    otherwise: str,
    assumed: Assumed | None = None,
    unreadable: frozenset[str] = frozenset(),
) -> tuple[Alternative, ...]:
    """
    Return what the decision could be as well, each verdict and class once for each rule that leaves it open.

    Args:
        ladder: The rules.
        records: What they were asked over.
        truths: How they came out, at least up to the winner.
        winner: Index of the rule that decided, -1 for none.
        result: Verdict and class of the decision.
        ended: The run ends because nothing is readable; continue rules do not change that.
        otherwise: Outcome where no rule decides.
        assumed: Facts that are known only because the policy says what to take for the unknown.
        unreadable: Facts whose value under `unreadable:` counts as unknown.
    """
    limit = winner if winner >= 0 else len(truths)
    found: dict[tuple[str, Result], Alternative] = {}
    bare = records if assumed is None else assumed.without(records, unreadable)

    def strictly(index: int) -> object:
        """Return a rule's truth for all values of the unknown, None where it is the plain one."""
        test = ladder.strict(index) or (None if bare is records else ladder.clauses[index].test)
        return None if test is None else _settled(test(bare), ladder, index, bare)

    for index in range(limit):
        clause, truth = ladder.clauses[index], truths[index]
        if not clause.decides or clause.result == result or (ended and clause.result[0] == CONTINUE):
            continue
        if truth.__class__ is Unknown and _settled(truth, ladder, index, records) is not False:
            _add(found, clause, clause.result, clause.rule.outcome, False)
        elif strictly(index).__class__ is Unknown:
            _add(found, clause, clause.result, clause.rule.outcome, True)
    if winner >= 0 and strictly(winner) not in (None, True):
        for other, outcome in _behind(ladder, winner, bare, otherwise):
            if other != result:
                _add(found, ladder.clauses[winner], other, outcome, True)
    return tuple(found.values())


def _settled(truth: object, ladder: Ladder, index: int, records: Records) -> object:
    """Return a truth; False where the rule only lacks an earlier iteration: nothing can make it true now."""
    return False if truth.__class__ is Unknown and ladder.lacks_history(index, records) else truth


def if_readable(
    settled: Sequence[Alternative],
    records: Records,
    with_unknown: WithUnknown,
) -> tuple[Alternative, ...]:
    """
    Return what else the decision could be if facts had another value than theirs under `unreadable:`.

    Args:
        settled: What it could be with these values.
        records: What the decision was made over.
        with_unknown: Returns what it could be with these facts unknown.
    """
    names = frozenset().union(*(getattr(record, "stand_ins", ()) for record in records))
    known = set(map(_key, settled))
    found: dict[Key, Alternative] = {}
    for name in sorted(names):
        for one in with_unknown(frozenset((name,))):
            if _key(one) not in known:
                before = found.get(_key(one), one).unreadable
                found[_key(one)] = one.but(unreadable=(*before, name))
    for one in with_unknown(names) if len(names) > 1 else ():
        if _key(one) not in known and _key(one) not in found:
            found[_key(one)] = one.but(unreadable=tuple(sorted(_needed(one, names, with_unknown))))
    return tuple(found.values())


def _needed(one: Alternative, names: frozenset[str], with_unknown: WithUnknown) -> frozenset[str]:
    """Return those of `names` that have to be unknown together for an alternative."""
    for name in sorted(names) if len(names) <= NEEDED else ():
        if _key(one) in map(_key, with_unknown(names - {name})):
            names -= {name}
    return names


def _key(one: Alternative) -> Key:
    return one.rule, one.verdict, one.exit_class


def _add(
    found: dict[tuple[str, Result], Alternative], clause: Clause, result: Result, outcome: str, assumed: bool
) -> None:
    verdict, exit_class = result
    found[clause.rule.id, result] = Alternative(clause.rule.id, verdict, exit_class, outcome, assumed)


def _behind(ladder: Ladder, winner: int, records: Records, otherwise: str) -> Iterator[tuple[Result, str]]:
    """Yield what could decide if the winner did not, up to the first rule that would for certain."""
    for index in range(winner + 1, len(ladder.clauses)):
        clause = ladder.clauses[index]
        if not clause.decides:
            continue
        truth = _settled((ladder.strict(index) or clause.test)(records), ladder, index, records)
        if truth is not False:
            yield clause.result, clause.rule.outcome
        if truth is True:
            return
    yield (CONTINUE, None), otherwise
