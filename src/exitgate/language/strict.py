"""
Conditions read without what a policy says of the unknown.

`is unknown`, `nothing is known`, `or else`, `first` and `last` are definite where something is not known.
Read strictly they are unknown there: a strict answer that is definite holds no matter what the unknown turns
out to be.
"""

from __future__ import annotations

from exitgate.language.closures import Compilation
from exitgate.language.closures_tests import silence
from exitgate.language.functions import ON_UNKNOWN
from exitgate.language.named import reachable
from exitgate.language.unknowns import lacks_history
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.language.closures import Closure, Records
    from exitgate.language.tree import Node

_SILENT = Unknown("nothing is known, and something could be", "nothing is known")


def asks(node: Node, conditions: Mapping[str, Node]) -> bool:
    """Return whether a condition, or one that it names, can be definite because something is unknown."""
    trees = (node, *(conditions[name] for name in reachable(node, conditions)))
    return any(not ON_UNKNOWN.isdisjoint(tree.uses()) for tree in trees)


class Strict(Compilation):
    """As `Compilation`, for evaluators that are unknown where only what is unknown makes them definite."""

    __slots__ = ()

    def closure(self, node: Node) -> Closure:
        """Return the strict evaluator of a tree."""
        form = _FORMS.get(node.op)
        return super().closure(node) if form is None else form(node, self)

    def settled(self, node: Node) -> Closure:
        """Return the same of a whole condition; False where it only lacks an earlier iteration."""
        test = self.closure(node)

        def truth(records: Records) -> object:
            found = test(records)
            if found.__class__ is Unknown and lacks_history(node, records, self.parameters, self.conditions):
                return False
            return found

        return truth


def _known(node: Node, compilation: Compilation) -> Closure:
    (child,) = node.children()
    inner, known = compilation.closure(child), node.op == "known"

    def test(records: Records) -> object:
        value = inner(records)
        return value if value.__class__ is Unknown else known

    return test


def _silence(node: Node, compilation: Compilation) -> Closure:
    nothing = silence(node, compilation)
    return lambda records: _SILENT if nothing(records) is True else False


def _or_else(node: Node, compilation: Compilation) -> Closure:
    return compilation.closure(next(node.children()))


def _first_known(node: Node, compilation: Compilation) -> Closure:
    from exitgate.language.functions import CAP
    from exitgate.language.history_windows import seen

    value, window = node.args
    take = seen(window, CAP, compilation, compilation.series(value))  # type: ignore[arg-type]
    end = 0 if node.op == "first" else -1

    def strictly(records: Records) -> object:
        found = take(records)
        if end == 0 and (found.more or not found.sure[0]):
            return found.doubt()
        return found.series[0][end]

    return strictly


_FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    "known": _known,
    "unknown": _known,
    "silence": _silence,
    "or_else": _or_else,
    "first": _first_known,
    "last": _first_known,
}
