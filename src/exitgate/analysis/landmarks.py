"""The values at which the conditions of a policy change their answer."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]

_LITERALS = frozenset(("number", "percent", "duration", "money", "text", "enum", "bool"))
_COMPARES = frozenset(("compare", "is", "is_not", "between", "in", "not_in"))
#: Forms that compare a fact with its own earlier values.
_AGAINST_EARLIER = frozenset((
    "unchanged", "declined", "rose", "repeats", "repeated", "distinct", "previous", "occurrences", "cycles",
))  # fmt: skip


class Landmarks:
    """
    What the facts and parameters that can matter in one stage are compared with.

    `facts` and `parameters` map each name to the values it meets, in order of appearance. A fact
    that no condition compares with anything is there with no values. `computed` holds the facts
    that feed a formula or a sum, where no constant marks the border.
    """

    def __init__(self, policy: CompiledPolicy, records: Records, stage: str) -> None:
        self.facts: dict[str, list[object]] = {}
        self.parameters: dict[str, list[object]] = {}
        self.computed: set[str] = set()
        self._policy = policy
        self._records = records
        self._derived = {fact.name: fact for fact in policy.derived}
        self._entered: set[str] = set()
        for rule in policy.rules:
            if rule.stage == stage and rule.effect != "warn" and rule.mode == "enforce":
                self._enter(rule.when)

    def _enter(self, tree: Node) -> None:
        for node in tree.walk():
            if node.op == "fact":
                self._mention(str(node.args[0]))
            elif node.op == "parameter":
                self.parameters.setdefault(str(node.args[0]), [])
            elif node.op == "condition":
                self._enter_once("@" + str(node.args[0]), self._policy.conditions[str(node.args[0])])
            elif node.op in _COMPARES:
                self._compare(node)
            elif node.op in _AGAINST_EARLIER:
                self._earlier(node)

    def _mention(self, name: str) -> None:
        derived = self._derived.get(name)
        if derived is None:
            self.facts.setdefault(name, [])
            return
        for signal in derived.signals:
            self._mention(signal)
            if signal in self.facts:
                self._meet(self.facts, signal, _around(self._records, signal))
        for number, row in enumerate(derived.rows):
            self._enter_once(f"{name}#{number}", row.when)
        if derived.formula is not None:
            self._enter_once(name, derived.formula)
            self.computed.update(str(n.args[0]) for n in derived.formula.walk() if n.op == "fact")

    def _enter_once(self, key: str, tree: Node) -> None:
        if key not in self._entered:
            self._entered.add(key)
            self._enter(tree)

    def _compare(self, node: Node) -> None:
        sides = list(_operands(node))
        for side in sides:
            others = [value for other in sides if other is not side for value in self._values(other)]
            if side.op == "fact":
                self._meet(self.facts, str(side.args[0]), others)
            elif side.op == "parameter":
                self._meet(self.parameters, str(side.args[0]), others)
            elif side.op not in _LITERALS:
                self.computed.update(str(n.args[0]) for n in side.walk() if n.op == "fact")

    def _earlier(self, node: Node) -> None:
        for child in node.children():
            if child.op == "fact" and str(child.args[0]) not in self._derived:
                name = str(child.args[0])
                self._meet(self.facts, name, [r[name] for r in self._records[:-1] if name in r])

    def _values(self, node: Node) -> list[object]:
        if node.op in _LITERALS:
            return [node.args[0]]
        if node.op == "parameter":
            return [self._policy.parameters[str(node.args[0])].value]
        if node.op == "fact":
            return [self._records[-1].get(str(node.args[0]))]
        return []

    def _meet(self, where: dict[str, list[object]], name: str, values: list[object]) -> None:
        if where is self.facts and name in self._derived:
            return
        met = where.setdefault(name, [])
        met.extend(v for v in values if not any(v is m or (type(v) is type(m) and v == m) for m in met))


def _around(records: Records, name: str) -> list[object]:
    """Return earlier values of a signal of progress, and for a number the next ones: there it moves."""
    earlier = [record[name] for record in records[:-1] if name in record]
    numbers = [value for value in earlier if isinstance(value, int | float) and not isinstance(value, bool)]
    return [*earlier, *([max(numbers) + 1, max(min(numbers) - 1, 0)] if numbers else [])]


def _operands(node: Node) -> Iterator[Node]:
    for child in node.children():
        if child.op == "list":
            yield from child.children()
        else:
            yield child
