"""Which truths a condition can come out with where some facts are always unknown."""

from __future__ import annotations

from exitgate.language.measure import is_chosen
from exitgate.language.tree import ELAPSED, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.policy.compiled import CompiledPolicy

    #: True, False, and None for unknown.
    Truths = frozenset[bool | None]

_ANY: Truths = frozenset((True, False, None))
_KNOWN: Truths = frozenset((True, False))
_OPEN: Truths = frozenset((None,))
#: A look back is false as long as there is too little history.
_NEVER: Truths = frozenset((False, None))

_LOOKS_BACK = frozenset(("unchanged", "declined", "rose", "repeats"))
#: What has to last for a time, by a clock.
_LASTS = frozenset(("consecutive", "unchanged", "declined", "rose"))
_COUNTS = frozenset(("streak", "count"))


class Reachable:
    """
    Conditions of a policy under facts that are always unknown.

    It errs to the side of more: what it says cannot be, cannot be.

    Args:
        policy: Its conditions and computed facts are looked through.
        unknown: Names of the facts.
    """

    def __init__(self, policy: CompiledPolicy, unknown: frozenset[str]) -> None:
        self._policy = policy
        self._unknown = set(unknown)
        for fact in policy.derived:
            if fact.formula is not None and self._never_known(fact.formula):
                self._unknown.add(fact.name)
            if fact.signals and fact.type.kind == "bool" and all(s in self._unknown for s in fact.signals):
                self._unknown.add(fact.name)

    def truths(self, node: Node) -> Truths:
        """Return the truths that a condition can have."""
        children = [child for child in node.args if isinstance(child, Node)]
        if node.op == "bool":
            return frozenset((bool(node.args[0]),))
        if node.op == "condition":
            return self.truths(self._policy.conditions[str(node.args[0])])
        if node.op == "not":
            return frozenset(None if t is None else not t for t in self.truths(children[0]))
        if node.op in ("and", "or"):
            return _joined(node.op, [self.truths(child) for child in children])
        if node.op in ("known", "unknown"):
            return frozenset((node.op == "unknown",)) if self._never_known(children[0]) else _KNOWN
        if node.op == "or_else":
            first, second = (self.truths(child) for child in children)
            return (first - _OPEN) | second
        if node.op in _LASTS and is_chosen(node) and ELAPSED in self._unknown:
            return _NEVER
        if node.op == "consecutive":
            return _ANY if True in self.truths(children[0]) else _NEVER
        if node.op == "quantified":
            few = node.args[0] == "at_most"
            return _ANY if few or True in self.truths(children[-1]) else _NEVER
        if node.op in _LOOKS_BACK:
            return _NEVER if self._never_known(children[0]) else _ANY
        return _OPEN if self._never_known(node) else _ANY

    def asked(self, conditions: Iterable[Node]) -> frozenset[str]:
        """Return the names of all facts that conditions rest on, through conditions and computed facts."""
        found: set[str] = set()
        waiting = list(conditions)
        derived = {fact.name: fact for fact in self._policy.derived}
        while waiting:
            for node in waiting.pop().walk():
                name = str(node.args[0]) if node.op in ("fact", "condition") else ""
                if node.op == "condition":
                    waiting.append(self._policy.conditions[name])
                elif name and name not in found:
                    found.add(name)
                    fact = derived.get(name)
                    if fact is not None:
                        waiting += [row.when for row in fact.rows]
                        waiting += [fact.formula] if fact.formula is not None else []
                        found.update(fact.signals)
        return frozenset(found)

    def _never_known(self, node: Node) -> bool:
        """Return whether a value is unknown no matter what else is."""
        children = [child for child in node.args if isinstance(child, Node)]
        if node.op == "fact":
            return str(node.args[0]) in self._unknown
        if node.op == "or_else":
            return all(self._never_known(child) for child in children)
        if node.op in _COUNTS:
            return False
        if node.op in ("of_items", "count_items"):
            return self._never_known(children[0])
        if node.op in ("and", "or", "not", "condition", "known", "unknown", "consecutive", "quantified"):
            return self.truths(node) == _OPEN
        if node.op in ("contains", "compare", "is", "is_not", "between", "in", "not_in", "matches"):
            return any(self._never_known(child) for child in children)
        if node.op in ("add", "sub", "mul", "div", "neg"):
            return any(self._never_known(child) for child in children)
        return False


def _joined(op: str, parts: list[Truths]) -> Truths:
    """Return the truths of a strong Kleene `and` or `or`."""
    decides = op == "or"
    found: Truths = frozenset((not decides,))
    for part in parts:
        found = frozenset(
            decides if decides in (a, b) else None if None in (a, b) else not decides
            for a in found
            for b in part
        )
    return found
