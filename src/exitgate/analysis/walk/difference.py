"""Whether two policies can decide differently: judged by the gates of both chains at once."""

from __future__ import annotations

from exitgate.analysis.walk.chain import Chain, deciding, winner
from exitgate.analysis.walk.gates import TRUE, sides_differ
from exitgate.analysis.walk.questions import Question, evaluator
from exitgate.core.model.decision import CONTINUE, EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.query_cache import QueryCache
    from exitgate.analysis.walk.questions import Run
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.policy.compiled import CompiledPolicy, Rule


class Differ(Question):
    """
    Whether two policies can decide a stage differently.

    Args:
        a, b: The two.
        stage: The stage.
        by_rule: Whether it counts which rule decides.
        apart: Whether regions are split until each of the two decides in one way.
    """

    def __init__(
        self, a: CompiledPolicy, b: CompiledPolicy, stage: str, by_rule: bool, apart: bool = False
    ) -> None:
        self._apart = apart
        sides = [_side_rules(policy, stage) for policy in (a, b)]
        same = _same_warnings(a, b, sides)
        self._side = [tuple(rule for rule in side if rule.id not in same) for side in sides]
        self._rules = [deciding(policy, stage) for policy in (a, b)]
        self._by_rule = by_rule
        nodes = [rule.when for rules in (*self._rules, *self._side) for rule in rules]
        super().__init__([a, b], nodes, stage)
        self._tests = [[(rule.id, evaluator(policy, rule.when)) for rule in side]
                       for policy, side in zip((a, b), self._side, strict=True)]  # fmt: skip

    def on(self, cache: QueryCache, variables: Variables) -> Judge:
        """Return a judge of both chains at once."""
        abstract_policies = [cache.abstract_policy(number, variables) for number in range(len(self.policies))]
        chains = [Chain(p, self.stage, o) for p, o in zip(self.policies, abstract_policies, strict=True)]
        ids = sorted({rule.id for side in self._side for rule in side})
        sides = [
            [next((o.gate(r.when) for r in side if r.id == id), None) for id in ids]
            for side, o in zip(self._side, abstract_policies, strict=True)
        ]

        def judge(region: Region) -> Judged:
            (one, open_one), (other, open_other) = (chain.winners(region) for chain in chains)
            results = [
                {self._outcome(number, winner) for winner in winners}
                for number, winners in enumerate((one, other))
            ]
            settled = len(results[0]) == len(results[1]) == 1
            if results[0].isdisjoint(results[1]) and (settled or not self._apart):
                return True
            if not settled:
                for gate in (open_one, open_other):
                    found = gate.split(region, TRUE) if gate is not None else None
                    if found is not None:
                        return found
                return None
            return sides_differ(sides, region)

        return judge

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the two decide differently at the end of the run."""
        return _is_apart(self._kind(records))

    def kind(self, run: Run) -> tuple[object, ...]:
        """Return what each of the two decides: verdict, class, outcome, rule if asked for, warnings."""
        return next(filter(_is_apart, map(self._kind, self.ends(run))), self._kind(self.wholes(run)))

    def _kind(self, records: Sequence[Run]) -> tuple[object, ...]:
        found = []
        for number, (program, whole) in enumerate(zip(self.programs, records, strict=True)):
            said = tuple(id for id, test in self._tests[number] if test(whole) is True)
            found.append((self._outcome(number, winner(program, whole, self.stage)), tuple(sorted(said))))
        return tuple(found)

    def _outcome(self, number: int, winner: int) -> tuple[object, ...]:
        if winner < 0:
            return (CONTINUE, None, "otherwise", None)
        rule = self._rules[number][winner]
        verdict = EXIT if rule.effect == "exit" else CONTINUE
        return (verdict, rule.exit_class, rule.outcome, rule.id if self._by_rule else None)


def _is_apart(kind: tuple[object, ...]) -> bool:
    one, other = kind
    return one != other


def _same_warnings(a: CompiledPolicy, b: CompiledPolicy, sides: Sequence[Sequence[Rule]]) -> set[str]:
    """Return the rules that warn in both alike: all they rest on is the same."""
    if (a.values(), a.conditions, a.derived, a.unreadable) != (
        b.values(),
        b.conditions,
        b.derived,
        b.unreadable,
    ):
        return set()
    ours, theirs = ({rule.id: rule.when for rule in side} for side in sides)
    return {id for id, when in ours.items() if theirs.get(id) == when}


def _side_rules(policy: CompiledPolicy, stage: str) -> tuple[Rule, ...]:
    """Return the rules of a stage whose truth adds a warning."""
    return tuple(
        r for r in policy.rules
        if r.stage == stage and (r.effect == "warn" or r.mode == "warn") and r.mode != "shadow"
    )  # fmt: skip
