"""What must have come of the iterations before the last one: the run went on."""

from __future__ import annotations

from exitgate.analysis.space.counters import AFTER, BEFORE, FAILURE, SUSPENDING
from exitgate.analysis.space.reads import reach, read_by, reads
from exitgate.analysis.walk.chain import Chain, deciding
from exitgate.analysis.walk.gates import TRUE, Either
from exitgate.core.engine.record import FAILED
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import STAGES
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.gates import Gate, Judged
    from exitgate.analysis.walk.questions import Question
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.policy.compiled import CompiledPolicy


#: So many iterations that ended the run in some region are looked at first in the next ones.
STRICT = 4
#: The agent said or did something that could be read.
HEARD = Node("not", (Node("silence", (), 0, 0, BOOL),), 0, 0, BOOL)


class Prefix:
    """
    What a question demands of the iterations before the last one.

    Args:
        question: Of runs from the first iteration on; of others nothing is demanded.
        variables: Of the run.
        older: Whether iterations may have come before those of the run, and one may have failed where no
            condition reads it. Then less is demanded: what is not so of every run is left out.
    """

    def __init__(self, question: Question, variables: Variables, older: bool) -> None:
        self._variables = variables
        self._older = older
        self._policies = question.policies if question.from_first and question.chained else ()
        #: Whether some region was left out because an earlier iteration ends the run there.
        self.mattered = False

    @property
    def demands(self) -> bool:
        """Whether it demands anything."""
        return self._variables.length > 1 and any(map(_ends_runs, self._policies))

    def with_judge(self, judge: Judge, abstract_policies: Sequence[AbstractPolicy]) -> Judge:
        """Return a judge that says yes only where the iterations before the last one go on as well."""
        if not self.demands:
            return judge
        parts: list[Callable[[Region], Judged]] = []
        for number, policy in enumerate(self._policies):
            made = _Stages(policy, abstract_policies[number], self._variables.length, self._older)
            parts += made.asked()

        strict: list[Callable[[Region], Judged]] = []

        def judged(region: Region) -> Judged:
            found = judge(region)
            if found is False:
                return False
            if any(part(region) is False for part in strict):
                self.mattered = True
                return False
            for part in parts if found is True else ():
                found = part(region)
                if found is False:
                    self.mattered = True
                    strict[:] = [part, *(one for one in strict if one is not part)][:STRICT]
                if found is not True:
                    return found
            return found

        return judged


def settled_start(question: Question, variables: Variables, start: Region | None) -> Region:
    """
    Return regions in which earlier iterations know only what the question itself is about.

    What they know besides can only end the run, so that an answer is mostly found there, and with few splits.
    """
    if not question.core:
        return variables.full if start is None else start
    named = set[str]()
    for policy in question.policies:
        named |= read_by(question.core, policy)
    changed = list(variables.full if start is None else start)
    for number, cluster in enumerate(variables.clusters):
        unknown = sum(1 << n for n, choice in enumerate(cluster.choices) if not cluster.known(choice))
        for back in range(1, variables.iterations) if named.isdisjoint(cluster.names) else ():
            at = variables.index(number, back)
            changed[at] = changed[at] & unknown or changed[at]
    return tuple(changed)


def going_on_nodes(policies: Sequence[CompiledPolicy]) -> list[Node]:
    """Return the conditions that decide whether a run continues."""
    return [rule.when for policy in policies for stage in STAGES for rule in deciding(policy, stage)]


def loosens(question: Question, length: int) -> bool:
    """Return whether a run of `length` that is not the first of its iterations has less demanded of it."""
    if not (question.from_first and question.chained):
        return False
    for policy in question.policies:
        ends = [rule for rule in policy.rules if rule.effect == "exit"]
        if any(rule.stage == AFTER for rule in ends) and not reads(policy, FAILED):
            return True
        if length >= question.longest and (policy.exit_after_blind or _furthest(policy) > 0):
            return True
    return False


def _ends_runs(policy: CompiledPolicy) -> bool:
    return policy.exit_after_blind is not None or any(rule.effect == "exit" for rule in policy.rules)


def _furthest(policy: CompiledPolicy) -> int:
    """Return how many earlier iterations its deciding rules read at most."""
    return max((reach(policy, r.when) for stage in STAGES for r in deciding(policy, stage)), default=0)


