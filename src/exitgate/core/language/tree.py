"""
The one tree of the condition language.

The parser makes it without types, the checker returns it with types, the evaluators, the unparser,
`explain` and the cache read it. Children that are conditions or values are `Node`s; everything else
among `args` is a plain JSON scalar (or None), so a tree is JSON as it stands.

    op              args                                        written
    or, and         node, node, ...  (two or more, flat)        a or b or c
    not             node                                        not a
    compare         sign, left, right                           a >= b      (>= <= == != < >)
    is, is_not      left, right                                 a is OPEN
    known, unknown  node                                        a is known
    in, not_in      node, list                                  a in [B, C]
    between         node, low, high                             a between 1 and 5
    contains        node, node                                  a contains "x"
    matches         node, pattern                               a matches "^x"     (RE2, a str)
    unchanged       node, n                                     a unchanged for 3 iterations
    declined, rose  node, by, window|None                       a declined by 70% over last 3
    repeats         node, n, window|None                        a repeats 3 times within last 5
    consecutive     node, n                                     (P) for 3 consecutive iterations
    after           n                                           after 4 iterations
    aged            duration                                    after 45m    (checked: a comparison)
    quantified      quantifier, n|None, window, node            at least 3 of last 5 where (P)
    of_items        quantifier, list, node                      any of LIST where (P)       (any, all)
    count_items     list, node                                  count of LIST where (P)
    item                                                        item      (within these conditions)
    silence                                                     nothing is known
    add sub mul div left, right                                 a + b
    neg             node                                        -a
    or_else         node, node                                  a or else b
    number          value                                       12  0.5
    percent         value                                       70%
    duration        seconds, text                               30m
    money           amount, currency                            5 USD
    text            value                                       "x"
    enum            member                                      OPEN
    bool            value                                       true
    list            node, ...                                   [A, B]
    fact            name                                        tasks.done
    parameter       name                                        $min_completion
    condition       name                                        @plan_done
    call            function, argument nodes ...                min(a, b)
    streak          node, skipping node|None, window|None       streak(P) skipping (Q)
    count           node, window                                count(P, last 5)
    repeated        node, window|None                           repeats(x)
    first last previous distinct average sum occurrences cycles largest smallest median deviation
                    node, window|None                           history functions, see functions.py
    percentile      node, share, window|None                    percentile(a, 95%, last 20)

    window          n or duration, clock|None, key|None         last 45m    last 20 per tasks.current

`n`, `by` and `share` are nodes of op number, percent or parameter. A `window`, and the `n` of unchanged and
consecutive, may also be of op window: `clock` is the fact that times are compared by, None where iterations
are counted, and `key` the fact whose value this iteration and those looked at share. A parameter that is a
duration becomes one when the tree is checked. A `quantifier` is one of
`any`, `all`, `at_least`, `at_most`.
"""

from __future__ import annotations

from exitgate.core.model.value import Type, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Scalar = str | int | float | bool | None


#: The fact that windows in time compare.
ELAPSED = "clock.elapsed"

#: Operations whose first argument is a name.
_NAMING = ("fact", "parameter", "condition")


class _Analysis(Value):
    """
    What was found out about a tree, kept with its top node; it is not a part of its value.

    `measured` belongs to `exitgate.core.language.measure`, `typed` to `exitgate.core.language.checker.check`,
    `silent` to `exitgate.core.language.silence`, `_uses` to `Node.uses`.
    """

    __slots__ = ("_uses", "measured", "silent", "typed")
    _uses: Mapping[str, tuple[str, ...]]
    measured: tuple[int, int, int]
    silent: tuple[object, tuple[Node, ...], Node | None]
    typed: tuple[object, Node]


class Node(_Analysis):
    """
    One operation of a condition.

    Args:
        op: One of the operations in the table above.
        args: Children and scalars, as the table says.
        start: Offset in characters of its first character in the text of the condition.
        end: Offset behind its last character.
        type: Set by the checker, None before.

    Two nodes are equal when they mean the same: places and types are not compared.
    """

    __slots__ = ("args", "end", "op", "start", "type")

    def __init__(
        self,
        op: str,
        args: tuple[Node | Scalar, ...] = (),
        start: int = 0,
        end: int = 0,
        type: Type | None = None,
    ) -> None:
        self.op = op
        self.args = args
        self.start = start
        self.end = end
        self.type = type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.op == other.op and self.args == other.args

    def __hash__(self) -> int:
        return hash((self.op, self.args))

    def children(self) -> Iterator[Node]:
        """Yield the child nodes from left to right."""
        return (arg for arg in self.args if isinstance(arg, Node))

    def child(self, index: int) -> Node:
        """Return the argument at an index that is a node; `TypeError` where it is not one."""
        found = self.optional(index)
        if found is None:
            raise TypeError(f"argument {index} of `{self.op}` is not a node")
        return found

    def optional(self, index: int) -> Node | None:
        """Return the argument at an index where it is a node, else None."""
        arg = self.args[index]
        return arg if isinstance(arg, Node) else None

    def mapped(self, change: Callable[[Node], Node]) -> Node:
        """Return this node with each of its children changed; place and type stay."""
        args = tuple([change(arg) if isinstance(arg, Node) else arg for arg in self.args])
        return Node(self.op, args, self.start, self.end, self.type)

    def walk(self) -> Iterator[Node]:
        """Yield this node and everything below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            for arg in reversed(node.args):
                if isinstance(arg, Node):
                    stack.append(arg)

    def uses(self) -> Mapping[str, tuple[str, ...]]:
        """
        Return the operations in the tree itself, each with the names that are used there.

        Only facts, parameters and named conditions have names: from left to right, each once. Asked again,
        nothing is walked through again.
        """
        try:
            return self._uses
        except AttributeError:
            found: dict[str, dict[str, None]] = {}
            for node in self.walk():
                names = found.setdefault(node.op, {})
                if node.op in _NAMING:
                    names[str(node.args[0])] = None
            self._uses = {op: tuple(names) for op, names in found.items()}
            return self._uses

    def to_json(self) -> list[object]:
        """Return ``[op, start, end, type, args...]`` as plain JSON; a child is a list."""
        plain = self.type.to_json() if self.type is not None else None
        args = [arg.to_json() if isinstance(arg, Node) else arg for arg in self.args]
        return [self.op, self.start, self.end, plain, *args]

    @staticmethod
    def from_json(plain: list[object]) -> Node:
        """Return the tree that `to_json` wrote."""
        op, start, end, kind, *rest = plain
        args = tuple([Node.from_json(a) if a.__class__ is list else a for a in rest])
        type_ = Type.from_json(kind) if kind is not None else None
        if op.__class__ is not str or start.__class__ is not int or end.__class__ is not int:
            raise TypeError("not a tree")
        return Node(op, args, start, end, type_)  # type: ignore[arg-type]


def timed(size: Node) -> Node:
    """Return the window in time of a duration, or of a parameter that is one."""
    clock = Node("fact", (ELAPSED,), size.start, size.end)
    return Node("window", (size, clock, None), size.start, size.end)
