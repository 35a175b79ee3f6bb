"""Which rules can be true together: where their order matters, and where it does not."""

from __future__ import annotations

from exitgate.analysis.prove.backend import SOLVER, WALK
from exitgate.analysis.prove.proof import KEPT, NOTED, OVERLAP, Proof
from exitgate.analysis.results.answer import PROVED, UNDECIDED, proved, refuted, together
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.questions import Winner, evaluator
from exitgate.core.model.decision import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.analysis.prove.backend import Backend
    from exitgate.analysis.results.answer import Answer
    from exitgate.core.language.evaluation.closures import Closure
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Run = tuple[Mapping[str, object], ...]


#: There are many pairs of rules, and what is not decided of one is not a loss.
PAIR_SHARE = 0.2
#: The same for two rules of which the later one, or the one that is to decide, is not decided alone.
HARD_SHARE, HARDER_SHARE = 0.1, 0.02


def prove_overlaps(policy: CompiledPolicy, backend: Backend, only: str | None = None) -> Iterator[Proof]:
    """
    Yield for each rule what it decides although a later rule is true as well.

    Its order matters towards those of another result; it does not towards those of the same verdict and
    class, and those that are never true when it decides. `only` names one rule.
    """
    pairs = Pairs(policy, backend)
    for stage in STAGES:
        rules = deciding(policy, stage)
        for number, rule in enumerate(rules[:-1]):
            later = rules[number + 1 :]
            if only is None or rule.id == only:
                yield _proved(policy, rule, later, backend, pairs)


def _proved(
    policy: CompiledPolicy, rule: Rule, later: Sequence[Rule], backend: Backend, pairs: Pairs
) -> Proof:
    found = pairs.true_with(rule, later) if backend.asks(WALK) and not backend.asks(SOLVER) else {}
    other: list[str] = []
    same: list[str] = []
    apart: list[str] = []
    open_: list[str] = []
    nones: list[Answer] = []
    example = proved()
    for one in later:
        answer = found.get(one.id) or _reachable_together(policy, rule, one, backend, pairs)
        if answer.status == PROVED:
            apart.append(one.id)
            nones.append(answer)
        elif answer.status == UNDECIDED:
            open_.append(one.id)
            nones.append(answer)
        elif _result(one) == _result(rule):
            same.append(one.id)
        else:
            example = answer if not other else example
            other.append(one.id)
    more = tuple(
        f"{words}: {', '.join(names)}"
        for words, names in (
            ("same result", same),
            ("never true when it decides", apart),
            ("not decided", open_),
        )
        if names
    )
    if other:
        status, says, answer = NOTED, f"decides before {', '.join(other)}", example
    elif not open_:
        status, says, answer = KEPT, "its position before later rules has no effect", together(nones)
    else:
        status, answer, more = UNDECIDED, together(nones), more[:-1]
        says = f"towards {', '.join(open_)}: {answer.why}"
    return Proof(OVERLAP, rule.id, status, says, answer, more, rule.place, rule.stage)


def _reachable_together(
    policy: CompiledPolicy, rule: Rule, later: Rule, backend: Backend, pairs: Pairs
) -> Answer:
    """Return whether a rule can decide while a later one is true: not where they are never true together."""
    both = [(rule.when, True), (later.when, True)]
    if (never := backend.ask("all_be", policy, both, share=PAIR_SHARE)).status == PROVED:
        return never
    share, alone = PAIR_SHARE, None
    for one, less in ((later, HARD_SHARE), (rule, HARDER_SHARE)) if not backend.asks(SOLVER) else ():
        if (found := pairs.decides(one)).status == UNDECIDED:
            share, alone = less, found
    answer = backend.ask("can_decide_after", policy, rule.id, later.when, share=share)
    return answer if answer.status != UNDECIDED or alone is None else alone


def _result(rule: Rule) -> tuple[str, str | None]:
    return rule.effect, rule.exit_class


# Which later rules are true on an input that another one decides, from few examples.
#
# An example of one rule and those of many others are put together into one run, and the engine says which
# of them are true of it: rules over different facts need no question about each pair of them.

#: Of the time of a question, for an example of one rule.
EXAMPLE_SHARE = 0.2


