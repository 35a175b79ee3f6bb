"""
Which rule of many decides: only those are asked that read what the records hold.

A rule that reads nothing of it answers as it does on as many empty records, and that is found once. A run
that is made up holds few facts, so that its iterations cost no more in a policy of many rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.slices import MANY
from exitgate.analysis.walk.chain import deciding
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.measure import facts_of, reachable, reads_back
from exitgate.core.policy.compiled import CompiledPolicy, Rule

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
