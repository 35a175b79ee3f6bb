"""The tree of a function call, and what a call may be written with."""

from __future__ import annotations

from exitgate.language.functions import FUNCTIONS, MUST_WINDOW, NO_WINDOW, WINDOWED
from exitgate.language.problem import LanguageError, Problem
from exitgate.language.tree import Node
from exitgate.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.functions import Function


#: What other languages call a function -> its name here.
ELSEWHERE = {
    "avg": "average", "len": "length", "lowercase": "lower", "mean": "average", "prev": "previous",
    "size": "length", "stddev": "deviation", "total": "sum",
}  # fmt: skip


def call(
    name: str,
    arguments: tuple[Node, ...],
    window: Node | None,
    skipping: Node | None,
    start: int,
    end: int,
) -> Node:
    """
    Return the node of ``name(arguments, last window) skipping (skipping)``.

    A name that is not a function makes a ``call`` too: the checker knows the right names.
    Raises `LanguageError` for a `last N`, a `skipping` or a number of arguments that the tree
    cannot hold.
    """
    function = FUNCTIONS.get(name) if window is None else WINDOWED.get(name, FUNCTIONS.get(name))
    meant = _elsewhere(str(name), arguments, window) if function is None and skipping is None else None
    if meant is not None:
        message = f"there is no function `{name}`"
        raise LanguageError([Problem("EP317", message, start, end, f"write `{meant}`")])
    problem = _misuse(str(name), function, len(arguments), window is not None, skipping is not None)
    if problem is not None:
        wanted = _window_meant(function, arguments) if window is None and skipping is None else None
        if wanted is not None:
            problem = (problem[0], f"write `{wanted}`")
        raise LanguageError([Problem("EP317", problem[0], start, end, problem[1])])
    if function is None or not function.history:
        return Node("call", (str(name), *arguments), start, end)
    if function.op == "streak":
        return Node("streak", (arguments[0], skipping, window), start, end)
    return Node(function.op, (*arguments, window), start, end)


def _elsewhere(name: str, arguments: tuple[Node, ...], window: Node | None) -> str | None:
    """Return `average(a, last 5)` for `avg(a, last 5)`, None where that function takes other arguments."""
    here = ELSEWHERE.get(name, "")
    function = WINDOWED.get(here, FUNCTIONS.get(here)) if window is not None else None
    if function is None or not function.history or function.window == NO_WINDOW:
        return None
    if len(arguments) != len(function.kinds):
        return None
    from exitgate.language.unparse import unparse

    return unparse(Node(function.op, (*arguments, window), 0, 0))


def _window_meant(function: Function | None, arguments: tuple[Node, ...]) -> str | None:
    """Return `count(a, last 5)` for `count(a, 5)`, where the last argument is a number or a time."""
    if function is None or function.window == NO_WINDOW or len(arguments) != len(function.kinds) + 1:
        return None
    if arguments[-1].op not in ("number", "duration", "parameter"):
        return None
    from exitgate.language.unparse import unparse

    *given, size = (unparse(argument) for argument in arguments)
    return f"{function.name}({', '.join(given)}, last {size})"


def _misuse(
    name: str, function: Function | None, given: int, windowed: bool, skips: bool
) -> tuple[str, str] | None:
    """Return message and help when the call cannot be a node, else None."""
    if skips and name != "streak":
        return f"`skipping` belongs to `streak`, not to `{name}`", "write `streak(...) skipping (...)`"
    near = nearest(name, FUNCTIONS) if function is None and windowed else None
    if near is not None:
        return f"there is no function `{name}`", f"did you mean `{near}`?"
    if windowed and (function is None or function.window == NO_WINDOW):
        return f"`{name}` takes no `last N`", "remove `, last ...`"
    if function is None or not function.history:
        return None
    wanted = len(function.kinds)
    if given != wanted:
        number = ("one argument", "two arguments")[wanted - 1]
        with_window = " with `last N`" if name in WINDOWED else ""
        return f"`{name}` takes {number}{with_window}, not {given}", f"write it like `{function.example}`"
    if function.window == MUST_WINDOW and not windowed:
        return (
            f"`{name}` does not say over how many iterations",
            f"add `last N`, for example `{function.example}`",
        )
    return None
