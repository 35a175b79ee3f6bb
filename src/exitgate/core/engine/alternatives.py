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

from operator import is_

from exitgate.core.engine.breaker import FACTS
from exitgate.core.engine.record import DerivedFact, Record
from exitgate.core.language.evaluation.unknowns import STAND_IN, asks
from exitgate.core.language.measure import facts_of, lookback
from exitgate.core.model.decision import CONTINUE, Alternative
from exitgate.core.model.value import Unknown, Value
from exitgate.core.policy.points import ADD_NOTHING, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.core.engine.chain import RuleChain, Truths

    Records = Sequence[Mapping[str, object]]
    #: Verdict and class.
    Result = tuple[str, str | None]
    #: Rule, verdict and class.
    Key = tuple[str, str, str | None]
    #: What it could be with these facts unknown.
    WithUnknown = Callable[[frozenset[str]], Sequence[Alternative]]
    from collections.abc import Mapping, Sequence

    from exitgate.core.engine.breaker import Moved, States
    from exitgate.core.facts.extractors.progress import Remembered
    from exitgate.core.policy.compiled import CompiledPolicy, Derived


_TRUE = frozenset((True,))
#: Facts among which those that an alternative needs are looked for; of more, all are named.
NEEDED = 8


class Otherwise(Value):
    """
    What decides where no rule does.

    Args:
        outcome: The policy's own.
        silence: Verdict and class if the run ends because nothing is readable; None where it would not.
        ended: It did end for that.
        readable: Facts of which one, if it were known, would end the silence.
    """

    __slots__ = ("ended", "outcome", "readable", "silence")

    def __init__(
        self,
        outcome: str,
        silence: tuple[str, str] | None = None,
        ended: bool = False,
        readable: frozenset[str] = frozenset(),
    ) -> None:
        self.outcome = outcome
        self.silence = silence
        self.ended = ended
        self.readable = readable


