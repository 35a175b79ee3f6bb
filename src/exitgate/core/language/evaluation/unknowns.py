"""Why a condition is unknown: the leaves, with reason and origin."""

from __future__ import annotations

from exitgate.core.language import measure
from exitgate.core.language.evaluation.closures import Compilation, silence
from exitgate.core.language.evaluation.history_windows import NO_EARLIER
from exitgate.core.language.evaluation.items import Held, looked_at
from exitgate.core.language.functions import HISTORY, ON_UNKNOWN
from exitgate.core.language.measure import reachable
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.language.evaluation.closures import Closure
    from exitgate.core.language.tree import Node

    RecordSeries = Sequence[Mapping[str, object]]
    from collections.abc import Callable, Collection, Mapping

    from exitgate.core.language.evaluation.closures import Records


def unknowns(
    node: Node,
    records: RecordSeries,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
) -> tuple[Unknown, ...]:
    """
    Return every unknown that made `node` unknown, each once, in the order they are read.

    A part that is known although something in it is not (`a is unknown`, `a or else 1`, a false
    `and`) adds nothing. Under a history form all iterations it reads are looked at, oldest first. An
    unknown that no leaf explains (a division by zero) stands for itself.
    """
    search = _Search(Compilation(parameters, conditions))
    search.look(node, records)
    return tuple(search.found)


class _Search:
    """
    One search; `found` keeps the order of discovery.

    Args:
        compilation: Makes the evaluators of parts.
        closures: Those that it made before, added to here.
        only: Another unknown than this one ends the search; None continues to the end.
    """

    def __init__(
        self,
        compilation: Compilation,
        closures: dict[int, Closure] | None = None,
        only: Unknown | None = None,
    ) -> None:
        self.compilation = compilation
        self._only = only
        self._ended = False
        self.found: dict[Unknown, None] = {}
        self._closures: dict[int, Closure] = {} if closures is None else closures
        self._seen: set[tuple[int, int, int]] = set()
        self._held: list[RecordSeries] = []

    def look(self, node: Node, records: RecordSeries) -> None:
        """Add what made `node` unknown at the last of `records`."""
        # a record with an item is its own, and kept, so that its id stays its own
        key = (id(node), len(records), id(records[-1]) if isinstance(records[-1], Held) else 0)
        if self._ended or key in self._seen:
            return
        self._seen.add(key)
        value = self._closure(node)(records)
        if not isinstance(value, Unknown):
            return
        before = len(self.found)
        for child, seen in self._inner(node, records):
            self.look(child, seen)
        if len(self.found) == before and not self._explained(node, records):
            self.found[value] = None
            self._ended = self._only not in (None, value)

    def _closure(self, node: Node) -> Closure:
        closure = self._closures.get(id(node))
        if closure is None:
            closure = self._closures[id(node)] = self.compilation.closure(node)
        return closure

    def _explained(self, node: Node, records: RecordSeries) -> bool:
        """Return whether an unknown part was found before, by way of another part of the tree."""
        return any(
            isinstance(self._closure(child)(seen), Unknown) for child, seen in self._inner(node, records)
        )

    def _inner(self, node: Node, records: RecordSeries) -> list[tuple[Node, RecordSeries]]:
        """Return the parts of a node, each with the records up to an iteration it is read at."""
        if node.op in ("of_items", "count_items"):
            return self._of_items(node, records)
        if node.op == "condition":
            return [(self.compilation.conditions[str(node.args[0])], records)]
        children = [child for child in _parts(node) if child.op not in ("number", "percent", "parameter")]
        if node.op not in HISTORY:
            return [(child, records) for child in children]
        first = max(0, len(records) - 1 - measure.reach(node, self.compilation.parameters))
        return [(child, records[: i + 1]) for i in range(first, len(records)) for child in children]

    def _of_items(self, node: Node, records: RecordSeries) -> list[tuple[Node, RecordSeries]]:
        """Return a list, and the condition on it with each item."""
        listed, condition = node.children()
        parts = list(listed.children()) if listed.op == "list" else [listed]
        values = [self._closure(part)(records) for part in parts]
        items = values if listed.op == "list" else values[0]
        found: list[tuple[Node, RecordSeries]] = [(part, records) for part in parts]
        if not isinstance(items, Unknown):
            asked = list(looked_at(records, tuple(items)))  # type: ignore[arg-type]
            self._held += asked
            found += [(condition, one) for one in asked]
        return found


