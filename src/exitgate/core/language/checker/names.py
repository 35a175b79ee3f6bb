"""Names and literals: what they are, and what a misspelt one was meant to be."""

from __future__ import annotations

from exitgate.core.language.checker.context import BROKEN, joined, phrase, with_type
from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.syntax.foreign import NUMBERS, VALUES
from exitgate.core.language.tree import Node
from exitgate.core.model.spelling import nearest
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, TEXT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.core.language.checker.context import Checking


#: How many names a help line lists at most.
LISTED = 6

#: Names that people give to the length of a list or text.
_LENGTHS = frozenset(("count", "len", "length", "size"))
#: Names that people give to the item of a list.
_ITEMS = frozenset(("it", "this", "element", "entry", "value", "x"))


def fact(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a fact; a word that is not a fact but, case aside, a member of the enum beside it is that."""
    name = str(node.args[0])
    spec = checking.scope.facts.get(name)
    if spec is not None:
        return with_type(node, spec.type)
    if hint is not None and hint.kind == "enum" and "." not in name:
        if name.upper() in hint.members:
            return Node("enum", (name.upper(),), node.start, node.end, hint)
        member = nearest(name, hint.members)
        if member is not None and nearest(name, checking.scope.facts) is None:
            message = f"`{name}` is neither a fact nor a member of {phrase(hint)}"
            return checking.broken("EP405", message, node, f"did you mean `{member}`?")
    return checking.broken("EP401", f"there is no fact `{name}`", node, _fact_help(name, checking, hint))


def _fact_help(name: str, checking: Checking, hint: Type | None) -> str:
    scope = checking.scope
    if name in scope.parameters:
        return f"write `${name}` for the parameter"
    if name in scope.conditions:
        return f"write `@{name}` for the named condition"
    if name in FUNCTIONS:
        return f"write the function with its arguments, for example `{FUNCTIONS[name].example}`"
    if name == "item":
        return "`item` is an item of a list: `any of LIST where (item ...)`"
    if name in VALUES:
        return VALUES[name]
    if name in NUMBERS:
        return f"write `{NUMBERS.index(name) + 1}`"
    if checking.item is not None and (nearest(name, ("item",)) or name in _ITEMS):
        return "did you mean `item`?"
    below = [full for full in scope.facts if full.startswith(name + ".")]
    if below:
        return f"write one of {listed(below)}"
    return _other_fact(name, checking, hint)


def _other_fact(name: str, checking: Checking, hint: Type | None) -> str:
    scope = checking.scope
    counted, _, last = name.rpartition(".")
    if last in _LENGTHS and counted in scope.facts and scope.facts[counted].type.kind in ("list", "text"):
        return f"write `length({counted})`"
    near = nearest(name, scope.facts)
    if (near is None or hint is None or joined(scope.facts[near].type, hint) is None) and "." not in name:
        instead = _instead_of_word(name, hint)
        if instead:
            return instead
    if near is None:
        word = nearest(name, ("true", "false", "known", "unknown", "nothing"))
        if word is not None:
            return f"did you mean `{word}`?"
    return _did_you_mean(name, scope.facts, "declare it under `facts:`")


def _instead_of_word(name: str, hint: Type | None) -> str:
    """Return what to write for a word that names no fact, by the type of what is beside it."""
    kind = hint.kind if hint is not None else ""
    if kind == "text":
        return f'write it as a text: `"{name}"`'
    if kind == "bool" and nearest(name, ("true", "false")) is None:
        return "it is `true` or `false`"
    return f"its members are {listed(hint.members)}" if hint is not None and hint.members else ""


def parameter(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a parameter."""
    del hint
    name = str(node.args[0])
    type_ = checking.scope.parameters.get(name)
    if type_ is not None:
        return with_type(node, type_)
    if name in checking.scope.facts:
        help_ = f"write `{name}` for the fact"
    else:
        help_ = _did_you_mean(name, checking.scope.parameters, "declare it under `parameters:`", "$")
    return checking.broken("EP402", f"there is no parameter `${name}`", node, help_)


def condition(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a named condition: always true or false."""
    del hint
    name = str(node.args[0])
    if name in checking.scope.conditions:
        return with_type(node, BOOL)
    help_ = _did_you_mean(name, checking.scope.conditions, "declare it under `conditions:`", "@")
    return checking.broken("EP403", f"there is no condition `@{name}`", node, help_)


def enum(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a member of an enum by the type of what is beside it."""
    name = str(node.args[0])
    if name in ("UNKNOWN", "KNOWN"):
        help_ = f"write `is {name.lower()}`; for a word that an agent may write, declare `unknown: NOT_SAID`"
        return checking.broken("EP406", f"`{name}` is not a member of an enum", node, help_)
    if hint == BROKEN:
        return with_type(node, BROKEN)
    if hint is None:
        message = f"the enum of `{name}` is not known here"
        help_ = f"compare a fact with it: `... is {name}`"
        if name == "NOTHING":
            help_ = "write `nothing is known`"
        elif name == "ITEM" and checking.item is not None:
            help_ = "write `item`"
        return checking.broken("EP410", message, node, help_)
    if hint.kind == "enum":
        if name in hint.members:
            return with_type(node, hint)
        member = nearest(name, hint.members)
        help_ = f"did you mean `{member}`?" if member else f"its members are {listed(hint.members)}"
        return checking.broken("EP405", f"`{name}` is not a member of {phrase(hint)}", node, help_)
    if name == "ITEM" and checking.item is not None:
        return checking.broken(
            "EP407", "`ITEM` is a member of an enum, not an item of the list", node, "write `item`"
        )
    return checking.broken(
        "EP407", f"`{name}` is a member of an enum and cannot be compared with {phrase(hint)}", node,
        _instead_of_enum(name, hint),
    )  # fmt: skip


def _instead_of_enum(name: str, hint: Type) -> str:
    word = VALUES.get(name.lower())
    if word is not None and hint.kind != "text":
        return word
    if hint.kind == "text":
        return f'write it as a text: `"{name}"`'
    if hint.kind == "bool":
        return "write `true` or `false`"
    if hint.kind == "list":
        return f"write it as a list: `[{name}]`"
    return ""


def number(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a bare number: a count where it is whole."""
    del checking, hint
    return with_type(node, COUNT if isinstance(node.args[0], int) else NUMBER)


def literal(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a percentage, a duration, a text or a bool."""
    del checking, hint
    return with_type(node, {"percent": PERCENT, "duration": DURATION, "text": TEXT, "bool": BOOL}[node.op])


def money(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type an amount of money."""
    del checking, hint
    return with_type(node, Type("money", currency=str(node.args[1])))


def _did_you_mean(name: str, names: Iterable[str], otherwise: str, sign: str = "") -> str:
    near = nearest(name, names)
    if near is not None:
        return f"did you mean `{sign}{near}`?"
    known = [f"{sign}{each}" for each in names]
    return f"there are {listed(known)}" if 0 < len(known) <= LISTED else otherwise


def listed(names: Iterable[str]) -> str:
    """Return names in backticks with commas, at most `LISTED` of them."""
    names = list(names)
    text = ", ".join(f"`{name}`" for name in names[:LISTED])
    return f"{text} and {len(names) - LISTED} more" if len(names) > LISTED else text
