"""Two-valued logic of the encoding; Python's own truths are folded away, so that formulas stay small."""

from __future__ import annotations

import z3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    #: True, False or a z3 formula.
    Flag = Any


def every(parts: Iterable[Flag]) -> Flag:
    """Return the conjunction; True of nothing."""
    found = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            found.append(part)
    return True if not found else found[0] if len(found) == 1 else _joined(z3.Z3_mk_and, found)


def some(parts: Iterable[Flag]) -> Flag:
    """Return the disjunction; False of nothing."""
    found = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            found.append(part)
    return False if not found else found[0] if len(found) == 1 else _joined(z3.Z3_mk_or, found)


def _joined(join: Any, flags: list[Flag]) -> Flag:
    """Return z3's own `and` or `or` of formulas; `z3.And` looks at the sort of each of them again."""
    context = z3.main_ctx()
    asts = (z3.Ast * len(flags))(*[flag.as_ast() for flag in flags])
    return z3.BoolRef(join(context.ref(), len(flags), asts), context)


def both(left: Flag, right: Flag) -> Flag:
    """Return `left and right`."""
    return every((left, right))


def either(left: Flag, right: Flag) -> Flag:
    """Return `left or right`."""
    return some((left, right))


def negated(flag: Flag) -> Flag:
    """Return `not flag`."""
    return (not flag) if flag is True or flag is False else z3.Not(flag)


def same(left: Flag, right: Flag) -> Flag:
    """Return whether two flags are equal."""
    if left is True or left is False:
        left, right = right, left
    if right is True:
        return left
    if right is False:
        return negated(left)
    return left == right


def chosen(flag: Flag, then: Any, otherwise: Any) -> Any:
    """Return the amount `then` where the flag holds, else `otherwise`."""
    if flag is True:
        return then
    if flag is False:
        return otherwise
    return z3.If(flag, then, otherwise)


def picked(flag: Flag, then: Flag, otherwise: Flag) -> Flag:
    """Return the flag `then` where `flag` holds, else `otherwise`."""
    return either(both(flag, then), both(negated(flag), otherwise))
