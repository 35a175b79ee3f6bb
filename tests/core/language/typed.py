"""Strategies: well-typed conditions over a fixed scope, and records with unknowns and strays."""

from __future__ import annotations

from bounded import lost
from hypothesis import strategies as st

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.functions import FUNCTIONS, NUMERIC, SAME
from exitgate.core.language.tree import Node, timed
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type

STATE = Type("enum", members=("CLOSED", "HALF_OPEN", "OPEN"))
COST = Type("money", currency="USD")
NAMES = Type("list", item=TEXT)
NUMBERS = Type("list", item=NUMBER)
STATES = Type("list", item=STATE)

#: Values of each fact: few, so that they meet.
FACTS: dict[str, tuple[Type, tuple[object, ...]]] = {
    "flag.a": (BOOL, (True, False)),
    "flag.b": (BOOL, (True, False)),
    "n.a": (COUNT, (0, 1, 2, 3)),
    "n.b": (COUNT, (0, 1, 2, 7)),
    "x.a": (NUMBER, (-1.5, 0, 0.1, 0.3, 0.5, 2, 1 / 3, 1e308, 10**400)),
    "p.a": (PERCENT, (0, 30, 33.3, 50.0, 100)),
    "p.b": (PERCENT, (0, 30.0, 100 / 3, 70)),
    "t.a": (DURATION, (0, 0.1, 60, 90.5, 7200)),
    "c.a": (COST, (0, 0.1, 0.25, 0.7, 5)),
    "s.a": (TEXT, ("", "done", "Not done", "Ä \ud800", "open")),
    "s.b": (TEXT, ("done", "o")),
    "e.a": (STATE, ("OPEN", "CLOSED", "open", "HALF_OPEN")),
    "e.b": (STATE, ("OPEN", "closed")),
    "g.a": (SIGNATURE, ("17ab", "99ff")),
    "l.a": (NAMES, ((), ("done",), ["done", "open"], ("a", "b", "c"))),
    "l.n": (NUMBERS, ((), (1, 2.5), (3, 0.1, 1), [0, "x"], (True,))),
    "l.e": (STATES, ((), ("OPEN",), ("open", "CLOSED"))),
    "run.iterations": (COUNT, (1, 2, 3)),
    "clock.elapsed": (DURATION, (0, 30, 60, 90.5, 120, 5400, 5460)),
}
#: Functions of one number.
_OF_A_NUMBER = sorted(
    name for name, of in FUNCTIONS.items()
    if of.op == "call" and of.kinds == (NUMERIC,) and of.result == SAME and not of.many
)  # fmt: skip
STRAYS = ("7", True, 3, 2.5, None, ("x",))
PARAMETERS: dict[str, tuple[Type, tuple[object, ...]]] = {
    "n": (COUNT, (1, 2, 3)),
    "p": (PERCENT, (30, 70.0)),
    "x": (NUMBER, (0, 1.5)),
    "e": (STATE, ("OPEN", "closed")),
    "t": (DURATION, (60, 5400)),
    "l": (STATES, (("OPEN", "CLOSED"),)),
}


def leaf(op: str, *args: object) -> Node:
    return Node(op, args)  # type: ignore[arg-type]


def _scope() -> Scope:
    facts = {name: FactSpec(name, kind, "") for name, (kind, _) in FACTS.items()}
    parameters = {name: kind for name, (kind, _) in PARAMETERS.items()}
    bare = Scope(facts, parameters, {})
    texts = {
        "quiet": leaf("not", leaf("fact", "flag.a")),
        "still": leaf("unchanged", leaf("fact", "n.a"), leaf("number", 1)),
    }
    conditions = {name: check(tree, bare) for name, tree in texts.items()}
    both = leaf("or", leaf("condition", "quiet"), leaf("condition", "still"))
    conditions["either"] = check(both, Scope(facts, parameters, conditions))
    return Scope(facts, parameters, conditions)


SCOPE = _scope()