def _parts(node: Node) -> Iterator[Node]:
    """Yield the parts of an operation, of a window its length, clock and key."""
    for child in node.children():
        if child.op == "window":
            yield from child.children()
        else:
            yield child


# Conditions read without what a policy says of the unknown.
#
# `is unknown`, `nothing is known`, `or else`, `first` and `last` are definite where something is not known.
# Read strictly they are unknown there: a strict answer that is definite holds no matter what the unknown
# turns out to be. Of one that is not, `Strict.outcomes` says what it can come out as.

#: Reason of what is unknown because the value under `unreadable:` was taken away.
STAND_IN = "it cannot be read; the policy says what to take for it"

_ANY = frozenset((True, False, None))
_BOTH: dict[bool, frozenset[bool | None]] = {True: frozenset((True,)), False: frozenset((False,))}
#: Operations that are known only where each of their parts is.
_OF_KNOWN = frozenset(("compare", "is", "is_not", "add", "sub", "neg"))
_SILENT = Unknown("nothing is known, and something could be", "nothing is known")


def asks(node: Node, conditions: Mapping[str, Node]) -> bool:
    """Return whether a condition, or one that it names, can be definite because something is unknown."""
    trees = (node, *(conditions[name] for name in reachable(node, conditions)))
    return any(not ON_UNKNOWN.isdisjoint(tree.uses()) for tree in trees)


