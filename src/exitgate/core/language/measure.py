"""What can be said about a condition without evaluating it: how far back, how expensive, which facts."""

from __future__ import annotations

from exitgate.core.language.functions import HISTORY_FORMS, HISTORY_OPS, ITEM_LIMIT, NO_WINDOW, TIMED_LIMIT
from exitgate.core.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.language.tree import Node


#: Characters a condition may have.
LENGTH_LIMIT = 4000

#: Evaluations of a node that one condition may cost at most (`measures`).
COST_LIMIT = 10_000

#: Earlier iterations that one condition may read at most (`lookback`).
LOOKBACK_LIMIT = 2_000

#: Levels of a tree with the trees of its named conditions put in their places.
EXPANDED_DEPTH_LIMIT = 200

#: Operation -> where among its args the window and the number of iterations or times are.
_WINDOW_AT = {
    **{op: form.window for op, form in HISTORY_FORMS.items()},
    **{op: -1 for op, function in HISTORY_OPS.items() if function.window != NO_WINDOW},
}
_NUMBER_AT = {op: form.number for op, form in HISTORY_FORMS.items() if form.number is not None}

#: Operations that may read earlier iterations at all: those that `reach` is not 0 for.
_READING_BACK = frozenset((*_WINDOW_AT, "previous"))

#: Operations that read their window behind the current iteration, not up to and with it.
_BEHIND = frozenset(op for op, form in HISTORY_FORMS.items() if form.behind)


def reach(node: Node, parameters: Mapping[str, object]) -> int:
    """
    Return how many iterations before the current one this operation itself reads, 0 without history.

    N iterations for ``unchanged for N``, N for ``over last N`` (1 without it), N - 1 for ``after N``, ``for N
    consecutive``, ``last N`` and ``repeats N times``; `TIMED_LIMIT` for a time, but 0 for ``after 45m``: it
    reads the current clock alone. `parameters` are effective values by name.
    """
    if node.op == "previous":
        return 1
    if node.op == "after" and is_timed(node.args[0]):
        return 0
    if node.op not in _WINDOW_AT:
        return 0
    window = node.args[_WINDOW_AT[node.op]]
    if window is None and node.op == "repeats":
        window = node.args[1]
    if window is None:
        return HISTORY_OPS[node.op].cap - 1 if node.op in HISTORY_OPS else 1
    if is_timed(window):
        return TIMED_LIMIT
    size = _size(window, parameters)
    return size if node.op in _BEHIND else max(0, size - 1)


def is_timed(window: object) -> bool:
    """Return whether a window is a length of time."""
    return isinstance(window, Node) and window.op == "window" and window.args[1] is not None


def is_chosen(node: Node) -> bool:
    """Return whether a form looks at the iterations of a time, or at those that share a key."""
    return any(child.op == "window" for child in node.children())


def _size(node: object, parameters: Mapping[str, object]) -> int:
    """Return the whole number that a literal or a parameter stands for."""
    assert isinstance(node, Node)
    first = node.args[0]
    if isinstance(first, Node):
        return _size(first, parameters)
    value = parameters[str(first)] if node.op == "parameter" else first
    assert isinstance(value, (int, float))
    return int(value)


def _items(node: Node, parameters: Mapping[str, object]) -> int:
    """Return at how many items of a list a condition on them is asked, at most."""
    listed = next(node.children())
    if listed.op == "list":
        return min(len(listed.args), ITEM_LIMIT)
    value = parameters[str(listed.args[0])] if listed.op == "parameter" else None
    return min(len(value), ITEM_LIMIT) if isinstance(value, tuple | list) else ITEM_LIMIT


def measures(
    node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node]
) -> tuple[int, int, int]:
    """
    Return how far back a condition reads, what it costs and how deep it is, for one walk over its trees.

    How far back: earlier iterations that it can read, 0 when only the current one. History forms inside one
    another add up: the inner one is evaluated at the oldest iteration of the outer one. Cost: nodes that one
    evaluation visits at most; a node costs 1 and its children, which under a history form count once for each
    iteration it reads (``after`` only counts them), a condition on a list once for each item, and named
    conditions count at each use. Depth: levels of the tree, named conditions put in their places; a leaf is
    1. Raises `KeyError` for a parameter without a value.
    """

    named: dict[str, tuple[int, int, int]] = {}

    def walk(part: Node) -> tuple[int, int, int]:
        own = reach(part, parameters)
        back, dear, deep = own, 0, 0
        if part.op == "condition":
            below = [named.get(str(part.args[0]), (0, 0, 0))]
        else:
            below = [walk(child) for child in part.children()]
        if part.op in ("of_items", "count_items"):
            other, its, levels = below[-1]
            below[-1] = other, its * _items(part, parameters), levels
        for other, its, levels in below:
            back, dear, deep = max(back, own + other), dear + its, max(deep, levels)
        times = 1 if part.op == "after" else own + 1
        return back, 1 + times * dear, 1 + deep

    for name in reachable(node, conditions):
        tree = conditions[name]
        if "condition" in tree.uses() or not _READING_BACK.isdisjoint(tree.uses()):
            named[name] = walk(tree)
            continue
        # neither parameters nor other conditions change anything: found out once
        if not hasattr(tree, "measured"):
            tree.measured = walk(tree)
        named[name] = tree.measured
    return walk(node)


