"""The kinds of questions: each judges regions by gates, and runs by the engine."""

from __future__ import annotations

from functools import cached_property, lru_cache

from exitgate.analysis.simulation import with_stand_ins
from exitgate.analysis.space.counters import BEFORE, is_uncounted, number_of_first
from exitgate.analysis.space.dependencies import consistent
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.reads import is_looked_at
from exitgate.analysis.space.slices import MANY, slice_of
from exitgate.analysis.walk.chain import Chain, deciding, winner
from exitgate.analysis.walk.confirm import Confirmation, numbered
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN, all_are
from exitgate.analysis.walk.query_cache import program_of
from exitgate.analysis.walk.run_length import RunLengths
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.measure import facts_of, parameters_of
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.query_cache import QueryCache
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.language.evaluation.closures import Closure
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Run = Sequence[Mapping[str, object]]
    #: A run as it can be shown.
    Shown = tuple[Mapping[str, object], ...]


AFTER_ITERATION = "after_iteration"
OTHERWISE = "otherwise"


class Question:
    """
    One question.

    Args:
        policies: Those it is about.
        nodes: Every condition whose truth can matter.
        stage: The stage asked.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], nodes: Sequence[Node], stage: str) -> None:
        self.policies = tuple(policies)
        self.nodes = tuple(nodes)
        self.stage = stage
        #: Those that a run is played on: `policies` can be parts of them.
        self.played = self.policies
        #: Those that are asked whether facts fit together.
        self.readers = self.policies
        self.programs = tuple(program_of(policy) for policy in policies)
        self.whole = True
        #: The conditions that the question itself is about; () where it is about whole chains.
        self.core: tuple[Node, ...] = ()
        #: Whether an answer must be of a run that counts its iterations, and that no stage has ended before.
        self.from_first = True
        #: Whether an earlier iteration may be one in which the agent failed though no condition reads it.
        self.fails = True
        #: Whether what its policies decide in earlier iterations is what the whole policies decide.
        self.chained = True
        #: Whether the stage is asked as a check asks it: a failed agent passes no `after_iteration`.
        self.staged = True
        #: Whether the last iteration may be a look before the next one.
        self.looks = stage == BEFORE
        #: Iterations of the longest runs that its conditions tell apart; known from `lengths` on.
        self.longest = 1

    # what an easier question answers for a rule of many never asks the next ones, which look at each node

    @cached_property
    def uncounted(self) -> bool:
        """Whether it is a promise about silence: about the case that not even the count is known."""
        return any(map(is_uncounted, self.nodes))

    @cached_property
    def _lengths(self) -> RunLengths:
        return RunLengths(self.policies, self.nodes)

    @cached_property
    def has_windows(self) -> bool:
        """Whether it rests on how far apart iterations are in time, or which share a key, unlike points."""
        return self._lengths.has_windows

    def on(self, cache: QueryCache, variables: Variables) -> Judge:
        """Return what judges regions of these variables of the cache."""
        raise NotImplementedError

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the engine answers yes at the end of whole records, one run of them a policy."""
        raise NotImplementedError

    def holds(self, run: Run) -> bool:
        """Return whether the engine answers yes at the end of a run, no matter what came of it before."""
        return any(map(self.answers, self.ends(run)))

    def shown_of(self, runs: Iterable[tuple[Run, Run]]) -> Shown | None:
        """
        Return what `shown` does, of a run whose `numbered` ones are completed already.

        Args:
            runs: Each with computed facts in every iteration, as the first policy has them.
        """
        for one, first in runs:
            if self._holds(one, first) and (found := self.reached(one, self.answers)) is not None:
                return found
        return None

    def _holds(self, run: Run, first: Run) -> bool:
        return self.answers(self._beside(run, first, ended=True)) or (
            self.looks and self.answers(self.wholes(run, ended=False))
        )

    def shown(self, run: Run) -> Shown | None:
        """
        Return the run as it can be shown, or None for a run that does not answer the question.

        The engine plays it from its first iteration on and answers yes at its end; a question that is not of
        runs `from_first` is asked of the last iterations alone.
        """
        for one in numbered(run):
            if self.holds(one) and (found := self.reached(one, self.answers)) is not None:
                return found
        return None

    @property
    def play(self) -> Confirmation:
        """How a run is played that may be an answer."""
        return Confirmation(
            self.played,
            self.stage if self.staged else "",
            looks=self.looks,
            counted=not self.uncounted,
            fails=self.fails,
        )

    def reached(self, run: Run, answers: Callable[[Sequence[Run]], bool] = bool) -> Shown | None:
        """Return the run as the engine plays it, or None where it ends before, or `answers` says no."""
        if number_of_first(run) is None:
            return None
        if not all(consistent(values, policy) for values in run for policy in self.readers):
            return None
        if self.from_first:
            return self.play.shown(run, answers)
        return tuple(run) if any(map(answers, self.ends(run))) else None

    def kind(self, run: Run) -> tuple[object, ...]:
        """Return what sort of answer a run is; () where there is only one."""
        del run
        return ()

    def parts(self) -> Iterator[tuple[Question, ...]]:
        """
        Yield groups of questions that ask for less.

        Where no question of some group has an answer, this one has none.
        """
        yield from ()

    def easier(self) -> Question | None:
        """Return a question that asks for less of a large policy: an answer of it may be one of this."""
        return None

    def lengths(self, most: int | None) -> tuple[int, ...]:
        """
        Return the lengths of runs to walk, short ones first; what is longer reads no further back.

        No run has more than `most` iterations; None where none is known.
        With windows in time or per key they are those of runs that may have an answer, not all that matter.
        """
        self.longest = self._lengths.longest()
        found, every = self._lengths.of_runs(most)
        self.whole = self.whole and (every or self.has_windows)
        return found

    def lengths_beside_windows(self, most: int | None) -> tuple[int, ...]:
        """Return the lengths of runs that conditions tell apart beside their windows in time and per key."""
        self.longest = self._lengths.longest(windows=False)
        found, every = self._lengths.beside_windows(most)
        self.whole = self.whole and every
        return found

    def completed(self, run: Run) -> Run:
        """Return a run with stand-ins and computed facts, as the first of the policies has them."""
        return next(filter(self.answers, self.ends(run)), self.wholes(run))[0]

    def ends(self, run: Run) -> Iterator[list[Run]]:
        """Yield the run with computed facts, its last iteration one that ended, then a look if it can be."""
        yield self.wholes(run)
        if self.looks:
            yield self.wholes(run, ended=False)

    def wholes(self, run: Run, ended: bool = True) -> list[Run]:
        """
        Return the run with stand-ins and computed facts in every iteration, for each policy.

        With `ended` False the last one is a look before the next iteration.
        """
        first = self.programs[0].complete_all(with_stand_ins(self.policies[0], run), ended)
        return self._beside(run, first, ended)

    def _beside(self, run: Run, first: Run, ended: bool) -> list[Run]:
        """Return a completed run of the first policy, and what it is for each of the others."""
        return [
            first if alike else program.complete_all(with_stand_ins(policy, run), ended)
            for alike, program, policy in zip(self._alike, self.programs, self.policies, strict=True)
        ]

    @cached_property
    def _alike(self) -> tuple[bool, ...]:
        """Whether each policy computes the same from all facts as the first."""
        first = _computing(self.policies[0])
        return tuple(_computing(policy) == first for policy in self.policies)


