"""
Which later rules are true on an input that another one decides, from few examples.

An example of one rule and those of many others are put together into one run, and the engine says which of
them are true of it: rules over different facts need no question about each pair of them.
"""

from __future__ import annotations

from exitgate.analysis.walk.questions import Winner, evaluator
from exitgate.model.answer import refuted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.analysis.prove.asker import Asker
    from exitgate.language.closures import Closure
    from exitgate.model.answer import Answer
    from exitgate.policy.compiled import CompiledPolicy, Rule

    Run = tuple[Mapping[str, object], ...]

#: Of the time of a question, for an example of one rule.
SHARE = 0.2


class Pairs:
    """
    Examples of the rules of one policy, each asked for once.

    Args:
        policy: The policy.
        asker: Who is asked for them.
    """

    def __init__(self, policy: CompiledPolicy, asker: Asker) -> None:
        self._policy = policy
        self._asker = asker
        self._true: dict[str, Run | None] = {}
        self._tests: dict[str, Closure] = {}

    def true_with(self, rule: Rule, later: Sequence[Rule]) -> dict[str, Answer]:
        """Return by id those of the `later` rules found true on an input that `rule` decides, with it."""
        decides = self._asker.ask("can_decide", self._policy, rule.id, small=True, share=SHARE).run
        if decides is None:
            return {}
        return _OfRule(self, Winner(self._policy, rule.id), decides).true_of(later)

    def example(self, rule: Rule) -> Run | None:
        """Return a small run on which the condition of a rule is true, or None where none was found."""
        if rule.id not in self._true:
            answer = self._asker.ask("can_be", self._policy, rule.when, True, small=True, share=SHARE)
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
