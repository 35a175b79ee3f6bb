"""Named conditions: which a tree uses, in which order they can be worked through, and circles."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.language.tree import Node


def names_in(node: Node) -> tuple[str, ...]:
    """Return the names of the conditions that the tree itself uses, from left to right, each once."""
    return node.uses().get("condition", ())


def reachable(node: Node, conditions: Mapping[str, Node]) -> tuple[str, ...]:
    """
    Return every condition the tree uses, also by way of others; a condition after those it uses.

    Names that `conditions` does not have are left out; a circle is cut where it closes. Nothing
    recurses, so that a long chain of conditions costs no stack.
    """
    if not names_in(node):
        return ()
    done: dict[str, None] = {}
    open_: set[str] = set()
    stack: list[tuple[str, Iterator[str]]] = [("", iter(names_in(node)))]
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
