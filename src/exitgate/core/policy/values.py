"""Values of parameters as people write them, in YAML or on the command line."""

from __future__ import annotations

from math import isfinite

from exitgate.core.model.exact import keeps_digits
from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.condition_cache import CONDITIONS
from exitgate.core.policy.yaml.scalars import resolve, surprise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.tree import Node
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.model.value import Type
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


TEXT_LIMIT = 1000
LIST_LIMIT = 1000

#: Kind -> how such a value is written.
EXAMPLES = {
    "bool": "`true` or `false`",
    "count": "a whole number from 0, such as `3`",
    "number": "a number, such as `0.5`",
    "percent": "a percentage from 0 to 100, such as `70` or `70%`",
    "duration": "a duration, such as `30m` or `1h30m`",
    "money": "an amount with its currency, such as `5 USD`",
    "text": "a text",
    "signature": "a text",
}


class Unfit(Exception):  # noqa: N818 - becomes a diagnostic
    """A value does not match; `help` says what would."""

    def __init__(self, message: str, help: str = "") -> None:
        self.help = help
        super().__init__(message)


def wanted(type: Type) -> str:
    """Return how a value of the type is written, for help lines."""
    if type.kind == "enum":
        return f"one of {', '.join(f'`{member}`' for member in type.members)}"
    if type.kind == "list":
        return f"a list; each item {wanted(type.item)}" if type.item is not None else "a list"
    return EXAMPLES[type.kind]


def from_text(type: Type, text: str) -> object:
    """
    Return the value that a text from the command line stands for.

    A list is written as its items with commas between, ``a, b``, or as in YAML, ``["a, b", c]``.

    Raises:
        Unfit: It is not a value of the type.
    """
    text = text.strip()
    if type.kind in ("text", "signature"):
        return from_yaml(type, text, text)
    if type.kind == "list":
        return from_yaml(type, _pieces(type, text), text)
    try:
        value = resolve(text)
    except OverflowError:
        raise Unfit(f"`{text[:40]}` is too large", f"write {wanted(type)}") from None
    return from_yaml(type, value, text)


def _pieces(type: Type, text: str) -> object:
    """Return the items of a list written as a text."""
    if not text.startswith("["):
        return [piece.strip() for piece in text.split(",")] if text else []
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.document import read_document

    findings = Findings()
    document = read_document(f"items: {text}", "", findings)
    if document is None or findings.errors():
        raise _unfit(type, text, text)
    return document.root.fields["items"].plain()


def from_yaml(type: Type, value: object, text: str) -> object:
    """
    Return the run-time value, as `exitgate.core.model.value.Type` says, of a value read from YAML.

    Args:
        type: What it should be.
        value: The plain value.
        text: The scalar as it was written; for messages.

    Raises:
        Unfit: It is not a value of the type.
    """
    if isinstance(value, float) and isfinite(value) and not keeps_digits(text.strip(), value):
        raise Unfit(f"`{text[:40]}` has more digits than a number holds", f"write `{value!r}`")
    kind = type.kind
    if kind == "list":
        return _list(type, value, text)
    if kind in ("text", "signature") and isinstance(value, str):
        if len(value) > TEXT_LIMIT:
            raise Unfit(f"a text of {len(value)} characters", f"{TEXT_LIMIT} are allowed")
        return value
    if kind == "enum":
        return _enum(type, text)
    if kind == "bool" and isinstance(value, bool):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _unfit(type, value, text)
    if kind in ("bool", "text", "signature"):
        raise _unfit(type, value, text)
    return _number(type, value, text)


def _number(type: Type, value: float | str, text: str) -> object:
    kind = type.kind
    number, currency = _measured(kind, value) if isinstance(value, str) else (value, None)
    if number is None or (kind in ("duration", "money") and not isinstance(value, str) and value != 0):
        raise _unfit(type, value, text)
    if kind == "money" and currency not in (None, type.currency):
        raise Unfit(f"`{text}` is not in {type.currency}", f"write an amount in {type.currency}")
    if kind in ("count", "duration", "money", "percent") and number < 0:
        raise _unfit(type, value, text)
    if kind == "percent" and number > 100:
        raise _unfit(type, value, text)
    if kind == "count" and number != int(number):
        raise _unfit(type, value, text)
    return int(number) if number == int(number) else number


def _measured(kind: str, text: str) -> tuple[int | float | None, str | None]:
    """Return number and currency of ``70%``, ``30m`` and ``5 USD``, as the language reads them."""
    from exitgate.core.language.problem import LanguageError

    try:
        node = CONDITIONS.parse(text)
    except LanguageError:
        return None, None
    if node.op != kind:
        return None, None
    number = node.args[0]
    currency = node.args[1] if kind == "money" else None
    assert isinstance(number, int | float)
    return number, currency if isinstance(currency, str) else None


def _enum(type: Type, text: str) -> object:
    if text.upper() in type.members:
        return text.upper()
    raise Unfit(f"`{text}` is not one of its members", suggestion(text.upper(), type.members, "members"))


