"""A fraction between 0 and 1 where a percentage is wanted: `0.8` may mean 80 %, and is 0.8 % (EP446)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.tree import Node
    from exitgate.model.place import Place
    from exitgate.model.type import Type
    from exitgate.policy.findings import Findings
    from exitgate.policy.part import Part

CODE = "EP446"
#: Comparisons of a percentage with a bare `1` that would mean something if it were a fraction; one is
#: never above 1 and always at most 1, so with `>` and `<=` one percent is meant.
_WITH_ONE = ("==", "!=", "<", ">=")
#: Extractor -> its options whose numbers are percentages.
_PERCENTAGES = {"graded_words": ("value", "otherwise", "base", "negated", "range")}
#: The sign as read from the other side.
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}


def ask_about_value(type: Type, value: object, text: str, place: Place, findings: Findings) -> None:
    """Warn of a value of type percent that is written as a fraction, without `%`."""
    if type.kind == "percent" and isinstance(value, float) and question(text, value):
        _ask(text.strip(), value, place, findings)


def ask_about_options(extractor: str, entry: Part, findings: Findings) -> None:
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


def ask_about_condition(written: Node, typed: Node, part: Part, findings: Findings) -> None:
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
        for number in _asked(node):
            value = number.args[0]
            if (number.start, number.end) in plain and isinstance(value, int | float) and part.written:
                place = part.written.place(number.start, number.end)
                _ask(text[number.start : number.end], value, place, findings)


def _asked(node: Node) -> list[Node]:
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


def _ask(text: str, value: float, place: Place, findings: Findings) -> None:
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
