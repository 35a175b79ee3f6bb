"""From what the grammar matched to the tree: one method for each alternative of `grammar.lark`."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

from exitgate.core.language import literals
from exitgate.core.language.functions import ELSEWHERE, FUNCTIONS, MUST_WINDOW, NO_WINDOW, WINDOWED
from exitgate.core.language.problem import LanguageError, Problem
from exitgate.core.language.tree import Node, timed
from exitgate.core.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Method = Callable[["Builder", list[Any]], Node]
    from exitgate.core.language.functions import Function


Matched = list[Any]


class Part:
    """Nodes that are together without being a node: the arguments of a call, or a window."""

    def __init__(self, nodes: tuple[Node, ...], window: Node | None, start: int, end: int) -> None:
        self.nodes = nodes
        self.window = window
        self.start = start
        self.end = end


def _span(children: Matched) -> tuple[int, int]:
    first, last = children[0], children[-1]
    start = first.start_pos if isinstance(first, Token) else first.start
    end = last.end_pos if isinstance(last, Token) else last.end
    return int(start or 0), int(end or 0)


def _nodes(children: Matched) -> tuple[Node, ...]:
    return tuple(child for child in children if isinstance(child, Node))


def _plain(op: str) -> Method:
    def make(self: Builder, children: Matched) -> Node:
        del self
        return Node(op, _nodes(children), *_span(children))

    return make


def _flat(op: str) -> Method:
    def make(self: Builder, children: Matched) -> Node:
        del self
        args: list[Node] = []
        for node in _nodes(children):
            args.extend(node.children() if node.op == op else (node,))
        return Node(op, tuple(args), *_span(children))

    return make


def _windowed(op: str) -> Method:
    def make(self: Builder, children: Matched) -> Node:
        del self
        last = children[-1]
        window = last.window if isinstance(last, Part) else None
        return Node(op, (*_nodes(children), window), *_span(children))

    return make


def _with_items(node: Node) -> Node:
    """Return the condition on a list with its `item`; outside that is the name of a fact."""
    if node.op == "fact":
        return Node("item", (), node.start, node.end) if node.args == ("item",) else node
    return node.mapped(_with_items)


class Builder(Transformer[Token, Node]):
    """Makes the tree while the parser runs, from the leaves up, so that depth costs no stack."""

    or_expr, and_expr = _flat("or"), _flat("and")
    negation, neg = _plain("not"), _plain("neg")
    is_, is_not, known, unknown = _plain("is"), _plain("is_not"), _plain("known"), _plain("unknown")
    in_, not_in, between, contains = _plain("in"), _plain("not_in"), _plain("between"), _plain("contains")
    after, aged = _plain("after"), _plain("aged")
    unchanged, consecutive = _plain("unchanged"), _plain("consecutive")
    declined, rose, repeats = _windowed("declined"), _windowed("rose"), _windowed("repeats")
    add, sub, mul, div = _plain("add"), _plain("sub"), _plain("mul"), _plain("div")
    or_else, silence, list_ = _plain("or_else"), _plain("silence"), _plain("list")

    def start(self, children: Matched) -> Node:
        """Return the whole condition."""
        node: Node = children[0]
        return node

    def sign(self, children: Matched) -> Token:
        """Return the sign of a comparison."""
        token: Token = children[0]
        return token

    name = sign

    def compare(self, children: Matched) -> Node:
        """Return ``a >= b``."""
        left, sign, right = children
        return Node("compare", (str(sign), left, right), *_span(children))

    def matches(self, children: Matched) -> Node:
        """Return ``a matches "pattern"``."""
        return Node("matches", (children[0], literals.unquoted(children[2])), *_span(children))

    def some_of(self, children: Matched) -> Node:
        """Return ``any of last 5 where (P)``."""
        window, node = _nodes(children)
        return Node("quantified", (str(children[0]), None, window, node), *_span(children))

    def number_of(self, children: Matched) -> Node:
        """Return ``at least 3 of last 5 where (P)``."""
        number, window, node = _nodes(children)
        quantifier = "_".join(str(children[0]).split())
        return Node("quantified", (quantifier, number, window, node), *_span(children))

    def lasting(self, children: Matched) -> Node:
        """Return ``45m`` as a window in time."""
        (token,) = children
        size = self.duration(children) if token.type == "DURATION" else self.parameter(children)
        return timed(size)

    def per(self, children: Matched) -> Node:
        """Return ``20 per tasks.current``."""
        far, _, token = children
        key = self.fact([token])
        size, clock = far.args[:2] if far.op == "window" else (far, None)
        return Node("window", (size, clock, key), *_span(children))

    def some_item(self, children: Matched) -> Node:
        """Return ``any of LIST where (P)``."""
        listed, node = _nodes(children)
        return Node("of_items", (str(children[0]), listed, _with_items(node)), *_span(children))

    def count_items(self, children: Matched) -> Node:
        """Return ``count of LIST where (P)``."""
        listed, node = _nodes(children)
        return Node("count_items", (listed, _with_items(node)), *_span(children))

    def window(self, children: Matched) -> Part:
        """Return ``over last 5``."""
        return Part((), children[-1], *_span(children))

    def arguments(self, children: Matched) -> Part:
        """Return what is between the parentheses of a call."""
        nodes = _nodes(children)
        windowed = len(children) > 1 and isinstance(children[-2], Token) and children[-2].type == "LAST"
        return Part(nodes[:-1] if windowed else nodes, nodes[-1] if windowed else None, *_span(children))

    def call(self, children: Matched) -> Node:
        """Return the node of a function."""
        given = next((child for child in children if isinstance(child, Part)), None)
        skipping = _nodes(children)
        return call(
            children[0],
            given.nodes if given else (),
            given.window if given else None,
            skipping[0] if skipping else None,
            *_span(children),
        )

    def group(self, children: Matched) -> Node:
        """Return the content of parentheses, at the place of the parentheses."""
        inner = children[1]
        return Node(inner.op, inner.args, *_span(children))

    def _leaf(self, op: str, args: tuple[Any, ...], children: Matched) -> Node:
        return Node(op, args, *_span(children))

    def number(self, children: Matched) -> Node:
        """Return ``12``."""
        token = children[0]
        return self._leaf("number", (literals.number(token, token.start_pos),), children)

    def percent(self, children: Matched) -> Node:
        """Return ``70%``."""
        token = children[0]
        return self._leaf("percent", (literals.number(token[:-1], token.start_pos),), children)

    def duration(self, children: Matched) -> Node:
        """Return ``1h30m``."""
        token = children[0]
        return self._leaf("duration", (literals.duration(token, token.start_pos), str(token)), children)

    def money(self, children: Matched) -> Node:
        """Return ``5 USD``."""
        token = children[0]
        amount, currency = literals.money(token, token.start_pos)
        return self._leaf("money", (amount, currency), children)

    def text(self, children: Matched) -> Node:
        """Return ``"a text"``."""
        return self._leaf("text", (literals.unquoted(children[0]),), children)

    def enum(self, children: Matched) -> Node:
        """Return ``OPEN``, in upper case however it was written."""
        return self._leaf("enum", (str(children[0]).upper(),), children)

    def true(self, children: Matched) -> Node:
        """Return ``true``."""
        return self._leaf("bool", (True,), children)

    def false(self, children: Matched) -> Node:
        """Return ``false``."""
        return self._leaf("bool", (False,), children)

    def fact(self, children: Matched) -> Node:
        """Return ``tasks.done``."""
        return self._leaf("fact", (str(children[0]),), children)

    def parameter(self, children: Matched) -> Node:
        """Return ``$min_completion``."""
        return self._leaf("parameter", (str(children[0])[1:],), children)

    def condition(self, children: Matched) -> Node:
        """Return ``@plan_done``."""
        return self._leaf("condition", (str(children[0])[1:],), children)


# The tree of a function call, and what a call may be written with.


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
    from exitgate.core.language.unparse import unparse

    return unparse(Node(function.op, (*arguments, window), 0, 0))


def _window_meant(function: Function | None, arguments: tuple[Node, ...]) -> str | None:
    """Return `count(a, last 5)` for `count(a, 5)`, where the last argument is a number or a time."""
    if function is None or function.window == NO_WINDOW or len(arguments) != len(function.kinds) + 1:
        return None
    if arguments[-1].op not in ("number", "duration", "parameter"):
        return None
    from exitgate.core.language.unparse import unparse

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
