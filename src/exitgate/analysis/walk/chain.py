"""The chain of one stage, region by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from exitgate.analysis.space.counters import SUSPENDING
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.reads import reach
from exitgate.analysis.space.slices import MANY
from exitgate.analysis.walk.gates import ANY, TRUE, Fixed, all_are
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.measure import facts_of, reachable, reads_back
from exitgate.core.policy.compiled import CompiledPolicy, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.gates import Gate, Judged
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.variables import Region
    from exitgate.core.policy.compiled import CompiledPolicy, Rule


#: A condition of which nothing is known.
ANYTHING = Fixed(ANY)


def deciding(policy: CompiledPolicy, stage: str) -> tuple[Rule, ...]:
    """Return the enforced exit and continue rules of a stage, in chain order."""
    return _deciding(IdentityKey(policy), stage)


@lru_cache(maxsize=16)
def _deciding(asked: IdentityKey, stage: str) -> tuple[Rule, ...]:
    policy: CompiledPolicy
    (policy,) = asked.held  # type: ignore[assignment]
    return tuple(r for r in policy.rules if r.stage == stage and r.effect != "warn" and r.mode == "enforce")


class Chain:
    """
    The deciding rules of one stage of a policy as gates, `back` iterations before the last.

    With `suspended`, a run continues after a rule that only suspends it. With `older`, iterations may have
    come before those of the abstract_policy: a rule that looks further back can be anything.
    """

    def __init__(
        self,
        policy: CompiledPolicy,
        stage: str,
        abstract_policy: AbstractPolicy,
        back: int = 0,
        suspended: bool = False,
        older: bool = False,
    ) -> None:
        self.rules = deciding(policy, stage)
        self._older = older
        self._going_on = {
            -1,
            *(
                number
                for number, rule in enumerate(self.rules)
                if rule.effect != "exit" or (suspended and rule.exit_class in SUSPENDING)
            ),
        }
        self._gates = [
            ANYTHING
            if older and back + reach(policy, rule.when) >= abstract_policy.length
            else abstract_policy.gate(rule.when, back)
            for rule in self.rules
        ]

    def winners(self, region: Region) -> tuple[list[int], Gate | None]:
        """Return the rules that may decide, -1 for none, and the first that is not settled."""
        found: list[int] = []
        open_: Gate | None = None
        for number, gate in enumerate(self._gates):
            truths = gate.truths(region)
            if truths & TRUE:
                found.append(number)
                if truths == TRUE:
                    return found, open_
                open_ = open_ or (None if gate is ANYTHING else gate)
        return [*found, -1], open_

    def decided_by(self, wanted: Container[int], region: Region) -> Judged:
        """Judge whether one of the rules in `wanted` decides, -1 being none of them."""
        winners, open_ = self.winners(region)
        fitting = [winner in wanted for winner in winners]
        if all(fitting):
            return True
        if not any(fitting):
            return False
        return self._older if open_ is None else open_.split(region, TRUE)

    def goes_on(self, region: Region) -> Judged:
        """Judge whether the stage decides CONTINUE."""
        return self.decided_by(self._going_on, region)

    def suspends(self, region: Region) -> Judged:
        """Judge whether the stage decides an exit after which the same run continues."""
        wanted = {n for n, rule in enumerate(self.rules) if rule.exit_class in SUSPENDING}
        return self.decided_by(wanted, region)


def going_on(steps: Sequence[tuple[Sequence[tuple[Gate, int]], Sequence[Chain]]]) -> Judge:
    """Return a judge: step by step, each gate has one of its truths, and then each chain decides CONTINUE."""

    def judge(region: Region) -> Judged:
        for wanted, chains in steps:
            found = all_are(wanted, region)
            if found is not True:
                return found
            for chain in chains:
                found = chain.goes_on(region)
                if found is not True:
                    return found
        return True

    return judge


# Which rule of many decides: only those are asked that read what the records hold.
#
# A rule that reads nothing of it answers as it does on as many empty records, and that is found once. A run
# that is made up holds few facts, so that its iterations cost no more in a policy of many rules.

Records = Sequence[Mapping[str, object]]


#: What asks for more than the facts it names: for any fact, or for which records are looked at.
_ANYTHING = frozenset(("silence", "window"))
#: One record without a fact.
_SILENCE: tuple[Mapping[str, object], ...] = ({},)
#: Stages of policies of which the rules are kept.
REMEMBERED = 16


def winner(program: Program, records: Records, stage: str) -> int:
    """Return the index of the rule that decides, as `Program.winner` does: -1 for none of them."""
    if len(program.policy.rules) < MANY:
        return program.winner(records, stage)
    return RelevantRules.of(program.policy, stage).winner(records)


def certainly_goes_on(program: Program, records: Records, stage: str) -> bool:
    """
    Return whether the stage surely decides CONTINUE on the last of `records`.

    Where it may end the run, or the policy has few rules, the engine must be asked.
    """
    policy = program.policy
    limit = policy.exit_after_blind
    if len(policy.rules) < MANY or (limit is not None and program.blind_run(records[-limit:]) >= limit):
        return False
    return RelevantRules.of(policy, stage).goes_on(records)


class RelevantRules:
    """The deciding rules of a stage of a policy."""

    def __init__(self, policy: CompiledPolicy, stage: str) -> None:
        self._rules = deciding(policy, stage)
        compilation = Compilation(policy.values(), policy.conditions, unread_facts(policy))
        self._tests = [compilation.closure(rule.when) for rule in self._rules]
        self._always: set[int] = set()
        self._readers: dict[str, list[int]] = {}
        #: Those that no records change but by their number.
        self._looking_back = []
        for number, rule in enumerate(self._rules):
            if _asks_for_anything(rule, policy):
                self._always.add(number)
            for name in facts_of(rule.when, policy.conditions):
                self._readers.setdefault(name, []).append(number)
            if reads_back(rule.when, policy.conditions):
                self._looking_back.append(number)
        back = set(self._looking_back)
        self._plain = [n for n, test in enumerate(self._tests) if n not in back and test(_SILENCE) is True]
        self._silent: dict[int, list[int]] = {}

    @staticmethod
    def of(policy: CompiledPolicy, stage: str) -> RelevantRules:
        """Return the rules of a stage, the same ones for the same policy."""
        return _made(IdentityKey(policy), stage)

    def winner(self, records: Records) -> int:
        """Return the index of the first rule that is definitely true, or -1."""
        asked = set(self._always)
        for name in set().union(*records):
            asked.update(self._readers.get(name, ()))
        silent = next((n for n in self._true_where_silent(len(records)) if n not in asked), len(self._tests))
        true = (n for n in sorted(asked) if n < silent and self._tests[n](records) is True)
        return next(true, silent if silent < len(self._tests) else -1)

    def goes_on(self, records: Records) -> bool:
        """Return whether no rule is true, or the first that is lets the run go on."""
        found = self.winner(records)
        return found < 0 or self._rules[found].effect == "continue"

    def _true_where_silent(self, count: int) -> list[int]:
        """Return the rules that are true on so many records without a fact, in chain order."""
        if count not in self._silent:
            back = [n for n in self._looking_back if self._tests[n](_SILENCE * count) is True]
            self._silent[count] = sorted((*self._plain, *back))
        return self._silent[count]


@lru_cache(maxsize=REMEMBERED)
def _made(policy: IdentityKey, stage: str) -> RelevantRules:
    return RelevantRules(policy.held[0], stage)  # type: ignore[arg-type]


def _asks_for_anything(rule: Rule, policy: CompiledPolicy) -> bool:
    trees = (rule.when, *(policy.conditions[name] for name in reachable(rule.when, policy.conditions)))
    return any(not _ANYTHING.isdisjoint(tree.uses()) for tree in trees)