def alternatives(
    ladder: RuleChain,
    records: Records,
    truths: Truths,
    winner: int,
    result: Result,
    otherwise: Otherwise,
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
        otherwise: What decides where no rule does.
        assumed: Facts that are known only because the policy says what to take for the unknown.
        unreadable: Facts whose value under `unreadable:` counts as unknown.
    """
    limit = winner if winner >= 0 else len(truths)
    found: dict[tuple[str, Result], Alternative] = {}
    bare = records if assumed is None else assumed.without(records, unreadable)

    def possible(index: int) -> frozenset[bool | None]:
        """Return what a rule could come out as."""
        truth = truths[index]
        if isinstance(truth, bool) and bare is records and ladder.strict(index) is None:
            return frozenset((truth,))
        return ladder.outcomes(index, bare)

    for index in ladder.open_to_doubt(truths, limit) if bare is records else range(limit):
        clause = ladder.clauses[index]
        others = [one for one in _results(ladder, index, (index,), otherwise) if one[0] != result]
        if others and clause.decides and True in possible(index):
            for other, outcome in others:
                _add(found, clause.rule.id, other, outcome, truths[index].__class__ is not Unknown)
    if otherwise.ended:  # any fact that can be read would have counted
        rule = ladder.clauses[winner].rule if winner >= 0 else None
        _add(
            found, rule.id if rule is not None else otherwise.outcome, (CONTINUE, None),
            rule.outcome if rule is not None else otherwise.outcome, True,
        )  # fmt: skip
    if winner >= 0 and possible(winner) != _TRUE:
        for other, outcome in _behind(ladder, winner, bare, otherwise):
            if other != result:
                _add(found, ladder.clauses[winner].rule.id, other, outcome, True)
    return tuple(found.values())


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
    found: dict[tuple[str, Result], Alternative], rule: str, result: Result, outcome: str, assumed: bool
) -> None:
    verdict, exit_class = result
    found[rule, result] = Alternative(rule, verdict, exit_class, outcome, assumed)


def _results(
    ladder: RuleChain, index: int, filled: Sequence[int], otherwise: Otherwise
) -> Iterator[tuple[Result, str]]:
    """Yield what the decision is if a rule decides because those of `filled` have come out otherwise."""
    clause = ladder.clauses[index]
    yield clause.result, clause.rule.outcome
    if clause.result[0] == CONTINUE:
        yield from _silent(ladder, filled, otherwise)


def _silent(ladder: RuleChain, filled: Sequence[int], otherwise: Otherwise) -> Iterator[tuple[Result, str]]:
    """Yield the end for silence where rules can come out otherwise although nothing becomes readable."""
    silence, readable = otherwise.silence, otherwise.readable
    if silence is not None and not all(ladder.reads_only(index, readable) for index in filled):
        yield silence, silence[1]


def _behind(
    ladder: RuleChain, winner: int, records: Records, otherwise: Otherwise
) -> Iterator[tuple[Result, str]]:
    """Yield what could decide if the winner did not, up to the first rule that would for certain."""
    for index in range(winner + 1, len(ladder.clauses)):
        clause = ladder.clauses[index]
        if not clause.decides:
            continue
        possible = ladder.outcomes(index, records)
        if True in possible:
            yield from _results(ladder, index, (winner, index), otherwise)
        if possible == _TRUE:
            return
    yield (CONTINUE, None), otherwise.outcome
    yield from _silent(ladder, (winner,), otherwise)


# Records without what is taken for the unknown.
#
# Some facts are known only because of what is taken where something is not: values under `unreadable:`,
# progress while a signal is unknown, the state of a breaker that an unknown condition could have moved,
# formulas and rows of points that are definite because something is unknown (`or else`, `is unknown`),
# points whose unknown rows add nothing. Another value for what is unknown could change them.

NO_NAMES: frozenset[str] = frozenset()


class Assumed:
    """What one policy takes for the unknown, found once."""

    def __init__(self, policy: CompiledPolicy) -> None:
        #: What the policy's own breaker could have done, None where it has none.
        self._moved: Moved | None = None
        self._walk: _Walk | None = None
        taken = set(policy.unreadable)
        if policy.breaker is not None:
            from exitgate.core.engine import breaker

            self._moved = breaker.Moved(policy.breaker, policy)
            taken.update(FACTS)
        made = []
        for fact in policy.derived:
            if fact.signals:
                taken.add(fact.name)
            elif _takes(fact, policy, taken):
                taken.add(fact.name)
                open_ = fact.but(unknown_rows=OPEN)
                made.append((DerivedFact(fact, policy), DerivedFact(open_, policy, strict=True)))
        self._derived = tuple(made)
        trees = [tree for fact in policy.derived for tree in fact.trees()]
        if policy.breaker is not None:
            trees += policy.breaker.conditions()
        #: So many earlier records a record can rest on, besides what is known behind each.
        self._reach = max((lookback(t, policy.values(), policy.conditions) for t in trees), default=0) + 1
        self._progress = tuple(DerivedFact(fact, policy) for fact in policy.derived if fact.signals)

    def without(self, records: Records, unreadable: frozenset[str] = NO_NAMES) -> Records:
        """
        Return `records` with these facts unknown where they could have another value.

        A computed fact that is not what it comes to was given by hand: it stays. `unreadable` names the facts
        whose value under `unreadable:` counts as unknown as well; others keep theirs.
        """
        if not (unreadable or self._derived or self._progress or self._moved is not None):
            return records
        apart: int = getattr(records[-1], "apart", 0)
        before = self._walk
        if before is not None and before.leads_to(records, unreadable, apart):
            walk = before
        else:
            walk = self._walk = _Walk(unreadable, apart, self._progress, self._moved)
            if before is not None and self._is_remembered(records):
                self._follow(walk, before, before.places_behind(records, unreadable, apart), records)
        for number in range(len(walk.records), len(records)):
            self._go_on(walk, records[: number + 1])
        return tuple(walk.found) if walk.changed else records

    def _is_remembered(self, records: Records) -> bool:
        """Return whether what was seen of the signals of progress is with each record."""
        return not self._progress or all(getattr(record, "whole", False) for record in records)

    def _follow(self, walk: _Walk, before: _Walk, behind: int, records: Records) -> None:
        """
        Walk over records of which the first `behind` of an earlier walk are not known any more.

        Once as many of them as conditions read came out as they did then, so will those that follow.
        """
        both = len(before.records) - behind
        for number in range(both if behind else 0):
            self._go_on(walk, records[: number + 1])
            if number >= self._reach and walk.agrees(before, behind, self._reach):
                walk.take(before, behind)
                return

    def _go_on(self, walk: _Walk, records: Records) -> None:
        """Take the last of `records` into a walk over those before it."""
        record, found = records[-1], walk.found
        stand_ins = walk.unreadable & getattr(record, "stand_ins", NO_NAMES)
        bare = {**record, **{name: Unknown(STAND_IN, name) for name in stand_ins}}
        self._compute(records[:-1], record, found, bare)
        if self._progress:  # a signal may be computed, and what is computed may rest on progress
            walk.seen.without(records, bare)
            self._compute(records[:-1], record, found, bare)
        if self._moved is not None and walk.states is not None:
            walk.states = self._moved.after(walk.states, records, (*found, bare), walk.apart)
            lost = walk.states.lost(record)
            if lost:
                bare.update(lost)
                self._compute(records[:-1], record, found, bare)
        if any(bare[name] is not value for name, value in record.items()):
            walk.changed = True
            found.append(Record(bare, getattr(record, "stand_ins", NO_NAMES)))
        else:
            found.append(record)
        walk.ends.append((walk.states, *walk.seen.known()))
        walk.records = tuple(records)

    def _compute(
        self, before: Records, record: Mapping[str, object], found: Records, bare: dict[str, object]
    ) -> None:
        """Make the computed facts of `bare` unknown that could have another value than in `record`."""
        for plain, strict in self._derived:
            name = plain.name
            if name not in record or isinstance(bare[name], Unknown):
                continue
            if plain.fact((*before, record)).value != record[name]:
                continue
            value = strict.fact((*found, bare)).value
            if isinstance(value, Unknown):
                bare[name] = value


class _Walk:
    """
    How far records were looked at, and what came of them: a run continues where it was left.

    Args:
        unreadable, apart: As they were looked at.
        progress, moved: Of the policy.
    """

    def __init__(
        self,
        unreadable: frozenset[str],
        apart: int,
        progress: tuple[DerivedFact, ...],
        moved: Moved | None,
    ) -> None:
        self.unreadable = unreadable
        self.apart = apart
        self.records: Records = ()
        self.found: list[Mapping[str, object]] = []
        self.states = moved.begun if moved is not None else None
        self.seen = _Remembered(progress)
        #: For each record what was known behind it.
        self.ends: list[tuple[States | None, Mapping[str, Remembered], Mapping[str, Unknown]]] = []
        self.changed = False

    def leads_to(self, records: Records, unreadable: frozenset[str], apart: int) -> bool:
        """Return whether `records` are those of this walk, and maybe more behind them, to look at alike."""
        return (
            (self.unreadable, self.apart) == (unreadable, apart)
            and len(self.records) <= len(records)
            and all(map(is_, self.records, records))
        )

    def places_behind(self, records: Records, unreadable: frozenset[str], apart: int) -> int:
        """Return how many of the first records of this walk `records` do without; 0 in another run."""
        if (self.unreadable, self.apart, apart) != (unreadable, 0, 0):
            return 0
        behind = next((n for n, one in enumerate(self.records) if one is records[0]), 0)
        return behind if all(map(is_, self.records[behind:], records)) else 0

    def agrees(self, before: _Walk, behind: int, reach: int) -> bool:
        """Return whether the last `reach` records, and what is known behind them, are as in another walk."""
        last = len(self.records) + behind
        return self.ends[-1] == before.ends[last - 1] and all(
            one is other or one == other
            for one, other in zip(self.found[-reach:], before.found[last - reach : last], strict=True)
        )

    def take(self, before: _Walk, behind: int) -> None:
        """Take the records of another walk that follow."""
        at = len(self.records)
        self.records = (*self.records, *before.records[at + behind :])
        self.found += before.found[at + behind :]
        self.ends += before.ends[at + behind :]
        self.states, remembered, doubts = self.ends[-1]
        self.seen.recall(remembered, doubts)
        self.changed = any(one is not other for one, other in zip(self.found, self.records, strict=True))


class _Remembered:
    """What a run has seen of the signals of progress, and of which of them an earlier value is unknown."""

    def __init__(self, progress: tuple[DerivedFact, ...]) -> None:
        self._progress = progress
        self._before: dict[str, Remembered] = {}
        self._doubts: dict[str, Unknown] = {}

    def known(self) -> tuple[Mapping[str, Remembered], Mapping[str, Unknown]]:
        """Return it as it is now, for `recall`."""
        return dict(self._before), dict(self._doubts)

    def recall(self, remembered: Mapping[str, Remembered], doubts: Mapping[str, Unknown]) -> None:
        """Go back to what `known` returned."""
        self._before, self._doubts = dict(remembered), dict(doubts)

    def without(self, records: Records, bare: dict[str, object]) -> None:
        """Make the progress of `bare`, the last of `records`, unknown where it could be another one."""
        *earlier, record = records if getattr(records[-1], "remembered", None) else records[-1:]
        told = () if getattr(record, "whole", False) else earlier  # else it is remembered already
        for fact in self._progress:
            before = self._before.get(fact.name)
            if earlier:
                before = getattr(record, "remembered", None)
                for one in told:
                    before = fact.after(before, one)
            before = before or fact.nothing_remembered()
            known = record.get(fact.name)
            is_known = known is not None and not isinstance(known, Unknown)
            # what it does not come to was given by hand
            if is_known and fact.fact((record,), before, whole=True).value == known:
                value = fact.surely(bare, before, self._doubts)
                bare[fact.name] = known if value is None else value
            self._before[fact.name] = fact.after(before, record)
        for fact in self._progress:
            self._doubts.update(fact.doubtful(bare))


def _takes(fact: Derived, policy: CompiledPolicy, taken: set[str]) -> bool:
    if fact.rows and fact.unknown_rows == ADD_NOTHING:
        return True
    trees = fact.trees()

    names = {name for tree in trees for name in facts_of(tree, policy.conditions)}
    return not names.isdisjoint(taken) or any(asks(tree, policy.conditions) for tree in trees)
