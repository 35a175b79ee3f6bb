"""From the conditions of a policy to parts over the slots of a space."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.conditions import (
    Both,
    Chain,
    Counted,
    Definite,
    Either,
    Not,
    Part,
    Passed,
    Test,
    bit,
)
from exitgate.analysis.counterfactuals.last_iteration import BREAKER, deciding
from exitgate.analysis.space.exactness import exact
from exitgate.core.engine.breaker import Shown, move
from exitgate.core.engine.breaker import facts_of as facts_of_state
from exitgate.core.engine.record import is_blind, unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.functions import CONDITION_ARGS
from exitgate.core.language.measure import facts_of, lookback
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.counterfactuals.search_space import Point, Result, SearchSpace
    from exitgate.core.policy.compiled import Rule


#: Conditions of a breaker that are looked at one by one; a test of one with more is asked as a whole.
CONDITIONS = 5


class Builder:
    """Makes parts; the same condition is one part wherever it is."""

    def __init__(self, space: SearchSpace) -> None:
        self._space = space
        self._policy = space.played.policy
        self._parameters = self._policy.values()
        unread = unread_facts(self._policy)
        #: One for all tests: a condition that several name is made once.
        self._compilation = Compilation(self._parameters, self._policy.conditions, unread)
        self._made: dict[int, tuple[Node, Part]] = {}
        self._definite: dict[str, Part] = {}
        self._silent: dict[str, Chain] = {}
        self._going: dict[str, Chain] = {}
        self._earlier = space.played.earlier

    def goals(self, result: Result) -> tuple[Part, ...]:
        """Return conditions that are true where the space is decided as `result`: one of them is."""
        stages = self._space.played.stages
        if result[0] == CONTINUE:
            return (Passed([*(self._goes_on(stage).first() for stage in stages), *self._not_blind()]),)
        found = []
        before: list[Part] = []
        for stage in stages:
            above = self._above(stage)
            for number, rule in enumerate(deciding(self._policy, stage)):
                if (EXIT, rule.exit_class) == result and rule.effect == "exit":
                    found.append(Passed([*before, self._is_true(rule), above.first(number)]))
            before += [self._goes_on(stage).first(), *self._not_blind()]
        return tuple(found)

    def _is_true(self, rule: Rule) -> Part:
        if rule.id not in self._definite:
            self._definite[rule.id] = Definite([self.part(rule.when)])
        return self._definite[rule.id]

    def _above(self, stage: str) -> Chain:
        """Return for each deciding rule of a stage that it is not true, in order."""
        if stage not in self._silent:
            rules = deciding(self._policy, stage)
            self._silent[stage] = Chain([Not([self._is_true(one)]) for one in rules], self._space.start)
        return self._silent[stage]

    def _goes_on(self, stage: str) -> Chain:
        """Return for each exit rule of a stage that it is not true, or that one above it says to go on."""
        if stage not in self._going:
            going: tuple[Part, ...] = ()
            one_goes: Part | None = None
            found: list[Part] = []
            for rule in deciding(self._policy, stage):
                if rule.effect != "exit":
                    going = (*going, self._is_true(rule))
                    one_goes = Either(going)
                    continue
                silent = Not([self._is_true(rule)])
                found.append(Either([silent, one_goes]) if one_goes else silent)
            self._going[stage] = Chain(found, self._space.start)
        return self._going[stage]

    def _not_blind(self) -> list[Part]:
        """Return that the run does not end because too many decisions in a row were blind."""
        space, program = self._space, self._space.played.program
        if not space.may_end_blind:
            return []

        def ask(point: Point) -> int:
            return bit(not is_blind(space.whole(point), program.read))

        read = program.read
        return [Test(ask, space.slots_of(read), space.slots, True, space.alike(read))]

    def part(self, node: Node) -> Part:
        """Return the part of a boolean node at the last iteration."""
        if id(node) not in self._made:
            self._made[id(node)] = (node, self._part(node))  # the node is kept, so that its id stays its own
        return self._made[id(node)][1]

    def _part(self, node: Node) -> Part:
        if node.op == "and":
            return Both([self.part(child) for child in node.children()])
        if node.op == "or":
            return Either([self.part(child) for child in node.children()])
        if node.op == "not":
            return Not([self.part(next(node.children()))])
        if node.op == "condition":
            return self.part(self._policy.conditions[str(node.args[0])])
        return self._of_breaker(node) or self._counted(node) or self._test(node)

    def _test(self, node: Node) -> Part:
        space = self._space
        facts = space.rests.of(node)
        slots, read = space.slots_of(facts), space.read_by(node)
        ask = self._compilation.recorded(node)
        earlier = self._earlier

        def asked(point: Point) -> int:
            space.asked += 1
            return bit(ask((*earlier, read(point))))

        return Test(asked, slots, space.slots, exact([self._policy], [node]), space.alike(facts))

    def _of_breaker(self, node: Node) -> Part | None:
        """Return the part of a test of the policy's own breaker: it follows from the breaker's conditions."""
        played, policy = self._space.played, self._policy
        before, breaker = played.breaker, policy.breaker
        facts = facts_of(node, policy.conditions)
        if before is None or breaker is None or not facts or facts - BREAKER:
            return None
        if lookback(node, self._parameters, policy.conditions):
            return None
        openings, moves = breaker.openings, [n for n in (breaker.watch, breaker.close) if n is not None]
        if len(openings) + len(moves) > CONDITIONS:
            return None
        parts = [self.part(one) for one in (*(opening.when for opening in openings), *moves)]
        ask = self._compilation.recorded(node)

        def asked(truths: tuple[object, ...]) -> object:
            true = [truth is True for truth in truths]
            ids = tuple(opening.id for opening, is_so in zip(openings, true, strict=False) if is_so)
            watched = breaker.watch is not None and true[len(openings)]
            shown = Shown(ids, watched, breaker.close is not None and true[-1])
            state, _ = move(before, shown, 0.0, 0, breaker.cooldown)
            return ask(
                ({**self._space.base, **{fact.name: fact.value for fact in facts_of_state(state, 0.0)}},)
            )

        return Counted(parts, asked)

    def _counted(self, node: Node) -> Part | None:
        """Return the part of a form that counts conditions and reads nothing else, or None."""
        inner: dict[str, Node] = {}
        replaced = _replaced(node, inner)
        if not inner or facts_of(replaced, self._policy.conditions) - inner.keys():
            return None
        ask = self._compilation.recorded(replaced)
        reach = lookback(node, self._parameters, self._policy.conditions)
        earlier: list[dict[str, object]] = [{} for _ in self._earlier]
        for name, condition in inner.items():
            test = self._compilation.recorded(condition)
            for place in range(max(0, len(earlier) - reach), len(earlier)):
                earlier[place][name] = test(self._earlier[: place + 1])
        names = tuple(inner)

        def asked(truths: tuple[object, ...]) -> object:
            return ask((*earlier, dict(zip(names, truths, strict=True))))

        return Counted([self.part(condition) for condition in inner.values()], asked)


def _replaced(node: Node, inner: dict[str, Node]) -> Node:
    """Return the tree with each condition that it counts as a fact of its own; `inner` gets them by name."""
    args: list[object] = []
    for arg in node.args:
        if not isinstance(arg, Node):
            args.append(arg)
        elif node.op in CONDITION_ARGS and arg.type == BOOL:
            name = f"~{len(inner)}"
            inner[name] = arg
            args.append(Node("fact", (name,), arg.start, arg.end, BOOL))
        else:
            args.append(_replaced(arg, inner))
    return Node(node.op, tuple(args), node.start, node.end, node.type)  # type: ignore[arg-type]
