"""What a comparison is about: the type of the value that an operator before the cursor compares."""

from __future__ import annotations

from exitgate.language.functions import FUNCTIONS, MEAN, SAME
from exitgate.language.syntax_scan import scan
from exitgate.model.type import NUMBER, Type
from exitgate.surfaces.lsp.list_items import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.language.syntax_scan import Piece
    from exitgate.surfaces.lsp.known import Known

_SIGNS = frozenset((">=", "<=", "==", "!=", ">", "<"))
_WORDS = frozenset(("is", "not", "in", "between", "contains"))


def compared(before: str, known: Known | None) -> Type | None:
    """
    Return the type of what is compared where `before`, the beginning of a condition, ends.

    None where nothing is compared there, or something whose type is not plain.
    """
    pieces = scan(before)
    at = len(pieces)
    if at and pieces[at - 1].text in ("[", ","):
        at = _bracket(pieces, at - 1)
    start = at
    while at and pieces[at - 1].text in _WORDS:
        at -= 1
    if at and at == start and pieces[at - 1].text in _SIGNS:
        at -= 1
    return type_of(pieces[:at], known) if at < len(pieces) and at != start else None


def _bracket(pieces: Sequence[Piece], at: int) -> int:
    """Return the index of the `[` that is open at `at`; the end where none is."""
    for index in range(at, -1, -1):
        if pieces[index].text == "[":
            return index
        if pieces[index].text in ("]", "(", ")"):
            break
    return len(pieces)


def type_of(pieces: Sequence[Piece], known: Known | None) -> Type | None:
    """Return the type of the value that `pieces` end with, None where it is not plain."""
    if not pieces or known is None:
        return None
    last = pieces[-1]
    if last.kind == "parameter":
        parameter = known.parameters.get(last.text[1:])
        return parameter.type if parameter is not None else None
    if last.kind == "word" and last.text == "item" and (found := listed(pieces)) is not None:
        return item_type(found, known)
    if last.kind == "word":
        spec = known.facts.get(last.text)
        return spec.type if spec is not None else None
    if last.text != ")":
        return None
    depth = 0
    for at in range(len(pieces) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(pieces[at].text, 0)
        if depth == 0:
            return _result(pieces[at - 1].text, pieces[at + 1 : at + 2], known)
    return None


def item_type(listed: Sequence[Piece], known: Known | None) -> Type | None:
    """Return the type of the items of a list, None where it is not plain."""
    type_ = type_of(listed, known)
    return type_.item if type_ is not None else None


def _result(name: str, argument: Sequence[Piece], known: Known) -> Type | None:
    function = FUNCTIONS.get(name)
    if function is None:
        return None
    if function.result == SAME:
        return type_of(argument, known)
    return NUMBER if function.result == MEAN else Type(function.result)
