"""Every way in which the chains of two policies part, by a walk that looks for each way once."""

from __future__ import annotations

from exitgate.analysis.compared.joint import Joint, shared
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.walk.at_once import found_at_once, time_for
from exitgate.analysis.walk.bench import bench_of
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.earlier import Earlier, going_on_nodes, loosens
from exitgate.analysis.walk.exactness import exact
from exitgate.analysis.walk.lasting import begin
from exitgate.analysis.walk.questions import Question
from exitgate.analysis.walk.realise import realised
from exitgate.analysis.walk.search import Spent, UnsettledError, regions
from exitgate.model.answer import at_no_point, proved, undecided
from exitgate.model.counted import counted
from exitgate.model.value import Value
from exitgate.model.verdict import CONTINUE, EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.analysis.walk.bench import Bench
    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.search import Judge, Limits
    from exitgate.analysis.walk.units import Region, Units
    from exitgate.model.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy, Rule

    Run = Sequence[Mapping[str, object]]
    #: What one policy decides: verdict, class, outcome.
    Said = tuple[str, str | None, str]
    Pair = tuple[Said, Said]


class Found(Value):
    """
    What a walk over one stage found.

    Args:
        examples: A smallest run for each pair of results that differ.
        rest: Of the claim that there is no other pair: proved or not decided; its points are those of the
            regions that were settled.
    """

    __slots__ = ("examples", "rest")

    def __init__(self, examples: Mapping[Pair, Run], rest: Answer) -> None:
        self.examples = examples
        self.rest = rest


class Apart(Question):
    """On which inputs two policies decide one stage differently, but for `known` pairs of results."""

    def __init__(self, before: CompiledPolicy, after: CompiledPolicy, stage: str) -> None:
        self._rules = tuple(deciding(policy, stage) for policy in (before, after))
        super().__init__([before, after], [rule.when for rules in self._rules for rule in rules], stage)
        self._shared = shared(self.policies, self._rules)
        self.known: set[Pair] = set()
        #: Of two policies that read the same one is asked whether facts fit together.
        self.readers = (before,) if before.extractions == after.extractions else (before, after)

    def on(self, bench: Bench, units: Units) -> Judge:
        """Return a judge of both chains at once: True where they part in one new way."""
        outlooks = [bench.outlook(number, units) for number in range(len(self.policies))]
        joint = Joint(self._rules, outlooks, self._shared)

        def judge(region: Region) -> Judged:
            pair = next((pair for pair in joint.pairs(region) if self._is_new(pair)), None)
            if pair is None:
                return False
            if joint.decided(region):
                return True
            return joint.split(pair, region)

        return judge

    def _is_new(self, pair: tuple[int, int]) -> bool:
        one, other = (self._said(number, winner) for number, winner in enumerate(pair))
        return one != other and (one, other) not in self.known

    def pair(self, run: Run) -> Pair:
        """Return what the two decide at the end of a run, by the engine."""
        return self._pair(next(filter(self.answers, self.ends(run)), self.wholes(run)))

    def played_pair(self, run: Run) -> tuple[Run, Pair] | None:
        """Return a run as the engine plays it and what the two decide at its end; None where it cannot be."""
        pairs: list[Pair] = []

        def answers(records: Sequence[Run]) -> bool:
            pairs.append(self._pair(records))
            return True

        shown = self.reached(run, answers)
        return None if shown is None else (shown, pairs[-1])

    def _pair(self, records: Sequence[Run]) -> Pair:
        one, other = (
            self._said(number, program.winner(whole, self.stage))
            for number, (program, whole) in enumerate(zip(self.programs, records, strict=True))
        )
        return one, other

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the two decide differently, in a way that is not known."""
        one, other = pair = self._pair(records)
        return one != other and pair not in self.known

    def paired(self, run: Run, pair: Pair) -> bool:
        """Return whether the run is one that can be shown for a pair of results."""
        alone = pair in map(self._pair, self.ends(run))  # without what came before it, too
        return alone and self.reached(run, lambda records: self._pair(records) == pair) == run

    def _said(self, number: int, winner: int) -> Said:
        return said_by(self._rules[number][winner] if winner >= 0 else None)


def said_by(rule: Rule | None) -> Said:
    """Return the result of the rule that decides, or of none."""
    if rule is None:
        return CONTINUE, None, "otherwise"
    return (EXIT if rule.effect == "exit" else CONTINUE), rule.exit_class, rule.outcome


def parts(before: CompiledPolicy, after: CompiledPolicy, stage: str, limits: Limits) -> Found:
    """Return an example for each way in which the two decide a stage differently; see `Found`."""
    question = Apart(before, after, stage)
    bench, spent, lost = bench_of(question.policies, question.nodes), Spent(limits), 0
    examples: dict[Pair, Run] = {}
    mattered, at_once = False, time_for(limits)
    for length, older in _ways(question):
        units = bench.units(length)
        while not older and (found := found_at_once(question, bench, length, at_once)) is not None:
            pair = question.pair(found)
            examples[pair] = smallest(question, found, pair)
            question.known.add(pair)
        earlier = Earlier(question, units, older)
        question.fails = older
        outlooks = [bench.outlook(number, units) for number in range(len(question.policies))]
        judge = earlier.with_judge(question.on(bench, units), outlooks)
        try:
            for region in regions(units, judge, spent, begin(question, units)):
                run = realised(region, units, question.shown)
                if run is None:
                    lost += 1
                    continue
                pair = question.pair(run)
                examples[pair] = smallest(question, run, pair)
                question.known.add(pair)
        except UnsettledError:
            lost += 1
        mattered |= earlier.mattered
        if spent.over():
            break
    open_ = spent.why() if spent.over() else ""
    if lost and not open_:
        suggested = counted(lost, "region suggests", "regions suggest")
        open_ = f"{suggested} a difference, but no run was found that produces it"
    nodes = [*question.nodes, *(going_on_nodes(question.policies) if mattered else ())]
    if not open_ and not (exact(question.policies, nodes) and question.whole):
        open_ = at_no_point(spent.points)
    return Found(examples, undecided(open_, spent.points) if open_ else proved(spent.points))


def _ways(question: Apart) -> Iterator[tuple[int, bool]]:
    """Yield the lengths to walk, and whether iterations may have come before those of the run."""
    for length in question.lengths():
        yield length, False
        if loosens(question, length):
            yield length, True


def smallest(question: Apart, run: Run, pair: Pair) -> Run:
    """Return the run made small as long as the two decide it as `pair` says."""
    candidates: dict[str, tuple[object, ...]] = {}
    for policy in question.policies:
        candidates |= domains(policy)

    found = shrink(tuple(run), lambda smaller: question.paired(smaller, pair), candidates)
    return tuple({name: _short(value) for name, value in values.items()} for values in found)


def _short(value: object) -> object:
    """Return a whole number as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