def _list(type: Type, value: object, text: str) -> object:
    if not isinstance(value, list) or type.item is None:
        raise _unfit(type, value, text)
    if len(value) > LIST_LIMIT:
        raise Unfit(f"a list of {len(value)} items", f"{LIST_LIMIT} are allowed")
    return tuple(
        from_text(type.item, item) if isinstance(item, str) else from_yaml(type.item, item, str(item))
        for item in value
    )


#: What a value of a kind is called, where that is not the kind itself.
_NOUNS = {"money": "an amount", "percent": "a percentage", "enum": "a member", "text": "a text"}


def _unfit(type: Type, value: object, text: str) -> Unfit:
    shown = text if len(text) <= 40 else text[:37] + "..."
    if isinstance(value, list | tuple):
        shown = "a list"
    elif isinstance(value, dict):
        shown = "a mapping"
    else:
        shown = f"`{shown}`"
    help = ""
    if isinstance(value, str) and type.kind == "bool":
        help = surprise(value, "bool")
    elif isinstance(value, str):
        help = surprise(value, "duration" if type.kind == "duration" else "number")
    return Unfit(f"{shown} is not {_NOUNS.get(type.kind, 'a ' + type.kind)}", help or f"write {wanted(type)}")


# A fraction between 0 and 1 where a percentage is wanted: `0.8` may mean 80 %, and is 0.8 % (EP446).

CODE = "EP446"
#: Comparisons of a percentage with a bare `1` that would mean something if it were a fraction; one is
#: never above 1 and always at most 1, so with `>` and `<=` one percent is meant.
_WITH_ONE = ("==", "!=", "<", ">=")
#: Extractor -> its options whose numbers are percentages.
_PERCENTAGES = {"graded_words": ("value", "otherwise", "base", "negated", "range")}
#: The sign as read from the other side.
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}


def ask_about_value(type: Type, value: object, text: str, place: Location, findings: Findings) -> None:
    """Warn of a value of type percent that is written as a fraction, without `%`."""
    if type.kind == "percent" and isinstance(value, float) and question(text, value):
        _ask(text.strip(), value, place, findings)


def ask_about_options(extractor: str, entry: YamlNode, findings: Findings) -> None:
    """
    Warn of fractions among the options of an extractor.

    Args:
        extractor: Its name.
        entry: The entry under `facts:`.
        findings: Takes the warnings.
    """
    names = _PERCENTAGES.get(extractor, ())
    for part in entry.walk() if names else ():
        for name in names:
            option = part.fields.get(name)
            for one in (option.items or (option,)) if option is not None else ():
                said = question(one.text, one.value)
                if said and isinstance(one.value, float):
                    help = f"it is from 0 to 100: write `{100 * one.value:g}`"
                    findings.warning(CODE, said, one.place, help)


def ask_about_condition(written: Node, typed: Node, part: YamlNode, findings: Findings) -> None:
    """
    Warn of every fraction, and of some bare `1`, that a condition puts beside a percentage.

    Args:
        written: The condition as it was parsed, with the offsets of its text.
        typed: The same with types: a bare number beside a percentage has become one.
        part: Where it is written.
        findings: Takes the warnings.
    """
    text = part.text
    plain = {(node.start, node.end) for node in written.walk() if node.op == "number"}
    for node in typed.walk():
        for number in _fraction_candidates(node):
            value = number.args[0]
            if (number.start, number.end) in plain and isinstance(value, int | float) and part.written:
                place = part.written.place(number.start, number.end)
                _ask(text[number.start : number.end], value, place, findings)


def _fraction_candidates(node: Node) -> list[Node]:
    """Return the percentages among a node's children that may be fractions."""
    found = [
        one
        for one in node.children()
        if one.op == "percent" and 0 < one.args[0] < 1  # type: ignore[operator]
    ]
    ones = [one for one in node.children() if one.op == "percent" and one.args[0] == 1]
    if node.op == "compare" and len(ones) == 1:
        sign = str(node.args[0])
        found += ones if (sign if ones[0] is node.args[2] else _MIRRORED[sign]) in _WITH_ONE else []
    return found + ones if node.op in ("is", "is_not") else found


def _ask(text: str, value: float, place: Location, findings: Findings) -> None:
    share = _share(value)
    few = "one percent" if value == 1 else "less than one percent"
    message = f"`{text}` is {few}: {text}% or {share}?"
    findings.warning(CODE, message, place, f"write `{text}%` or `{share}`")


def question(text: str, value: object) -> str:
    """Return what is asked about a percentage that is written as a fraction; empty for any other."""
    if isinstance(value, float) and 0 < value < 1 and not text.strip().endswith("%"):
        return f"`{text.strip()}` is less than one percent: {text.strip()}% or {_share(value)}?"
    return ""


def _share(value: float) -> str:
    return f"{round(100 * value, 9):g}%"