def _computing(policy: CompiledPolicy) -> tuple[object, ...]:
    """Return all that computed facts and stand-ins of a policy rest on."""
    names = {name for fact in policy.derived for tree in fact.trees()
             for name in parameters_of(tree, policy.conditions)}  # fmt: skip
    values = {name: policy.parameters[name].value for name in names}
    facts = unread_facts(policy) if policy.derived else frozenset()
    return policy.derived, policy.unreadable, values, policy.conditions if policy.derived else {}, facts


def evaluator(policy: CompiledPolicy, node: Node) -> Closure:
    """Return the evaluator of a condition as the policy's own rules have it."""
    return compile_node(node, policy.values(), policy.conditions, _unread(IdentityKey(policy)))


@lru_cache(maxsize=8)
def _unread(policy: IdentityKey) -> frozenset[str]:
    return unread_facts(policy.held[0])  # type: ignore[arg-type]


def bit_of(truth: object) -> int:
    """Return a truth as a bit; None counts as unknown."""
    if truth is None or truth.__class__ is Unknown:
        return UNKNOWN
    return TRUE if truth is True else FALSE


class Condition(Question):
    """
    Whether conditions can have certain truths at once.

    `wanted` holds each condition with the truths that will do, as bits: ``TRUE``, ``FALSE | UNKNOWN``.
    """

    def __init__(self, policy: CompiledPolicy, wanted: Sequence[tuple[Node, int]]) -> None:
        nodes = [node for node, _ in wanted]
        part = slice_of(policy, nodes) if len(policy.rules) >= MANY else policy
        super().__init__([part], nodes, AFTER_ITERATION)
        self.played = (policy,)
        self.chained = part is policy
        self.staged = False
        self.looks = is_looked_at(policy, nodes)
        self.core = self.nodes
        self._wanted = tuple(wanted)
        self._tests = [evaluator(policy, node) for node, _ in wanted]

    def on(self, cache: QueryCache, variables: Variables) -> Judge:
        """Return a judge of all conditions together."""
        abstract_policy = cache.abstract_policy(0, variables)
        gates = [(abstract_policy.gate(node), truths) for node, truths in self._wanted]
        return lambda region: all_are(gates, region)

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether each condition has its truth at the end of the run."""
        [whole] = records
        return all(
            bit_of(test(whole)) & truths for test, (_, truths) in zip(self._tests, self._wanted, strict=True)
        )


class Winner(Question):
    """Whether a rule can decide."""

    def __init__(self, policy: CompiledPolicy, rule_id: str, also: Node | None = None) -> None:
        rule = next((rule for rule in policy.rules if rule.id == rule_id), None)
        if rule is None:
            raise KeyError(rule_id)
        rules = deciding(policy, rule.stage)
        self._number = next((n for n, one in enumerate(rules) if one.id == rule_id), None)
        before = rules[: self._number + 1] if self._number is not None else ()
        nodes = [one.when for one in before] + ([also] if also is not None else [])
        super().__init__([policy], nodes or [rule.when], rule.stage)
        self.core = (rule.when, also) if also is not None else (rule.when,)
        self._also = also
        self._rule = rule
        self._policy = policy
        self._test = evaluator(policy, also) if also is not None else None

    def on(self, cache: QueryCache, variables: Variables) -> Judge:
        """Return a judge: the rule is true and those before it are not."""
        if self._number is None:
            return lambda _region: False
        abstract_policy = cache.abstract_policy(0, variables)
        rules = deciding(self.policies[0], self.stage)
        own = abstract_policy.gate(rules[self._number].when)
        before = [abstract_policy.gate(rule.when) for rule in rules[: self._number]]
        also = [(abstract_policy.gate(self._also), TRUE)] if self._also is not None else []

        def judge(region: Region) -> Judged:
            found = all_are([(own, TRUE), *also], region)
            if found is not True:
                return found
            for gate in before:
                truths = gate.truths(region)
                if truths == TRUE:
                    return False
                if truths & TRUE:
                    return gate.split(region, TRUE)
            return True

        return judge

    def easier(self) -> Question | None:
        """Return whether the rule can be true, if there are many rules."""
        if self._number is None or len(self._policy.rules) < MANY:
            return None
        also = [] if self._also is None else [(self._also, TRUE)]
        return Condition(self._policy, [(self._rule.when, TRUE), *also])

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the rule decides at the end of the run."""
        [whole] = records
        if winner(self.programs[0], whole, self.stage) != self._number:
            return False
        return self._test is None or self._test(whole) is True


