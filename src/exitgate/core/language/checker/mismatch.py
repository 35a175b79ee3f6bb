"""What to write where two values do not go together: advice that holds for their types."""

from __future__ import annotations

from exitgate.core.language.checker.context import as_condition, bare, joined, numeric, phrase, short
from exitgate.core.language.checker.names import listed
from exitgate.core.language.syntax.foreign import UNKNOWN
from exitgate.core.language.syntax.foreign import VALUES as ABSENT
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import COUNT, NUMBER, PERCENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.language.checker.context import Checking
    from exitgate.core.language.tree import Node


_EQUAL = ("==", "!=")
#: Words that others write for a list or text with nothing in it.
_EMPTY = frozenset(("empty", "blank"))
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    ">": lambda one, other: one > other,
    "<": lambda one, other: one < other,
    ">=": lambda one, other: one >= other,
    "<=": lambda one, other: one <= other,
}


def mismatch(left: Node, right: Node, whole: Node) -> str:
    """
    Return the help for two typed nodes that cannot be compared, the empty text where none is sure.

    Args:
        left: What is before the sign.
        right: What is behind it.
        whole: The operation that both are in, untyped.
    """
    if {left.type, right.type} == {COUNT, PERCENT}:
        return "compare a count with a count, or a share such as `100 * done / total` with a percent"
    if {left.type, right.type} == {NUMBER, PERCENT}:
        return "declare the number as a percent, or compare it with a bare number"
    for one, other in ((left, right), (right, left)):
        sign = _sign(whole, one is left)
        help_ = _in_list(one, other, sign, other is left) or _literal(one, other, sign)
        if help_:
            return help_
    return ""


def _sign(whole: Node, straight: bool) -> str:
    """Return the sign between two values, turned where they are; the empty text for no comparison."""
    if whole.op in ("is", "is_not"):
        return "==" if whole.op == "is" else "!="
    sign = str(whole.args[0]) if whole.op == "compare" else ""
    return sign if straight or sign in _EQUAL else sign.translate(str.maketrans("<>", "><"))


def _in_list(one: Node, other: Node, sign: str, turned: bool) -> str:
    assert one.type is not None
    assert other.type is not None
    if (
        sign not in _EQUAL
        or one.type.kind != "list"
        or one.type.item is None
        or joined(one.type.item, other.type) is None
    ):
        return ""
    if turned:
        return f"write `{unparse(other)} {'in' if sign == '==' else 'not in'} {unparse(one)}`"
    test = f"{unparse(one)} contains {unparse(other)}"
    return f"write `{test}`" if sign == "==" else f"write `not ({test})`"


def _literal(one: Node, other: Node, sign: str) -> str:
    """Return what to write instead of `other`, a literal that does not go with `one`."""
    assert one.type is not None
    kind = one.type.kind
    if other.op == "text":
        return _text(one, other)
    if kind in ("count", "number") and other.op == "duration":
        return "write a number without a unit, or compare a duration with it"
    if bare(other) and other.op == "number":
        number = unparse(other)
        if kind == "duration":
            return f"say in which unit: `{number}s`, `{number}m` or `{number}h`"
        if kind == "money":
            return f"give the number a unit, for example `{number} {one.type.currency}`"
        if kind == "text" and sign in _EQUAL:
            return f'write it as a text: `"{number}"`'
        if kind in ("text", "list") and sign:
            what = "the length" if kind == "text" else "how many items there are"
            return f"compare {what}: `length({unparse(one)}) {sign} {number}`"
        if kind == "bool" and sign:
            return _truth(one, sign, other)
    if other.op == "bool":
        return as_condition(one)
    return ""


def _text(one: Node, other: Node) -> str:
    from exitgate.core.language.problem import LanguageError
    from exitgate.core.language.syntax.parse import parse

    assert one.type is not None
    inner = str(other.args[0])
    if one.type.kind == "enum":
        if inner.upper() in one.type.members:
            return f"write `{inner.upper()}` without quotes"
        return f"its members are {listed(one.type.members)}"
    if one.type.kind != "bool" and not numeric(one.type):
        return ""
    try:
        meant = parse(inner.lower())
    except LanguageError:
        return ""
    currency = one.type.currency if meant.op == "money" else None
    good = {"count": ("number",), "number": ("number",), "percent": ("number", "percent")}
    if meant.op in good.get(one.type.kind, (one.type.kind,)) and (not currency or currency == meant.args[1]):
        return f"write `{unparse(meant)}` without quotes"
    return ""


def _truth(one: Node, sign: str, other: Node) -> str:
    """Return what is meant by a bool compared with a number: of 1 and 0, as others count them."""
    number = other.args[0]
    assert isinstance(number, int | float)
    true, false = (_SIGNS[sign](each, number) for each in (1, 0))
    if true is false:
        return ""
    return f"write `{unparse(one)} is {'true' if true else 'false'}`"


def absence(left: Node, right: Node, sign: str, checking: Checking) -> bool:
    """Report a comparison with what others write for no value, as `!= null`; else return False."""
    for one, other in ((left, right), (right, left)):
        name = str(other.args[0]) if other.op in ("fact", "enum") else ""
        if ABSENT.get(name.lower()) != UNKNOWN or name in checking.scope.facts:
            continue
        typed = checking.typed(one)
        assert typed.type is not None
        if other.op == "enum" and typed.type.kind in ("text", "enum"):
            return False
        help_ = f"write `{unparse(one)} is {'unknown' if sign == '==' else 'known'}`"
        if other.op == "fact":
            checking.report("EP401", f"there is no fact {short(other)}", other, help_)
        else:
            message = (
                f"{short(other)} is a member of an enum and cannot be compared with {phrase(typed.type)}"
            )
            checking.report("EP407", message, other, help_)
        return True
    return False


def emptiness(left: Node, right: Node, sign: str, checking: Checking) -> bool:
    """Report a comparison with nothing, as `is empty` or `is []`, where `left` has a length; else False."""
    named = right.op == "fact" and right.args[0] in _EMPTY and right.args[0] not in checking.scope.facts
    if not named and not (right.op == "list" and not right.args):
        return False
    typed = checking.typed(left)
    assert typed.type is not None
    if typed.type.kind not in ("list", "text"):
        return False
    help_ = f"write `length({unparse(left)}) {'==' if sign == '==' else '>'} 0`"
    if named:
        checking.report("EP401", f"there is no fact {short(right)}", right, help_)
    else:
        checking.report("EP420", "the list is empty", right, help_)
    return True
