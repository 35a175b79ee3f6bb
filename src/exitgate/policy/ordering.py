"""An order in which everything comes after what it uses."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Set


def ordered(uses: Mapping[str, Set[str]]) -> tuple[list[str], list[list[str]]]:
    """
    Return the names in an order in which each comes after those it uses, and the circles.

    Args:
        uses: Name -> the names it uses; those that are not keys are ignored.

    Returns:
        The order, which leaves out every name that is on a circle or uses one that is; and each
        circle found, as the names on it in order of use.
    """
    order: list[str] = []
    state: dict[str, str] = {}
    circles: list[list[str]] = []
    for start in uses:
        path: list[str] = []
        stack = [(start, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                path.pop()
                below = [state.get(other) for other in uses[name] if other in uses]
                state[name] = "done" if all(found == "done" for found in below) else "bad"
                if state[name] == "done":
                    order.append(name)
            elif name not in state:
                state[name] = "open"
                path.append(name)
                stack.append((name, True))
                stack += [(other, False) for other in sorted(uses[name], reverse=True) if other in uses]
            elif state[name] == "open" and name in path:
                circles.append(path[path.index(name) :])
    return order, circles