class Strict(Compilation):
    """As `Compilation`, for evaluators that are unknown where only what is unknown makes them definite."""

    __slots__ = ("_asking", "_closures", "_outcomes", "_plain", "_records", "_values")

    def __init__(
        self,
        parameters: Mapping[str, object],
        conditions: Mapping[str, Node],
        unread: Collection[str] = (),
    ) -> None:
        super().__init__(parameters, conditions, unread)
        #: By the identity of a node, which is held here.
        self._closures: dict[int, tuple[Node, Closure]] = {}
        #: Likewise, whether it asks; and evaluators that are not strict, with those they were made by.
        self._asking: dict[int, tuple[Node, bool]] = {}
        self._plain: tuple[Compilation, dict[int, Closure]] | None = None
        #: What conditions can come out as over `_records`: many rules name the same ones.
        self._outcomes: dict[str, frozenset[bool | None]] = {}
        #: What parts of conditions come to over them, by the identity of the part, which is held above.
        self._values: dict[int, object] = {}
        self._records: Records | None = None

    def closure(self, node: Node) -> Closure:
        """Return the strict evaluator of a tree, made once."""
        known = self._closures.get(id(node))
        if known is None:
            form = _FORMS.get(node.op)
            made = super().closure(node) if form is None else form(node, self)
            known = self._closures[id(node)] = node, made
        return known[1]

    def settled(self, node: Node) -> Closure:
        """Return the same of a whole condition; False where no value for the unknown makes it true."""
        test = self.closure(node)

        def truth(records: Records) -> object:
            found = test(records)
            return found if found.__class__ is not Unknown or True in self.outcomes(node, records) else False

        return truth

    def outcomes(self, node: Node, records: Records) -> frozenset[bool | None]:
        """
        Return what a condition can come out as with values for some of the unknown; None for unknown.

        It stays unknown as long as it compares with an iteration that does not exist. Each fact counts
        wherever it is named: `a and not a` can be either.
        """
        if node.op == "condition":
            return self._of_condition(str(node.args[0]), records)
        # what joins parts comes to what they come to: it is not evaluated by itself
        if node.op == "not":
            inner = self.outcomes(next(node.children()), records)
            return frozenset([None if one is None else not one for one in inner])
        if node.op in ("and", "or"):
            return self._of_joined(node, records, node.op == "or")
        value = self._value(node, records)
        if isinstance(value, bool):
            return _BOTH[value]
        first, *_ = children = list(node.children()) or [node]
        if node.op in ("known", "unknown"):
            if self._is_lasting(first, records):
                return frozenset((node.op == "unknown",))
            if self._is_declared(first, records):
                return frozenset((node.op == "known",))
            return frozenset((True, False))
        if node.op == "or_else":
            found = self.outcomes(first, records)
            return found if None not in found else (found - {None}) | self.outcomes(children[1], records)
        return frozenset((None,)) if self._is_lasting(node, records) else _ANY

    def _of_joined(self, node: Node, records: Records, ends: bool) -> frozenset[bool | None]:
        """Return what parts joined by `and`, or by `or`, can come out as; one that is `ends` settles it."""
        found: frozenset[bool | None] = _BOTH[not ends]
        for child in node.children():
            if found == _BOTH[ends]:
                break
            others = self.outcomes(child, records)
            found = frozenset([joined(one, other, ends) for one in found for other in others])
        return found

    def _of_condition(self, name: str, records: Records) -> frozenset[bool | None]:
        if records.__class__ is not tuple:  # another may be appended to it
            return self.outcomes(self.conditions[name], records)
        if records is not self._records:
            self._records = records
            self._outcomes, self._values = {}, {}
        found = self._outcomes.get(name)
        if found is None:
            kept = self._outcomes
            found = kept[name] = self.outcomes(self.conditions[name], records)
        return found

    def _value(self, node: Node, records: Records) -> object:
        if records is not self._records:
            return self.closure(node)(records)
        key, kept = id(node), self._values
        if key not in kept:
            kept[key] = self.closure(node)(records)
        return kept[key]

    def _is_declared(self, node: Node, records: Records) -> bool:
        """Return whether a part is unknown only without values that the policy declares for facts."""
        value = self._value(node, records)
        if node.op in _OF_KNOWN:
            parts = node.children()
            return all(
                not isinstance(self.closure(part)(records), Unknown) or self._is_declared(part, records)
                for part in parts
            )
        return node.op == "fact" and isinstance(value, Unknown) and value.reason == STAND_IN

    def _is_lasting(self, node: Node, records: Records) -> bool:
        """Return whether a part stays unknown, as it compares with an iteration that does not exist."""
        value = self._value(node, records)
        if not isinstance(value, Unknown):
            return False
        if node.op == "previous":
            return len(records) < 2 or self._is_lasting(next(node.children()), records[:-1])
        if node.op in _OF_KNOWN:
            return any(self._is_lasting(child, records) for child in node.children())
        if node.op == "or_else":
            return all(self._is_lasting(child, records) for child in node.children())
        if node.op in ("not", "and", "or", "condition"):
            return self.outcomes(node, records) == {None}
        return not self._asks(node) and self._only_without_earlier(node, records)

    def _asks(self, node: Node) -> bool:
        known = self._asking.get(id(node))
        if known is None:
            known = self._asking[id(node)] = node, asks(node, self.conditions)
        return known[1]

    def _only_without_earlier(self, node: Node, records: Records) -> bool:
        """Return whether a part is unknown only because there is no earlier iteration."""
        if self._plain is None:
            self._plain = Compilation(self.parameters, self.conditions), {}
        search = _Search(*self._plain, only=NO_EARLIER)
        search.look(node, records)
        return set(search.found) == {NO_EARLIER}


def joined(one: bool | None, other: bool | None, ends: bool) -> bool | None:
    """Return `one and other` where False `ends` it, `one or other` where True does."""
    if ends in (one, other):
        return ends
    return None if None in (one, other) else not ends


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
    from exitgate.core.language.evaluation.history_windows import seen
    from exitgate.core.language.functions import CAP

    take = seen(node.optional(1), CAP, compilation, compilation.series(node.child(0)))
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
