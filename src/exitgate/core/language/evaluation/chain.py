"""
The whole priority chain as generated Python: the index of the first rule that is definitely true.

The source holds positional names only (`k0`, `v0`, `s0`); constants, names of facts and closures
reach it through its namespace, so no text of a user is ever in it. It gives the same answers as the
closures of `exitgate.core.language.evaluation.closures`, which it calls for every form it has no source for.
See `exitgate.core.language.evaluation.chain` for how unknowns are kept out of two-valued Python.
"""

from __future__ import annotations

from exitgate.core.language.evaluation import kleene
from exitgate.core.language.evaluation.closures import Compilation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from exitgate.core.language.evaluation.closures import Compilation, Records
    from exitgate.core.language.tree import Node


#: Rules in one function: larger ones are no faster and cost memory and build time.
CHUNK = 250


def compile_chain(
    whens: Sequence[Node],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
    bounded: Collection[str] = (),
) -> Callable[[Records], int]:
    """
    Return a function records -> 0-based index of the first definitely true condition, or -1.

    Args:
        whens: Checked trees of type bool, in chain order.
        parameters, conditions, unread: As for `exitgate.core.language.evaluation.closures.compile_node`.
        bounded: Facts of which bounds may be known where the value is not.

    Raises:
        LanguageError: A parameter gives a history form a number of iterations below 1.
    """
    compilation = Compilation(parameters, conditions, unread)
    chunks = tuple(
        _compile_chunk(whens[start : start + CHUNK], start, compilation, bounded)
        for start in range(0, len(whens), CHUNK)
    )
    if len(chunks) == 1:
        return chunks[0]

    def chain(records: Records) -> int:
        for chunk in chunks:
            index = chunk(records)
            if index >= 0:
                return index
        return -1

    return chain


def compile_truths(
    whens: Sequence[Node],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
    until_true: bool = False,
    bounded: Collection[str] = (),
) -> Callable[[Records], tuple[object, ...]]:
    """
    Return a function records -> truth of every condition, in order: True, False or `Unknown`.

    With `until_true` the first that is definitely true is the last one asked, and the last item.

    Arguments and errors as for `compile_chain`. It is the chain for those who keep the trace.
    """
    compilation = Compilation(parameters, conditions, unread)
    chunks = []
    for start in range(0, len(whens), CHUNK):
        source = Source(compilation, bounded)
        for when in whens[start : start + CHUNK]:
            source.truth(when, until_true)
        chunks.append(_run(source))
    if len(chunks) == 1:
        return chunks[0]

    def truths(records: Records) -> tuple[object, ...]:
        found: tuple[object, ...] = ()
        for chunk in chunks:
            found += chunk(records)
            if until_true and found[-1] is True:
                break
        return found

    return truths


def _compile_chunk(
    whens: Sequence[Node], start: int, compilation: Compilation, bounded: Collection[str]
) -> Callable[[Records], int]:
    source = Source(compilation, bounded)
    for index, when in enumerate(whens, start):
        source.rule(when, index)
    return _run(source)