class Pairs:
    """
    Examples of the rules of one policy, each asked for once.

    Args:
        policy: The policy.
        backend: Who is asked for them.
    """

    def __init__(self, policy: CompiledPolicy, backend: Backend) -> None:
        self._policy = policy
        self._backend = backend
        self._decides: dict[str, Answer] = {}
        self._true: dict[str, Run | None] = {}
        self._tests: dict[str, Closure] = {}

    def true_with(self, rule: Rule, later: Sequence[Rule]) -> dict[str, Answer]:
        """Return by id those of the `later` rules found true on an input that `rule` decides, with it."""
        decides = self.decides(rule).run
        if decides is None:
            return {}
        return _OfRule(self, Winner(self._policy, rule.id), decides).true_of(later)

    def decides(self, rule: Rule) -> Answer:
        """Return whether a rule can decide, as far as that is known after a short time."""
        if rule.id not in self._decides:
            self._decides[rule.id] = self._backend.ask(
                "can_decide", self._policy, rule.id, small=True, share=EXAMPLE_SHARE
            )
        return self._decides[rule.id]

    def example(self, rule: Rule) -> Run | None:
        """Return a small run on which the condition of a rule is true, or None where none was found."""
        if rule.id not in self._true:
            answer = self._backend.ask(
                "can_be", self._policy, rule.when, True, small=True, share=EXAMPLE_SHARE
            )
            self._true[rule.id] = answer.run
        return self._true[rule.id]

    def test(self, rule: Rule) -> Closure:
        """Return the evaluator of the condition of a rule."""
        if rule.id not in self._tests:
            self._tests[rule.id] = evaluator(self._policy, rule.when)
        return self._tests[rule.id]


class _OfRule:
    """The search for runs that one rule decides."""

    def __init__(self, pairs: Pairs, question: Winner, decides: Run) -> None:
        self._pairs = pairs
        self._question = question
        self._decides = decides
        self.found: dict[str, Answer] = {}

    def true_of(self, later: Sequence[Rule]) -> dict[str, Answer]:
        self._try(self._decides, later)
        open_ = [
            (one, run) for one in later if one.id not in self.found and (run := self._pairs.example(one))
        ]
        while open_:
            group: list[tuple[Rule, Run]] = []
            left: list[tuple[Rule, Run]] = []
            whole = self._decides
            for one, example in open_:
                more = joined(whole, example)
                (left if more is None else group).append((one, example))
                whole = whole if more is None else more
            self._halved(group)
            # the others have other values of the same facts: each group leaves fewer of them
            open_ = left if group else []
        for one in later:
            alone = None if one.id in self.found else self._pairs.example(one)
            if alone is not None:
                self._try(joined(alone, self._decides, over=True), later)
        return self.found

    def _halved(self, group: Sequence[tuple[Rule, Run]]) -> None:
        """Try the examples of a group together; where the rule does not decide then, each half of them."""
        run: Run | None = self._decides
        for _, example in group:
            run = None if run is None else joined(run, example)
        if self._try(run, [one for one, _ in group]) or len(group) < 2:
            return
        half = len(group) // 2
        self._halved(group[:half])
        self._halved(group[half:])

    def _try(self, run: Run | None, rules: Iterable[Rule]) -> bool:
        """Note the rules that are true of a run; return whether it is one that the rule decides."""
        shown = None if run is None else self._question.shown(run)
        if shown is None:
            return False
        whole = self._question.completed(shown)
        for one in rules:
            if one.id not in self.found and self._pairs.test(one)(whole) is True:
                self.found[one.id] = refuted(shown, 1)
        return True


def joined(run: Run, other: Run, over: bool = False) -> Run | None:
    """
    Return two runs as one that ends with the last iterations of both.

    None where they have different values of one fact; with `over` those of `other` count then.
    """
    length = max(len(run), len(other))
    nothing: Run = ({},)
    found = []
    for a, b in zip(
        nothing * (length - len(run)) + run, nothing * (length - len(other)) + other, strict=True
    ):
        if not over and any(name in a and not _same(a[name], value) for name, value in b.items()):
            return None
        found.append({**a, **b})
    return tuple(found)


def _same(one: object, other: object) -> bool:
    return one.__class__ is other.__class__ and one == other
