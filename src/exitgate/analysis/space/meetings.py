"""Which constants a condition compares which facts with."""

from __future__ import annotations

from exitgate.language.closures import compile_node
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

    #: Kind and value of a constant.
    Constant = tuple[str, object]

#: Operations that compare facts with constants, or against each other.
MEETINGS = frozenset((
    "compare", "is", "is_not", "in", "not_in", "between", "contains", "matches",
))  # fmt: skip
#: Operations whose answer depends on how far values lie apart, or on how many different ones there are.
MEASURING = frozenset((
    "declined", "rose", "sum", "average", "distinct", "occurrences", "cycles", "repeated", "call",
    "add", "sub", "mul", "div", "neg",
))  # fmt: skip
#: Operations that tell a value from another one of the same fact.
_TELLING_APART = frozenset(
    ("unchanged", "repeats", "repeated", "distinct", "occurrences", "cycles", "previous", "first", "last")
)


class Meetings:
    """
    The constants that each fact meets, in all conditions of some policies.

    Facts that are compared with each other, or computed from each other, meet the constants of all of
    them. A closed expression, `$a + 2`, is one constant.
    """

    def __init__(self) -> None:
        self._leader: dict[str, str] = {}
        self._met: dict[str, dict[Constant, None]] = {}
        self._measured: set[str] = set()
        self._told_apart: set[str] = set()

    def read(self, policy: CompiledPolicy, trees: Iterable[Node]) -> None:
        """Add what the conditions and formulas `trees` of a policy compare with each other."""
        for tree in trees:
            for part in tree.walk():
                if part.op in MEETINGS or part.op in MEASURING:
                    self._read(part, policy)
                names = _facts(part)
                if names and (part.op in _TELLING_APART or (part.op in MEETINGS and len(names) > 1)):
                    self._told_apart.add(names[0])
        for fact in policy.derived:
            if fact.formula is not None:
                self._join([fact.name, *_facts(fact.formula)])

    def of(self, name: str) -> tuple[Constant, ...]:
        """Return the constants that the fact meets."""
        leader = self._found(name)
        return tuple(one for n, met in self._met.items() if self._found(n) == leader for one in met)

    def is_measured(self, name: str) -> bool:
        """Return whether it matters how far apart its values lie."""
        leader = self._found(name)
        return any(self._found(one) == leader for one in self._measured)

    def is_told_apart(self, name: str) -> bool:
        """Return whether it matters if two values of it, or of facts it is compared with, are the same."""
        leader = self._found(name)
        return any(self._found(one) == leader for one in self._told_apart)

    def _read(self, part: Node, policy: CompiledPolicy) -> None:
        names = _facts(part)
        if not names:
            return
        self._join(names)
        if part.op in MEASURING:
            self._measured.add(names[0])
        met = self._met.setdefault(names[0], {})
        met |= dict.fromkeys(_constants(part, policy))
        if part.op == "matches":
            met["text", part.args[-1]] = None

    def _join(self, names: Iterable[str]) -> None:
        first, *others = dict.fromkeys(names)
        for other in others:
            self._leader[self._found(other)] = self._found(first)

    def _found(self, name: str) -> str:
        while (leader := self._leader.get(name, name)) != name:
            name = leader
        return name


def _facts(tree: Node) -> list[str]:
    return list(dict.fromkeys(str(part.args[0]) for part in tree.walk() if part.op == "fact"))


def _constants(tree: Node, policy: CompiledPolicy) -> Iterator[Constant]:
    """Yield the value of every part that reads no fact, of the largest such parts only."""
    for child in tree.children():
        if any(part.op in ("fact", "condition", "silence") for part in child.walk()):
            yield from _constants(child, policy)
            continue
        parts = [child] if child.op != "list" else list(child.children())
        for part in parts:
            value = compile_node(part, policy.values(), policy.conditions)([{}])
            kind = part.type.kind if part.type is not None else "number"
            if value is not None and not isinstance(value, Unknown):
                yield kind, value
