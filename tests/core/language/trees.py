"""Strategies: any tree that the grammar can write, types aside."""

from __future__ import annotations

from hypothesis import strategies as st

from exitgate.core.language.functions import FUNCTIONS, HISTORY_OPS
from exitgate.core.language.literals import duration, shown
from exitgate.core.language.syntax.build import _with_items
from exitgate.core.language.tree import Node, timed

NAMES = (
    "item", "done", "tasks.done", "x", "a.b_1.c2", "order", "iffy", "notes", "is_open", "count", "streak",
)  # fmt: skip
SIGNS = (">=", "<=", "==", "!=", ">", "<")


def leaf(op: str, *args: object) -> Node:
    return Node(op, args)  # type: ignore[arg-type]


amounts = st.one_of(
    st.integers(0, 10**15),
    st.decimals("0.0001", "9999", places=4).map(float).map(lambda v: int(v) if v == int(v) else v),
)
texts = st.text(st.characters(blacklist_characters="\n", blacklist_categories=("Cs",)), max_size=8)
durations = st.sampled_from(("30m", "1h30m", "2h", "1d2h3m4s", "250ms", "1.5h", "0s")).map(
    lambda text: leaf("duration", duration(text, 0), text)
)
parameters = st.sampled_from(("n", "min_confidence")).map(lambda name: leaf("parameter", name))
sizes = st.one_of(st.integers(1, 60).map(lambda n: leaf("number", n)), parameters)
spans = st.one_of(durations, parameters).map(timed)
keys = st.sampled_from(("tasks.current", "x")).map(lambda name: leaf("fact", name))


def keyed(window: Node, key: Node) -> Node:
    size, clock = window.args[:2] if window.op == "window" else (window, None)
    return leaf("window", size, clock, key)


#: A parameter behind `last` is a number until it is checked.
in_time = durations.map(timed)
extents = st.one_of(sizes, in_time, st.builds(keyed, st.one_of(sizes, in_time), keys))
lasting = st.one_of(sizes, spans)
windows = st.one_of(st.none(), extents)
shares = st.one_of(sizes, st.integers(0, 100).map(lambda n: leaf("percent", n)))

leaves = st.one_of(
    amounts.map(lambda v: leaf("number", v)),
    amounts.map(lambda v: leaf("percent", v)),
    durations,
    amounts.map(lambda v: leaf("money", v, "USD")),
    texts.map(lambda t: leaf("text", t)),
    st.sampled_from(("OPEN", "HALF_OPEN", "A1", "AND", "X")).map(lambda m: leaf("enum", m)),
    st.booleans().map(lambda b: leaf("bool", b)),
    st.sampled_from(NAMES).map(lambda n: leaf("fact", n)),
    st.sampled_from(("ready", "plan_done")).map(lambda n: leaf("condition", n)),
    parameters,
)


def flat(op: str, parts: list[Node]) -> Node:
    """`and` and `or` hold no node of their own kind."""
    args = [arg for part in parts for arg in (part.children() if part.op == op else (part,))]
    return Node(op, tuple(args))


_AT_BOUND = ("at_least", "at_most")
_OVER_LAST = sorted(
    op for op, spec in HISTORY_OPS.items() if spec.window == "may" and op not in ("streak", "percentile")
)
_MUST = sorted(op for op, spec in HISTORY_OPS.items() if spec.window == "must")


def _larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3)
    tests = (
        st.builds(leaf, st.just("compare"), st.sampled_from(SIGNS), inner, inner),
        st.builds(leaf, st.sampled_from(("is", "is_not", "contains", "in", "not_in")), inner, inner),
        st.builds(leaf, st.sampled_from(("known", "unknown")), inner),
        st.builds(leaf, st.just("between"), inner, inner, inner),
        st.builds(leaf, st.just("matches"), inner, texts),
    )
    past = (
        st.builds(leaf, st.sampled_from(("unchanged", "consecutive")), inner, lasting),
        st.builds(leaf, st.sampled_from(("declined", "rose")), inner, shares, windows),
        st.builds(leaf, st.just("repeats"), inner, sizes, windows),
        st.builds(leaf, st.just("quantified"), st.sampled_from(("any", "all")), st.none(), extents, inner),
        st.builds(leaf, st.just("quantified"), st.sampled_from(_AT_BOUND), sizes, extents, inner),
        st.builds(leaf, st.just("streak"), inner, st.one_of(st.none(), inner), windows),
        st.builds(leaf, st.sampled_from(_OVER_LAST), inner, windows),
        st.builds(leaf, st.sampled_from(_MUST), inner, sizes),
        st.builds(leaf, st.just("percentile"), inner, inner, windows),
        st.builds(leaf, st.just("previous"), inner, st.none()),
    )  # fmt: skip
    on_items = (
        st.builds(
            lambda quantifier, listed, node: leaf("of_items", quantifier, listed, _with_items(node)),
            st.sampled_from(("any", "all")), inner, inner,
        ),
        st.builds(lambda listed, node: leaf("count_items", listed, _with_items(node)), inner, inner),
    )  # fmt: skip
    calls = sorted(name for name, function in FUNCTIONS.items() if function.op == "call")
    return st.one_of(
        st.builds(flat, st.sampled_from(("and", "or")), several),
        inner.map(lambda n: leaf("not", n)),
        st.just(leaf("silence")),
        sizes.map(lambda n: leaf("after", n)),
        st.one_of(durations, parameters).map(lambda n: leaf("aged", n)),
        *tests,
        *past,
        *on_items,
        st.builds(leaf, st.sampled_from(("add", "sub", "mul", "div", "or_else")), inner, inner),
        inner.map(lambda n: leaf("neg", n)),
        several.map(lambda nodes: leaf("list", *nodes)),
        st.builds(
            lambda name, args: leaf("call", name, *args), st.sampled_from([*calls, "any_other"]), several
        ),
    )


#: Trees of up to some twenty nodes.
trees = st.recursive(leaves, _larger, max_leaves=12)

#: Pieces that conditions are made of, right and wrong, for texts that nearly read.
PIECES = (
    *NAMES, "and", "or", "not", "or else", "is", "is not", "in", "between", "for", "iterations", "of",
    "after", "last", "consecutive", "where", "repeats", "times", "declined", "by", "over", "within", "any",
    "per", "any of", "count of",
    "at least", "nothing", "known", "unknown", "skipping", "streak(", "count(", "min(", "(", ")", "[",
    "]", ",", "+", "-", "*", "/", *SIGNS, "=", "&&", "!", "\u2265", "70%", "70 %", "30m", "30mins",
    "5 USD", "5", "1.5", "$n", "@ready", "OPEN", "AND", "'x'", '"y"', '"', "'", "\u201cz\u201d", "#",
    "\x00", "\n", "adn", shown(0.5), "$", "@", ".", "%", "é",
)  # fmt: skip
nearly = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
