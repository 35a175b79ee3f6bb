"""Completion inside of a condition, also while it does not parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.core.language.functions import FUNCTIONS, MEAN, SAME
from exitgate.core.language.literals import KEYWORDS
from exitgate.core.language.syntax.parse import accepted
from exitgate.core.language.syntax.scan import Piece, scan
from exitgate.core.model.value import NUMBER, Type
from exitgate.surfaces.lsp.completion.item import (
    CONDITION,
    FACT,
    FORM,
    FUNCTION,
    KEYWORD,
    MEMBER,
    PARAMETER,
    Completed,
    Item,
)
from exitgate.surfaces.lsp.occurrences import listed
from exitgate.surfaces.lsp.policy_index import PolicyIndex, condition_doc, fact_doc, parameter_doc, signature

# What a comparison is about: the type of the value that an operator before the cursor compares.

_SIGNS = frozenset((">=", "<=", "==", "!=", ">", "<"))
_WORDS = frozenset(("is", "not", "in", "between", "contains"))


def compared(before: str, known: PolicyIndex | None) -> Type | None:
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


def type_of(pieces: Sequence[Piece], known: PolicyIndex | None) -> Type | None:
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


def item_type(listed: Sequence[Piece], known: PolicyIndex | None) -> Type | None:
    """Return the type of the items of a list, None where it is not plain."""
    type_ = type_of(listed, known)
    return type_.item if type_ is not None else None


def _result(name: str, argument: Sequence[Piece], known: PolicyIndex) -> Type | None:
    function = FUNCTIONS.get(name)
    if function is None:
        return None
    if function.result == SAME:
        return type_of(argument, known)
    return NUMBER if function.result == MEAN else Type(function.result)


# The forms of the condition language as snippets, by the terminal of the grammar that each begins with.

#: Terminal -> label, snippet, what it is true for. Behind a value or condition, or instead of one.
FORMS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "UNCHANGED": (
        ("unchanged for … iterations", "unchanged for ${1:3} iterations",
         "The value is the same in that many iterations in a row, this one included."),
        ("unchanged for … (a time)", "unchanged for ${1:45m}",
         "The value has been the same for that long."),
    ),
    "REPEATS": (
        ("repeats … times", "repeats ${1:3} times",
         "This iteration's value has occurred that many times in a row."),
        ("repeats … times within last …", "repeats ${1:3} times within last ${2:5}",
         "This iteration's value has occurred that many times in the last N, in a row or not."),
    ),
    "PER": (("per …", "per ${1:tasks.current}", "Only iterations in which that fact is what it is now."),),
    "DECLINED": (
        ("declined by … over last …", "declined by ${1:70%} over last ${2:3}",
         "The value went down by that share from the first of the last N iterations to this one."),
    ),
    "ROSE": (
        ("rose by … over last …", "rose by ${1:70%} over last ${2:3}",
         "The value went up by that share from the first of the last N iterations to this one."),
    ),
    "BETWEEN": (("between … and …", "between ${1:50} and ${2:70}", "Both bounds are included."),),
    "IN": (("in […]", "in [${1}]", "The value is one of those."),),
    "CONTAINS": (("contains …", "contains ${1:\"text\"}",
                  "A text contains a text, or a list contains an item."),),
    "MATCHES": (("matches …", "matches ${1:\"^pattern\"}", "An RE2 pattern is found in the text."),),
    "IS": (
        ("is", "is ", "The value is equal; members of an enum ignore case."),
        ("is not", "is not ", "The value is different."),
        ("is known", "is known", "There is a value; always true or false."),
        ("is unknown", "is unknown", "There is no value; always true or false."),
    ),
    "OR_ELSE": (("or else …", "or else ${1:false}", "The value to use if it is unknown."),),
    "AFTER": (
        ("after … (a time)", "after ${1:45m}", "The run is that old."),
        ("after … iterations", "after ${1:4} iterations",
         "So many iterations of the run have ended, this one included."),
    ),
    "AT_LEAST": (
        ("at least … of last … where (…)", "at least ${1:3} of last ${2:5} where (${3:condition})",
         "The condition is true in that many of the last N iterations."),
    ),
    "AT_MOST": (
        ("at most … of last … where (…)", "at most ${1:1} of last ${2:5} where (${3:condition})",
         "The condition is true in at most that many of the last N iterations."),
    ),
    "ANY": (
        ("any of last … where (…)", "any of last ${1:3} where (${2:condition})",
         "The condition is true in one of the last N iterations."),
        ("any of … where (item …)", "any of ${1:list} where (${2:item matches \"^pattern\"})",
         "The condition is true of an item of the list; false of an empty list."),
    ),
    "ALL": (
        ("all of last … where (…)", "all of last ${1:3} where (${2:condition})",
         "The condition is true in each of the last N iterations."),
        ("all of … where (item …)", "all of ${1:list} where (${2:item matches \"^pattern\"})",
         "The condition is true of each item of the list; true of an empty list."),
    ),
    "COUNT_OF": (
        ("count of … where (item …)", "count of ${1:list} where (${2:item matches \"^pattern\"})",
         "How many items of the list the condition is true of."),
    ),
    "NOTHING": (("nothing is known", "nothing is known", "No fact that is read from the agent is known."),),
    "SKIPPING": (
        ("skipping (…)", "skipping (${1:condition})", "Iterations in which it is true are skipped."),
    ),
}  # fmt: skip

#: Behind a closing parenthesis, where `FOR` may follow.
CONSECUTIVE = (
    "for … consecutive iterations", "for ${1:3} consecutive iterations",
    "The condition in parentheses is true in that many iterations in a row.",
)  # fmt: skip
#: Where a condition may begin.
PARENTHESES = (
    "(…) for … consecutive iterations", "(${1:condition}) for ${2:3} consecutive iterations",
    "The condition is true in that many iterations in a row.",
)  # fmt: skip
WINDOWS = {"OVER": "over last ${1:3}", "WITHIN": "within last ${1:5}", "LAST": "last ${1:5}"}
#: Terminals after which a whole condition may be, and not only a value.
WHOLE = frozenset(("NOTHING", "AT_LEAST"))

#: Keywords that only are inside of a form; the form is proposed as a whole.
_OPENING = frozenset(FORMS) | {"FOR", "LAST"}
#: Ranks: what fits the comparison, what the condition language says, what else may be here.
_FITS, _PLAIN, _FORM, _OTHER = 1, 3, 4, 7
_CLOSED = frozenset(("enum", "bool"))


def complete_condition(text: str, cursor: int, known: PolicyIndex | None) -> Completed:
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


def _names(terminals: frozenset[str], type_: Type | None, known: PolicyIndex | None) -> Iterator[Item]:
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