def _run(source: Source) -> Callable[[Records], Any]:
    namespace = source.namespace()
    code = compile(source.text(), "<chain>", "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102  generated from positional names, see the module's text
    chunk: Callable[[Records], Any] = namespace["chunk"]  # type: ignore[assignment]
    return chunk


# Source text for one stretch of a chain.
#
# Three-valued logic in two-valued Python: each condition has two texts, one that is true where the
# condition is definitely true and one that is true where it is definitely false; neither holds where it is
# unknown. `not` exchanges them, `and` joins the true texts by `and` and the false ones by `or`. A fact is
# read once into a local, `None` where it is not recorded, unknown or of a wrong class, so that a test costs
# one look at `None`. What has no text here asks its closure.

#: Nodes of one rule that are written out; the rest of a larger rule asks closures.
_SIZE_LIMIT = 80
#: How deep texts are nested; the compiler of Python has a limit of its own at 100.
_DEPTH_LIMIT = 12
#: Steps of `unchanged` that are written out.
_STEPS_LIMIT = 8

_NUMBERS = frozenset(("count", "number", "percent", "duration", "money"))
_CHECKS = {
    "count": "is not I",
    "text": "is not S",
    "signature": "is not S",
}


class Source:
    """The text of one function under construction, and the namespace it will run in."""

    def __init__(self, compilation: Compilation, bounded: Collection[str] = ()) -> None:
        self.compilation = compilation
        self._bounded = frozenset(bounded)
        self._lines: list[str] = []
        self._fetched: dict[str, str] = {}
        self._constants: dict[tuple[type, object], str] = {}
        self._names: dict[str, object] = {
            "__builtins__": {}, "I": int, "F": float, "S": str, "E": KeyError, "N": len,
        }  # fmt: skip
        self._truths: list[str] = []
        self._room = 0
        self._depth = 0

    def text(self) -> str:
        """Return the source of the function `chunk(records)`: an index, or a tuple of truths."""
        head = ["def chunk(records):", "    r = records[-1]"]
        end = f"    return ({', '.join(self._truths)},)" if self._truths else "    return -1"
        return "\n".join([*head, *self._lines, end, ""])

    def namespace(self) -> dict[str, object]:
        """Return the globals the source needs, closures and constants by positional name."""
        return self._names

    def rule(self, when: Node, index: int) -> None:
        """Add one rule that returns `index` where `when` is definitely true."""
        self._room = _SIZE_LIMIT
        self._depth = 0
        test = self.holds(when)
        self._lines += [f"    if {test}:", f"        return {index}"]

    def truth(self, when: Node, last: bool = False) -> None:
        """
        Add one rule whose truth becomes an item of the tuple that the function returns.

        With `last` a definitely true one ends the function: the tuple is cut behind it.
        """
        self._room = _SIZE_LIMIT
        slow = f"{self.bind('s', self.compilation.closure(when))}(records)"
        true, false = self.holds(when), self.fails(when)
        local = f"t{len(self._truths)}"
        self._truths.append(local)
        if "(records) is" in true:  # a closure would be asked twice
            self._lines.append(f"    {local} = {slow}")
        else:
            self._lines.append(f"    {local} = True if {true} else False if {false} else {slow}")
        if last:
            self._lines += [f"    if {local} is True:", f"        return ({', '.join(self._truths)},)"]

    def holds(self, node: Node) -> str:
        """Return the text that is true where `node` is definitely true."""
        return self._rail(node, True)

    def fails(self, node: Node) -> str:
        """Return the text that is true where `node` is definitely false."""
        return self._rail(node, False)

    def _rail(self, node: Node, wanted: bool) -> str:
        form = _FORMS.get(node.op)
        self._room -= 1
        text = None
        if form is not None and self._room > 0 and self._depth < _DEPTH_LIMIT:
            self._depth += 1
            text = form(self, node, wanted)
            self._depth -= 1
        if text is None:
            text = f"{self.bind('s', self.compilation.closure(node))}(records) is {wanted}"
        return text

    def bind(self, letter: str, value: object) -> str:
        """Put a value into the namespace and return its new positional name."""
        name = f"{letter}{len(self._names)}"
        self._names[name] = value
        return name

    def constant(self, value: object) -> str:
        """Return the name of a constant; the same for the same value."""
        key = (value.__class__, value)
        if key not in self._constants:
            self._constants[key] = self.bind("k", value)
        return self._constants[key]

    def fact(self, node: Node) -> str | None:
        """Return the local that holds a fact of the current record, or None where it has no text."""
        kind = node.type.kind if node.type is not None else ""
        if node.op != "fact" or kind not in kleene.CLASSES or kind == "list":
            return None
        name = str(node.args[0])
        if name in self._bounded:
            return None  # its closure compares what is known of it
        local = self._fetched.get(name)
        if local is None:
            local = self._fetched[name] = f"v{len(self._fetched)}"
            assert node.type is not None
            self._fetch(local, self.constant(name), kind, node.type.members)
        return local

    def _fetch(self, local: str, key: str, kind: str, members: tuple[str, ...]) -> None:
        self._lines += ["    try:", f"        {local} = r[{key}]"]
        if kind == "enum":
            written = self.constant(frozenset(members))  # most values are written as members are
            self._lines.append(f"        if {local}.__class__ is not S: {local} = None")
            self._lines.append(f"        elif {local} not in {written}: {local} = {local}.upper()")
        elif kind == "bool":
            self._lines.append(f"        if {local} is not True and {local} is not False: {local} = None")
        elif kind in _CHECKS:
            self._lines.append(f"        if {local}.__class__ {_CHECKS[kind]}: {local} = None")
        else:
            self._lines.append(
                f"        if {local}.__class__ is not I and {local}.__class__ is not F: {local} = None"
            )
        self._lines += ["    except E:", f"        {local} = None"]


def _junction(source: Source, node: Node, wanted: bool) -> str:
    word = " and " if (node.op == "and") is wanted else " or "
    return "(" + word.join(source._rail(child, wanted) for child in node.children()) + ")"


def _not(source: Source, node: Node, wanted: bool) -> str:
    (child,) = node.children()
    return source._rail(child, not wanted)


def _condition(source: Source, node: Node, wanted: bool) -> str:
    return source._rail(source.compilation.conditions[str(node.args[0])], wanted)


def _bool(source: Source, node: Node, wanted: bool) -> str | None:
    if node.op == "bool":
        return str(node.args[0] is wanted)
    local = source.fact(node) if node.type is not None and node.type.kind == "bool" else None
    return None if local is None else f"{local} is {wanted}"


def _operand(source: Source, node: Node) -> tuple[str, str] | None:
    """Return (text, test that it is known or nothing) of a fact or a constant."""
    constant, value = source.compilation.constant(node)
    if constant:
        return source.constant(value), ""
    local = source.fact(node)
    return None if local is None else (local, f"{local} is not None")


def _comparison(source: Source, sign: str, left: Node, right: Node, wanted: bool) -> str | None:
    first, second = _operand(source, left), _operand(source, right)
    if first is None or second is None:
        return None
    guards = [guard for guard in (first[1], second[1]) if guard]
    test = f"{first[0]} {sign} {second[0]}"
    if wanted and sign == "==" and len(guards) == 1:
        return test  # None equals no constant
    return "(" + " and ".join([*guards, test if wanted else f"not {test}"]) + ")"


def _compare(source: Source, node: Node, wanted: bool) -> str | None:
    left, right = node.children()
    return _comparison(source, str(node.args[0]), left, right, wanted)


def _is(source: Source, node: Node, wanted: bool) -> str | None:
    left, right = node.children()
    return _comparison(source, "==" if node.op == "is" else "!=", left, right, wanted)


def _between(source: Source, node: Node, wanted: bool) -> str | None:
    value, low, high = node.children()
    over = _comparison(source, ">=", value, low, wanted)
    under = _comparison(source, "<=", value, high, wanted)
    if over is None or under is None:
        return None
    return f"({over} {'and' if wanted else 'or'} {under})"


def _member(source: Source, node: Node, wanted: bool) -> str | None:
    left, right = node.children()
    local = source.fact(left)
    choices = [source.compilation.constant(child) for child in right.children()]
    if local is None or right.op != "list" or not all(constant for constant, _value in choices):
        return None
    items = frozenset(value for _constant, value in choices)
    if wanted is (node.op == "in"):
        return f"{local} in {source.constant(items)}"
    return f"({local} is not None and {local} not in {source.constant(items)})"


def _known(source: Source, node: Node, wanted: bool) -> str | None:
    (child,) = node.children()
    local = source.fact(child)
    return None if local is None else f"{local} is {'not None' if wanted is (node.op == 'known') else 'None'}"


def _or_else(source: Source, node: Node, wanted: bool) -> str | None:
    first, second = node.children()
    if node.type is None or node.type.kind != "bool":
        return None
    return (
        f"({source._rail(first, wanted)} or "
        f"(not ({source._rail(first, not wanted)}) and {source._rail(second, wanted)}))"
    )


def _consecutive(source: Source, node: Node, wanted: bool) -> str | None:
    if not wanted:
        return None
    condition = next(node.children())
    now = source.holds(condition)
    return f"({now} and {source.bind('s', source.compilation.closure(node))}(records) is True)"


def _unchanged(source: Source, node: Node, wanted: bool) -> str | None:
    value, n_node = node.children()
    if n_node.op == "window":
        return None
    n = source.compilation.steps(n_node)
    kind = value.type.kind if value.type is not None else ""
    local = source.fact(value) if kind in _NUMBERS else None
    if local is None or n > _STEPS_LIMIT:
        return None
    if not wanted:
        closure = source.bind("s", source.compilation.closure(node))
        return f"(N(records) <= {n} or {closure}(records) is False)"
    name = source.constant(str(value.args[0]))
    tests = [f"N(records) > {n}", f"{local} is not None"]
    for step in range(2, n + 2):
        tests.append(f"(a := records[-{step}].get({name})) == {local}")
        tests.append("a.__class__ is I" if kind == "count" else "(a.__class__ is I or a.__class__ is F)")
    return "(" + " and ".join(tests) + ")"


_FORMS: dict[str, Callable[[Source, Node, bool], str | None]] = {
    "and": _junction,
    "or": _junction,
    "not": _not,
    "condition": _condition,
    "fact": _bool,
    "bool": _bool,
    "compare": _compare,
    "is": _is,
    "is_not": _is,
    "between": _between,
    "in": _member,
    "not_in": _member,
    "known": _known,
    "unknown": _known,
    "or_else": _or_else,
    "consecutive": _consecutive,
    "unchanged": _unchanged,
}