sizes = st.one_of(st.integers(1, 4).map(lambda n: leaf("number", n)), st.just(leaf("parameter", "n")))
lengths = st.one_of(
    st.sampled_from(((30, "30s"), (60, "1m"), (90.5, "1m30s500ms"), (5400, "1h30m"))).map(
        lambda d: leaf("duration", *d)
    ),
    st.just(leaf("parameter", "t")),
)
spans = lengths.map(timed)
keys = st.sampled_from(("n.a", "n.b", "s.b", "e.b", "g.a")).map(lambda name: leaf("fact", name))


def keyed(among: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Windows of iterations, of a time, and either with a key."""
    both = st.one_of(among, spans)
    return st.one_of(both, st.builds(_per, both, keys))


def _per(window: Node, key: Node) -> Node:
    size, clock = window.args[:2] if window.op == "window" else (window, None)
    return leaf("window", size, clock, key)


lasting = st.one_of(sizes, sizes, spans)
moving = st.one_of(st.none(), lasting)
several = keyed(sizes)
windows = st.one_of(st.none(), several)
_LITERALS = {
    "count": st.integers(0, 3).map(lambda n: leaf("number", n)),
    "number": st.sampled_from((0, 1, 0.1, 0.2, 0.5, 3)).map(lambda n: leaf("number", n)),
    "percent": st.sampled_from((0, 30, 33.3, 70, 100)).map(lambda n: leaf("percent", n)),
    "duration": st.sampled_from(((0.2, "200ms"), (60, "1m"), (5400, "1h30m"))).map(
        lambda d: leaf("duration", *d)
    ),
    "money": st.sampled_from((0.2, 0.25, 5)).map(lambda n: leaf("money", n, "USD")),
    "text": st.sampled_from(("", "done", "o")).map(lambda t: leaf("text", t)),
    "enum": st.sampled_from(STATE.members).map(lambda m: leaf("enum", m)),
    "bool": st.booleans().map(lambda b: leaf("bool", b)),
}
_HISTORY_VALUES = ("first", "last", "previous", "sum", "average")
_OF_ITS_KIND = ("largest", "smallest", "percentile")
_RANKED = (*_OF_ITS_KIND, "median", "deviation")
_ORDERED = ("count", "number", "percent", "duration", "money")
_signs = st.sampled_from((">=", "<=", "==", "!=", ">", "<"))


def facts_of_kind(kind: str) -> st.SearchStrategy[Node]:
    return st.sampled_from([n for n, (t, _) in FACTS.items() if t.kind == kind]).map(
        lambda n: leaf("fact", n)
    )


def _one(draw: st.DrawFn, *choices: st.SearchStrategy[Node]) -> Node:
    return draw(st.one_of(*choices))


@st.composite
def values(draw: st.DrawFn, kind: str, depth: int = 2, member: bool = False) -> Node:
    """A value of a kind; a bare member of an enum only where something beside it says which enum."""
    if kind == "list":
        return draw(facts_of_kind("list"))
    simple = [facts_of_kind(kind)]
    if kind in _LITERALS and (kind != "enum" or member):
        simple.append(_LITERALS[kind])
    simple += [st.just(leaf("parameter", n)) for n, (t, _) in PARAMETERS.items() if t.kind == kind]
    if depth <= 0 or draw(st.integers(0, 2)):
        return _one(draw, *simple)
    inner = values(kind, depth - 1)
    choices: list[st.SearchStrategy[Node]] = [
        st.builds(lambda a, b: leaf("or_else", a, b), facts_of_kind(kind), values(kind, 0, member=True)),
        st.builds(
            lambda op, a, w: leaf(op, a, None if op == "previous" else w),
            st.sampled_from(_HISTORY_VALUES if kind in _ORDERED else _HISTORY_VALUES[:3]), inner, windows,
        ),
    ]  # fmt: skip
    if kind in _ORDERED:
        plain = values("number", depth - 1)
        choices += [
            st.builds(leaf, st.sampled_from(("add", "sub")), inner, inner),
            st.builds(leaf, st.sampled_from(("mul", "div")), inner, plain),
            st.builds(lambda f, a, b: leaf("call", f, a, b), st.sampled_from(("min", "max")), inner, inner),
            st.builds(lambda f, a: leaf("call", f, a), st.sampled_from(_OF_A_NUMBER), inner),
            inner.map(lambda a: leaf("neg", a)),
        ]
        choices += [ranked(kind, depth - 1, _OF_ITS_KIND if kind == "count" else _RANKED)] * 2
    if kind == "count":
        choices += [counts(depth - 1)] * 3
        choices += [repetitions(depth - 1)] * 2
        choices.append(of_items().filter(lambda node: node.op == "count_items"))
        choices.append(values("text", depth - 1).map(lambda a: leaf("call", "length", a)))
    if kind == "text":
        choices.append(inner.map(lambda a: leaf("call", "lower", a)))
    return _one(draw, *choices)


@st.composite
def counts(draw: st.DrawFn, depth: int = 1) -> Node:
    """A counting form."""
    op = draw(st.sampled_from(("streak", "count", "repeated", "distinct")))
    if op in ("repeated", "distinct"):
        kind = draw(st.sampled_from(("count", "enum", "signature", "percent", "bool", "list")))
        return leaf(op, draw(values(kind, depth)), draw(windows))
    condition = draw(conditions(depth))
    if op == "count":
        return leaf(op, condition, draw(several))
    return leaf(op, condition, draw(st.one_of(st.none(), conditions(depth))), draw(windows))


@st.composite
def ranked(draw: st.DrawFn, kind: str, depth: int = 1, ops: tuple[str, ...] = _RANKED) -> Node:
    """A form that reads a value off a window by size: with unknown values it lies between bounds."""
    op, value = draw(st.sampled_from(ops)), draw(values(kind, depth))
    window = draw(several if op in ("largest", "smallest") else windows)
    if op != "percentile":
        return leaf(op, value, window)
    share = draw(
        st.sampled_from((*(leaf("percent", p) for p in (0, 33.3, 50, 75, 100)), leaf("parameter", "p")))
    )
    return leaf(op, value, share, window)


@st.composite
def repetitions(draw: st.DrawFn, depth: int = 1) -> Node:
    """`occurrences` or `cycles`, in windows that hold several periods."""
    kind = draw(st.sampled_from(("list", "enum", "signature", "count", "bool")))
    window = draw(st.one_of(st.none(), keyed(st.integers(1, 12).map(lambda n: leaf("number", n)))))
    return leaf(draw(st.sampled_from(("occurrences", "cycles"))), draw(values(kind, depth)), window)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> Node:
    """A condition of any form."""
    if depth <= 0:
        names = st.sampled_from(tuple(SCOPE.conditions)).map(lambda n: leaf("condition", n))
        return _one(draw, facts_of_kind("bool"), facts_of_kind("bool"), _LITERALS["bool"], names)
    return draw(st.sampled_from(_CONDITIONS))(draw, depth - 1)


def _joined(draw: st.DrawFn, depth: int) -> Node:
    parts = draw(st.lists(conditions(depth), min_size=2, max_size=3))
    return leaf(draw(st.sampled_from(("and", "or"))), *parts)


def _not(draw: st.DrawFn, depth: int) -> Node:
    return leaf("not", draw(conditions(depth)))


def _compare(draw: st.DrawFn, depth: int) -> Node:
    value = values(draw(st.sampled_from(_ORDERED)), depth)
    return leaf("compare", draw(_signs), draw(value), draw(value))


def _counted(draw: st.DrawFn, depth: int) -> Node:
    form = draw(st.sampled_from((counts, counts, repetitions)))
    count, limit, sign = draw(form(depth)), draw(values("count", 0)), draw(_signs)
    if draw(st.integers(0, 4)) == 0:
        return leaf("between", count, leaf("number", 1), leaf("number", draw(st.integers(1, 3))))
    return leaf("compare", sign, *draw(st.permutations((count, limit))))


def _ranked(draw: st.DrawFn, depth: int) -> Node:
    kind, sign = draw(st.sampled_from(_ORDERED)), draw(_signs)
    value, limit = draw(ranked(kind, depth)), draw(values(kind if kind != "count" else "number", depth))
    if draw(st.integers(0, 4)) == 0:
        return leaf("between", value, draw(facts_of_kind(kind)), limit)
    return leaf("compare", sign, *draw(st.permutations((value, limit))))


def _equal(draw: st.DrawFn, depth: int) -> Node:
    kind = draw(st.sampled_from(("enum", "enum", "text", "signature", "bool", "count", "list")))
    if kind == "list":
        value = facts_of_kind("list").filter(lambda n: n.args[0] == "l.a")
        return leaf("is", draw(value), leaf("list", leaf("text", "done")))
    value = values(kind, depth, member=True)
    return leaf(draw(st.sampled_from(("is", "is_not"))), draw(facts_of_kind(kind)), draw(value))


def _member(draw: st.DrawFn, depth: int) -> Node:
    op = draw(st.sampled_from(("in", "not_in")))
    kind = draw(st.sampled_from(("enum", "text", "count", "percent")))
    if kind == "enum" and draw(st.booleans()):
        return leaf(
            op,
            draw(facts_of_kind("enum")),
            draw(st.sampled_from((leaf("parameter", "l"), leaf("fact", "l.e")))),
        )
    items = draw(st.lists(values(kind, 0, member=True), min_size=1, max_size=3))
    return leaf(op, draw(facts_of_kind(kind)), leaf("list", *items))


def _between(draw: st.DrawFn, depth: int) -> Node:
    kind = draw(st.sampled_from(_ORDERED))
    low = draw(facts_of_kind(kind))
    return leaf("between", draw(values(kind, depth)), low, draw(values(kind, depth)))


def _text(draw: st.DrawFn, depth: int) -> Node:
    value = draw(values("text", depth))
    form = draw(st.integers(0, 2))
    if form == 0:
        return leaf("matches", value, draw(st.sampled_from(("^done", "(?i)NOT", "o$", ""))))
    if form == 1:
        return leaf("contains", value, draw(values("text", 0)))
    name, part = draw(st.sampled_from((("l.a", "text"), ("l.e", "enum"))))
    return leaf("contains", leaf("fact", name), draw(values(part, 0, member=True)))


_LISTS = {"l.a": "text", "l.e": "enum", "l.n": "number"}
_ITEM = leaf("item")


def _of_item(draw: st.DrawFn, kind: str) -> Node:
    """A test of an item."""
    if kind == "text":
        whole = draw(st.sampled_from((_ITEM, _ITEM, leaf("call", "lower", _ITEM))))
        return _one(
            draw,
            st.sampled_from(("^d", "(?i)O", "")).map(lambda p: leaf("matches", whole, p)),
            st.builds(leaf, st.sampled_from(("contains", "is", "is_not")), st.just(whole), values("text", 0)),
            st.builds(lambda n: leaf("compare", ">", leaf("call", "length", _ITEM), n), values("count", 0)),
            st.just(leaf("in", _ITEM, leaf("fact", "l.a"))),
        )
    if kind == "enum":
        return leaf(draw(st.sampled_from(("is", "is_not"))), _ITEM, draw(values("enum", 0, member=True)))
    if draw(st.integers(0, 3)) == 0:
        return leaf("between", _ITEM, draw(values("number", 0)), draw(values("number", 0)))
    return leaf("compare", draw(_signs), _ITEM, draw(values("number", 0)))


@st.composite
def of_items(draw: st.DrawFn) -> Node:
    """A condition on the items of a list: a fact, one with a default, or one that is written out."""
    name, kind = draw(st.sampled_from(sorted(_LISTS.items())))
    listed = leaf("fact", name)
    if draw(st.integers(0, 3)) == 0:
        listed = leaf("list", *draw(st.lists(facts_of_kind(kind), min_size=1, max_size=3)))
    elif kind == "enum" and draw(st.booleans()):
        listed = leaf("or_else", listed, leaf("parameter", "l"))
    test = _of_item(draw, kind)
    for _ in range(draw(st.integers(0, 2))):
        other = draw(facts_of_kind("bool")) if draw(st.booleans()) else _of_item(draw, kind)
        test = leaf(draw(st.sampled_from(("and", "or"))), *draw(st.permutations((test, other))))
    test = draw(st.sampled_from((test, leaf("not", test))))
    forms = [leaf("of_items", quantifier, listed, test) for quantifier in ("any", "all")]
    return draw(st.sampled_from((*forms, leaf("count_items", listed, test))))


def _items(draw: st.DrawFn, depth: int) -> Node:
    test = draw(of_items())
    if test.op == "of_items":
        return test
    limit = draw(values("count", 0))
    return leaf("compare", draw(_signs), *draw(st.permutations((test, limit))))


def _known(draw: st.DrawFn, depth: int) -> Node:
    kind = draw(st.sampled_from(("bool", "count", "text", "list", "enum")))
    value = draw(conditions(depth)) if kind == "bool" else draw(values(kind, depth))
    return leaf(draw(st.sampled_from(("known", "unknown"))), value)


def _or_else(draw: st.DrawFn, depth: int) -> Node:
    return leaf("or_else", draw(conditions(depth)), draw(conditions(0)))


def _after(draw: st.DrawFn, depth: int) -> Node:
    return leaf("after", draw(sizes))


def _silence(draw: st.DrawFn, depth: int) -> Node:
    return leaf("silence")


def _steady(draw: st.DrawFn, depth: int) -> Node:
    kind = draw(st.sampled_from(("count", "count", "enum", "signature", "percent", "text", "list")))
    value = draw(values(kind, depth if kind != "list" else 0))
    if draw(st.booleans()):
        return leaf("unchanged", value, draw(lasting))
    n = draw(st.integers(1, 3))
    window = draw(st.one_of(st.none(), keyed(st.integers(n, 5).map(lambda w: leaf("number", w)))))
    return leaf("repeats", value, leaf("number", n), window)


def _moved(draw: st.DrawFn, depth: int) -> Node:
    share = draw(st.sampled_from((leaf("percent", 50), leaf("percent", 33.3), leaf("parameter", "p"))))
    kind = draw(st.sampled_from(_ORDERED))
    return leaf(draw(st.sampled_from(("declined", "rose"))), draw(values(kind, depth)), share, draw(moving))


def _consecutive(draw: st.DrawFn, depth: int) -> Node:
    return leaf("consecutive", draw(conditions(depth)), draw(lasting))


def _quantified(draw: st.DrawFn, depth: int) -> Node:
    quantifier = draw(st.sampled_from(("any", "all", "at_least", "at_most")))
    window = draw(st.integers(2, 4))
    number = None
    if quantifier.startswith("at"):
        number = leaf("number", draw(st.integers(0 if quantifier == "at_most" else 1, window)))
    among = draw(keyed(st.just(leaf("number", window))))
    return leaf("quantified", quantifier, number, among, draw(conditions(depth)))


_CONDITIONS = (
    _joined, _joined, _not, _compare, _compare, _counted, _counted, _ranked, _ranked, _items, _items,
    _equal, _equal, _member, _between, _text, _known, _or_else, _silence, _after, _steady, _steady, _moved,
    _consecutive, _quantified,
)  # fmt: skip


@st.composite
def records(draw: st.DrawFn, strays: bool = True) -> tuple[dict[str, object], ...]:
    """One to six records: known, unknown, missing and (seldom) mistyped values."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        record: dict[str, object] = {}
        for name, (_kind, pool) in FACTS.items():
            dice = draw(st.integers(0, 19))
            if dice < 4:
                record[name] = draw(lost(name, pool if dice > 1 else ()))
            elif dice == 4 and strays:
                record[name] = draw(st.sampled_from(STRAYS))
            elif dice > 5:
                record[name] = draw(st.sampled_from(pool))
        found.append(record)
    return tuple(found)


parameters = st.fixed_dictionaries({name: st.sampled_from(pool) for name, (_, pool) in PARAMETERS.items()})
