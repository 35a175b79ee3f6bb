"""Completion inside of a condition, also while it does not parse."""

from __future__ import annotations

from exitgate.language.functions import FUNCTIONS
from exitgate.language.keywords import KEYWORDS
from exitgate.language.next_words import accepted
from exitgate.language.syntax_scan import scan
from exitgate.surfaces.lsp.forms import CONSECUTIVE, FORMS, PARENTHESES, WHOLE, WINDOWS
from exitgate.surfaces.lsp.item import (
    CONDITION,
    FACT,
    FORM,
    FUNCTION,
    KEYWORD,
    MEMBER,
    PARAMETER,
    Completed,
    Item,
)  # fmt: skip
from exitgate.surfaces.lsp.list_items import listed
from exitgate.surfaces.lsp.say import condition_doc, fact_doc, parameter_doc, signature
from exitgate.surfaces.lsp.subject import compared, item_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.model.type import Type
    from exitgate.surfaces.lsp.known import Known

#: Keywords that only are inside of a form; the form is proposed as a whole.
_OPENING = frozenset(FORMS) | {"FOR", "LAST"}
#: Ranks: what fits the comparison, what the condition language says, what else may be here.
_FITS, _PLAIN, _FORM, _OTHER = 1, 3, 4, 7
_CLOSED = frozenset(("enum", "bool"))


def complete_condition(text: str, cursor: int, known: Known | None) -> Completed:
    """
    Return what may be written at `cursor` of a condition.

    Args:
        text: The condition, whole or not.
        cursor: Offset in it.
        known: The names it may use; None gives only what the language itself has.
    """
    start, end = word_around(text, cursor)
    before = text[:start]
    terminals = accepted(before)
    type_ = compared(before, known)
    if "FACT" in terminals and (found := listed(scan(before))) is not None:
        of_item = item_type(found, known)
        kind = str(of_item) if of_item is not None else ""
        items = [Item("item", FACT, kind, "An item of the list.", rank=_FITS)]
    else:
        items = []
    items += [*_names(terminals, type_, known), *_words(terminals, before, type_)]
    sign = text[start : start + 1]
    if sign and sign in "$@":
        items = [item for item in items if item.label.startswith(sign)]
    elif type_ is not None and type_.kind in _CLOSED:
        # Few values fit such a comparison: what does not would only hide them.
        items = [item for item in items if item.rank < _OTHER and item.kind not in (FORM, FUNCTION)]
    return Completed(tuple(items), start, end)


def word_around(text: str, cursor: int) -> tuple[int, int]:
    """Return start and end of the name around `cursor`, its `$` or `@` included; an empty one for none."""
    start = cursor
    while start and _in_name(text[start - 1]):
        start -= 1
    if start and text[start - 1] in "$@":
        start -= 1
    end = cursor
    while end < len(text) and (_in_name(text[end]) or (end == cursor == start and text[end] in "$@")):
        end += 1
    return start, end


def _in_name(character: str) -> bool:
    return character.isalnum() or character in "_."


def _names(terminals: frozenset[str], type_: Type | None, known: Known | None) -> Iterator[Item]:
    if "ENUM" in terminals and type_ is not None and type_.kind == "enum":
        for member in type_.members:
            yield Item(member, MEMBER, str(type_), rank=0)
    if known is None:
        return
    if "FACT" in terminals:
        for name, spec in known.facts.items():
            rank = _FITS if _fits(type_, spec.type, terminals) else _OTHER
            yield Item(name, FACT, str(spec.type), fact_doc(spec, known), rank=rank)
    if "PARAMETER" in terminals:
        for name, parameter in known.parameters.items():
            rank = _FITS if _fits(type_, parameter.type, terminals) else _OTHER
            detail = str(parameter.type)
            yield Item("$" + name, PARAMETER, detail, parameter_doc(parameter), rank=rank)
    if "CONDITION" in terminals:
        for name in known.conditions:
            yield Item("@" + name, CONDITION, "condition", condition_doc(name, known), rank=_PLAIN)


def _fits(wanted: Type | None, found: Type, terminals: frozenset[str]) -> bool:
    """Return whether a value of a type goes with what it is compared with."""
    if wanted is None:
        return not terminals >= WHOLE or found.kind == "bool"
    return wanted.kind == found.kind or {wanted.kind, found.kind} <= {"count", "number", "percent"}


def _words(terminals: frozenset[str], before: str, type_: Type | None) -> Iterator[Item]:
    whole = terminals >= WHOLE
    for terminal in sorted(terminals & FORMS.keys()):
        if terminal == "REPEATS" and "FACT" in terminals:
            continue  # the function of that name
        for label, snippet, doc in FORMS[terminal]:
            yield Item(label, FORM, "", doc, snippet, "${" in snippet, _FORM)
    if "FOR" in terminals and before.rstrip().endswith(")"):
        yield Item(CONSECUTIVE[0], FORM, "", CONSECUTIVE[2], CONSECUTIVE[1], True, _FORM)
    if whole:
        yield Item(PARENTHESES[0], FORM, "", PARENTHESES[2], PARENTHESES[1], True, _FORM)
    for terminal in sorted(terminals & KEYWORDS.keys() - _OPENING):
        word = KEYWORDS[terminal]
        rank = 0 if type_ is not None and type_.kind == "bool" else _PLAIN
        unlike = terminal in ("TRUE", "FALSE") and type_ is not None and type_.kind != "bool"
        window = WINDOWS.get(terminal)
        if not unlike:
            yield Item(word, KEYWORD, insert=window or word, snippet=window is not None, rank=rank)
    if terminals and terminals <= {"FOR", "LAST", "SKIPPING"}:
        for terminal in sorted(terminals & {"FOR", "LAST"}):
            yield Item(KEYWORDS[terminal], KEYWORD, rank=_PLAIN)
    if "FACT" in terminals:
        yield from _functions()


def _functions() -> Iterator[Item]:
    for name, function in FUNCTIONS.items():
        snippet = f"{name}(${{1}})"
        if len(function.kinds) > 1:
            snippet = f"{name}(${{1}}, ${{2:90%}}, last ${{3:20}})"
        elif function.window == "must":
            snippet = f"{name}(${{1}}, last ${{2:5}})"
        yield Item(name, FUNCTION, signature(function), function.doc, snippet, True, _FORM + 1)