class _Stages:
    """The stages of one policy over a run."""

    def __init__(
        self, policy: CompiledPolicy, abstract_policy: AbstractPolicy, length: int, older: bool
    ) -> None:
        self._policy = policy
        self._outlook = abstract_policy
        self._length = length
        self._older = older
        self._chains: dict[tuple[str, int], Chain] = {}

    def asked(self) -> list[Callable[[Region], Judged]]:
        """Return what judges each iteration, the newest first: short windows settle most."""
        parts: list[Callable[[Region], Judged]] = []
        for back in range(1, self._length):
            parts += self._after(back)
            if self._asks(BEFORE):
                parts.append(self._begins(back))
        return parts + self._heard()

    def _asks(self, stage: str) -> bool:
        """Return whether a stage has rules that exit."""
        return any(rule.effect == "exit" for rule in deciding(self._policy, stage))

    def _chain(self, stage: str, back: int) -> Chain:
        key = (stage, back)
        if key not in self._chains:
            self._chains[key] = Chain(self._policy, stage, self._outlook, back, True, self._older)
        return self._chains[key]

    def _after(self, back: int) -> list[Callable[[Region], Judged]]:
        after, failure = self._asks(AFTER), self._asks(FAILURE)
        if not self._outlook.reads(FAILED):
            return [self._either(back)] if after else []
        if not (after or failure):
            return []
        failed = self._outlook.gate(Node("fact", (FAILED,), 0, 0, BOOL), back)

        def judge(region: Region) -> Judged:
            truths = failed.truths(region)
            if truths & TRUE and truths != TRUE:
                return failed.split(region, TRUE)
            stage, asked = (FAILURE, failure) if truths == TRUE else (AFTER, after)
            return self._chain(stage, back).goes_on(region) if asked else True

        return [judge]

    def _either(self, back: int) -> Callable[[Region], Judged]:
        """Return what judges an iteration that may have failed, though no condition reads whether it has."""

        def judge(region: Region) -> Judged:
            found = self._chain(AFTER, back).goes_on(region)
            if not self._older:
                return found
            fails = not self._asks(FAILURE) or self._chain(FAILURE, back).goes_on(region)
            return found is not False or fails is not False

        return judge

    def _begins(self, back: int) -> Callable[[Region], Judged]:
        """Return what judges whether the next iteration begins; nothing asks where the run was suspended."""
        rules = [rule for stage in (AFTER, FAILURE) for rule in deciding(self._policy, stage)]
        stages = sorted({rule.stage for rule in rules if rule.exit_class in SUSPENDING})

        def judge(region: Region) -> Judged:
            found = self._chain(BEFORE, back).goes_on(region)
            if found is not False or not stages:
                return found
            may = [self._chain(stage, back).suspends(region) for stage in stages]
            if all(one is False for one in may):
                return False
            if self._older or any(one is True for one in may):
                return True
            return next(one for one in may if one is not False)

        return judge

    def _heard(self) -> list[Callable[[Region], Judged]]:
        """Return what judges whether so many iterations in a row are never silent as end a run."""
        limit = self._policy.exit_after_blind
        suspends = any(rule.exit_class in SUSPENDING for rule in self._policy.rules)
        if limit is None or (self._older and (suspends or not self._outlook.reads(FAILED))):
            return []
        found: list[Callable[[Region], Judged]] = []
        for back in range(1, self._length - limit + 1):
            gate = Either([heard(self._outlook, at) for at in range(back, back + limit)])
            found.append(lambda region, gate=gate: _is_true(gate, region))  # type: ignore[misc]
        return found


def heard(abstract_policy: AbstractPolicy, back: int) -> Gate:
    """Return a gate that is true of an iteration that is not blind: it was read, or the agent failed."""
    failed = Node("fact", (FAILED,), 0, 0, BOOL)
    node = Node("or", (HEARD, failed), 0, 0, BOOL) if abstract_policy.reads(FAILED) else HEARD
    return abstract_policy.gate(node, back)


def _is_true(gate: Gate, region: Region) -> Judged:
    truths = gate.truths(region)
    if truths == TRUE:
        return True
    return gate.split(region, TRUE) if truths & TRUE else False