def lookback(node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node]) -> int:
    """Return how many earlier iterations a condition can read, the first of its `measures`."""
    if not reads_back(node, conditions):
        return 0
    return measures(node, parameters, conditions)[0]


def reads_back(node: Node, conditions: Mapping[str, Node]) -> bool:
    """Return whether anything in the condition, or in those it uses, reads earlier iterations."""
    if not names_in(node):
        return not _READING_BACK.isdisjoint(node.uses())
    trees = [node, *(conditions[name] for name in reachable(node, conditions))]
    return not all(_READING_BACK.isdisjoint(tree.uses()) for tree in trees)


def facts_of(node: Node, conditions: Mapping[str, Node]) -> frozenset[str]:
    """Return the full names of all facts the condition names, also by way of named conditions."""
    return _used("fact", node, conditions)


def _used(op: str, node: Node, conditions: Mapping[str, Node]) -> frozenset[str]:
    if not names_in(node):
        return frozenset(node.uses().get(op, ()))
    trees = [node, *(conditions[name] for name in reachable(node, conditions))]
    return frozenset(name for tree in trees for name in tree.uses().get(op, ()))


def parameters_of(node: Node, conditions: Mapping[str, Node]) -> frozenset[str]:
    """Return the names (without ``$``) of all parameters the condition uses."""
    return _used("parameter", node, conditions)


def sizes_of(node: Node) -> tuple[Node, ...]:
    """
    Return what gives a number of iterations or times, and no duration: literals and parameters.

    A policy uses it to check the values of such parameters: 1 to `functions.WINDOW_LIMIT`.
    """
    found: list[Node] = []
    if _READING_BACK.isdisjoint(node.uses()):
        return ()
    for part in node.walk():
        places = {table[part.op] for table in (_WINDOW_AT, _NUMBER_AT) if part.op in table}
        for arg in (part.args[place] for place in sorted(places)):
            if isinstance(arg, Node) and not is_timed(arg):
                found.append(arg if arg.op != "window" else next(arg.children()))
    return tuple(found)


def spans_of(node: Node) -> tuple[Node, ...]:
    """Return the nodes of the tree that give a length of time to look back: literals and parameters."""
    return tuple(next(part.children()) for part in node.walk() if is_timed(part))


# Named conditions: which a tree uses, in which order they can be worked through, and circles.


def names_in(node: Node) -> tuple[str, ...]:
    """Return the names of the conditions that the tree itself uses, from left to right, each once."""
    return node.uses().get("condition", ())


def reachable(node: Node, conditions: Mapping[str, Node]) -> tuple[str, ...]:
    """
    Return every condition the tree uses, also by way of others; a condition after those it uses.

    Names that `conditions` does not have are left out; a circle is cut where it closes. Nothing
    recurses, so that a long chain of conditions costs no stack.
    """
    names = names_in(node)
    if not names:
        return ()
    known = tuple([name for name in names if name in conditions])
    if not any("condition" in conditions[name].uses() for name in known):
        return known
    done: dict[str, None] = {}
    open_: set[str] = set()
    stack: list[tuple[str, Iterator[str]]] = [("", iter(names))]
    while stack:
        name, rest = stack[-1]
        step = next((n for n in rest if n in conditions and n not in done and n not in open_), None)
        if step is not None:
            open_.add(step)
            stack.append((step, iter(names_in(conditions[step]))))
            continue
        stack.pop()
        if name:
            done[name] = None
    return tuple(done)


def circle(conditions: Mapping[str, Node]) -> tuple[str, ...]:
    """Return the names of a first circle (``a`` uses ``b`` uses ``a``: ``("a", "b", "a")``), or nothing."""
    finished: set[str] = set()
    for root in conditions:
        path: list[str] = []
        stack: list[tuple[str, Iterator[str]]] = [(root, iter(()))] if root not in finished else []
        if stack:
            path, stack = [root], [(root, iter(names_in(conditions[root])))]
        while stack:
            name, rest = stack[-1]
            step = next((n for n in rest if n in conditions and n not in finished), None)
            if step is None:
                stack.pop()
                path.pop()
                finished.add(name)
            elif step in path:
                return (*path[path.index(step) :], step)
            else:
                path.append(step)
                stack.append((step, iter(names_in(conditions[step]))))
    return ()