class Decided(Question):
    """
    Whether a stage can be decided by certain rules.

    Args:
        policy: Of these rules.
        wanted: Places among the stage's deciding rules; -1 for none of them.
        stage: The stage.
        given: What must be definitely true besides, or None.
    """

    def __init__(self, policy: CompiledPolicy, wanted: set[int], stage: str, given: Node | None) -> None:
        rules = deciding(policy, stage)
        first = [given] if given is not None else []
        super().__init__([policy], [*first, *(rule.when for rule in rules)], stage)
        self.core = (*first, *(rules[n].when for n in sorted(wanted) if n >= 0))
        self._wanted = wanted
        self._given = given
        self._test = evaluator(policy, given) if given is not None else None

    def parts(self) -> Iterator[tuple[Question, ...]]:
        """
        Yield what would do to show that no wanted rule decides.

        No wanted rule is ever true with `given`; or another one is true whenever `given` is, and no
        wanted rule before it.
        """
        policy, given = self.policies[0], self._given
        if given is None:
            return
        rules = deciding(policy, self.stage)

        def true_with(numbers: Iterable[int]) -> tuple[Question, ...]:
            return tuple(Condition(policy, [(given, TRUE), (rules[n].when, TRUE)]) for n in numbers)

        if -1 not in self._wanted:
            yield true_with(sorted(self._wanted))
            return
        named = facts_of(given, policy.conditions)
        for number, rule in enumerate(rules):
            if number not in self._wanted and not named.isdisjoint(facts_of(rule.when, policy.conditions)):
                missed = Condition(policy, [(given, TRUE), (rule.when, FALSE | UNKNOWN)])
                yield (missed, *true_with(n for n in range(number) if n in self._wanted))

    def on(self, cache: QueryCache, variables: Variables) -> Judge:
        """Return a judge: `given` first, then who may decide."""
        abstract_policy = cache.abstract_policy(0, variables)
        given = abstract_policy.gate(self._given) if self._given is not None else None
        chain = Chain(self.policies[0], self.stage, abstract_policy)

        def judge(region: Region) -> Judged:
            found = all_are([(given, TRUE)], region) if given is not None else True
            return chain.decided_by(self._wanted, region) if found is True else found

        return judge

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the stage is decided so at the end of the run."""
        [whole] = records
        if self._test is not None and self._test(whole) is not True:
            return False
        return winner(self.programs[0], whole, self.stage) in self._wanted


def results(policy: CompiledPolicy, result: str, stage: str = AFTER_ITERATION) -> set[int]:
    """
    Return the deciding rules of a stage that decide `result`, -1 for none of them.

    `result` is a verdict, a class, or ``otherwise`` for what no rule decides.
    """
    rules = deciding(policy, stage)
    if result.lower() == OTHERWISE:
        return {-1}
    return {n if n < len(rules) else -1 for n, rule in enumerate((*rules, None)) if _is(rule, result)}


def breaking(policy: CompiledPolicy, claim: str, verdict: str, stage: str = AFTER_ITERATION) -> set[int]:
    """Return the deciding rules that break a promise, -1 for none of them."""
    kept = results(policy, verdict, stage)
    return {*range(len(deciding(policy, stage))), -1} - kept if claim == "always" else kept


def _is(rule: Rule | None, result: str) -> bool:
    """Return whether a rule, or None for no rule, decides a verdict or class."""
    verdict = EXIT if rule is not None and rule.effect == "exit" else CONTINUE
    exit_class = rule.exit_class if rule is not None and rule.effect == "exit" else None
    return result.upper() == verdict or (exit_class is not None and result.lower() == exit_class)
