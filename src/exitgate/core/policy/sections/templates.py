"""Message templates: text with facts, parameters and short histories in braces."""

from __future__ import annotations

from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.compiled import LISTED, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.policy.compiled import Slot, Template
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.sections.conditions import Names
    from exitgate.core.policy.yaml.node import YamlNode


#: What a slot begins with that lists the last values of a fact.
HISTORY = "history"
#: What is before the text for a fact that is unknown.
OR_ELSE = " or else "
QUOTES = ('"', "'")


def pieces(text: str) -> Iterator[tuple[str, str, int, int]]:
    """
    Yield the pieces of a template: kind, content, start and end offset in `text`.

    Kinds: ``text``, ``slot`` (the content is the name), ``open`` (a ``{`` never closed) and
    ``close`` (a lone ``}``). ``{{`` and ``}}`` are braces of the text.
    """
    position = 0
    while position < len(text):
        here = text[position]
        if text[position : position + 2] in ("{{", "}}"):
            yield "text", here, position, position + 2
            position += 2
        elif here == "{":
            end = text.find("}", position)
            name = text[position + 1 : end] if end > 0 else ""
            if end < 0 or "{" in name or "\n" in name:
                yield "open", here, position, position + 1
                position += 1
            else:
                yield "slot", name.strip(), position, end + 1
                position = end + 1
        elif here == "}":
            yield "close", here, position, position + 1
            position += 1
        else:
            ends = [found for found in (text.find("{", position), text.find("}", position)) if found >= 0]
            end = min(ends, default=len(text))
            yield "text", text[position:end], position, end
            position = end


def read_template(part: YamlNode | None, names: Names, findings: Findings) -> Template:
    """
    Return the compiled form of a message; report stray braces (EP463) and unknown names (EP462).

    A slot holds a name, ``{tasks.done}``; or a fact and what to say while it is unknown,
    ``{tasks.done or else "none"}``; or the last values of a fact, ``{history(signature, last 3)}``: a line
    for each iteration. Such a number is at most `exitgate.core.policy.compiled.LISTED`.

    Args:
        part: The message; None gives the empty template.
        names: The facts and parameters it may name.
        findings: Takes the diagnostics.
    """
    if part is None:
        return ()
    template: list[str | Slot] = []
    for kind, content, start, end in pieces(part.text):
        if kind == "slot":
            template.append(_read_slot(content, part, (start, end), names, findings))
        elif kind != "text":
            _report_brace(kind, part, start, findings)
        elif template and isinstance(template[-1], str):
            template[-1] += content
        else:
            template.append(content)
    return tuple(template)


def check_braces(part: YamlNode, findings: Findings) -> None:
    """Report stray braces of a message without looking at names."""
    for kind, _, start, _ in pieces(part.text):
        if kind in ("open", "close"):
            _report_brace(kind, part, start, findings)


def _report_brace(kind: str, part: YamlNode, start: int, findings: Findings) -> None:
    place = part.written.place(start, start + 1) if part.written is not None else part.place
    if kind == "open":
        findings.error(
            "EP463", "`{` is not closed in this message", place, "close it, or write `{{` for a brace"
        )
    else:
        findings.error(
            "EP463", "`}` has no opening counterpart in this message", place, "write `}}` for a brace"
        )


def _read_slot(content: str, part: YamlNode, span: tuple[int, int], names: Names, findings: Findings) -> Slot:
    """Return what a slot names, with how many iterations it lists or what stands for an unknown fact."""
    name, other, said = content.partition(OR_ELSE)
    if other:
        return _read_other(name.strip(), said.strip(), part, span, names, findings)
    word, bracket, inner = content.partition("(")
    if not bracket or word.strip() != HISTORY:
        _check_slot(content, part, span, names, findings)
        return (content,)
    name, comma, window = inner[:-1].partition(",")
    word, _, number = window.strip().partition(" ")
    name, number = name.strip(), number.strip()
    if not (inner[-1:] == ")" and comma and word == "last" and number and name):
        message = f"`{{{content}}}` needs a fact and a number of iterations"
        _report(message, part, span, findings, "write for example `{history(signature, last 3)}`")
    elif name.startswith("$"):
        _report("a history needs a fact, not a parameter", part, span, findings, "name a fact")
    else:
        _check_slot(name, part, span, names, findings)
        _check_number(number, part, span, names, findings)
    return name, number


def _read_other(
    name: str, said: str, part: YamlNode, span: tuple[int, int], names: Names, findings: Findings
) -> Slot:
    """Return the slot of a fact that may be unknown, and of the text that stands for it then."""
    text = said[1:-1]
    if not (len(said) > 1 and said[0] == said[-1] and said[0] in QUOTES and said[0] not in text):
        message = f"`or else {said}` needs a text in quotation marks"
        _report(message, part, span, findings, f"write for example `{{{name} or else 'not said'}}`")
    elif name.startswith("$"):
        _report(f"`{name}` is never unknown", part, span, findings, f"write `{{{name}}}`")
    else:
        _check_slot(name, part, span, names, findings)
    return name, "", text


def _check_number(
    number: str, part: YamlNode, span: tuple[int, int], names: Names, findings: Findings
) -> None:
    if number.startswith("$"):
        _check_slot(number, part, span, names, findings)
        parameter = names.parameters.get(number[1:])
        if parameter is not None and parameter.type.kind != "count":
            message = f"`{number}` is not a count of iterations"
            _report(message, part, span, findings, "name a parameter of type count")
    elif not (number.isascii() and number.isdigit() and len(number) < 4 and 0 < int(number) <= LISTED):
        message = f"`last {number}` is not a number of iterations"
        _report(message, part, span, findings, f"write a whole number from 1 to {LISTED}")


def _report(message: str, part: YamlNode, span: tuple[int, int], findings: Findings, help: str) -> None:
    place = part.written.place(*span) if part.written is not None else part.place
    findings.error("EP462", message, place, help)


def histories(template: Template, parameters: Mapping[str, object]) -> int:
    """Return how many earlier iterations the histories of a message list; `parameters` are values."""
    numbers = (piece[1] for piece in template if isinstance(piece, tuple) and len(piece) == 2)
    return max((listed(number, parameters) - 1 for number in numbers), default=0)


def _check_slot(name: str, part: YamlNode, span: tuple[int, int], names: Names, findings: Findings) -> None:
    known = name[1:] in names.parameters if name.startswith("$") else name in names.facts
    if known or names.is_broken(name):
        return
    if not name:
        help = "name a fact, or write `{{}}` for braces"
        _report("empty braces in a message", part, span, findings, help)
        return
    kind = _expression(name, names)
    if kind is not None:
        message = f"a message names facts; `{name}` is {kind[0]}"
        _report(message, part, span, findings, kind[1])
        return
    message = f"a message uses `{name}`, which is not a fact"
    if name.startswith("$"):
        message = f"a message uses `{name}`, which is not a parameter"
        help = suggestion(name, ["$" + parameter for parameter in names.parameters], "parameters")
    elif name in names.parameters:
        help = f"write parameters with a `$`: `{{${name}}}`"
    else:
        help = suggestion(name, _likely(name, names), "facts")
    _report(message, part, span, findings, help)


def _expression(content: str, names: Names) -> tuple[str, str] | None:
    """Return what kind of expression is in the braces, with what to write instead; None for a name."""
    from exitgate.core.language.problem import LanguageError
    from exitgate.core.language.syntax.parse import parse

    try:
        node = parse(content)
    except LanguageError:
        return None
    if node.op in ("fact", "parameter"):
        return None
    if node.op == "condition":
        return "a condition", "say in words what it means, or name a fact"
    if node.op in ("number", "percent", "duration", "money", "text", "enum", "bool", "list"):
        return "a value", f"write it without braces: `{content}`"
    name = next(one for one in ("value", "shown_value", "value_in_message") if one not in names.facts)
    quoted = f"'{content}'" if "'" not in content else f'"{content}"'
    help = f"declare `{name}: {{formula: {quoted}}}` under `facts:`, and write `{{{name}}}` here"
    return "an expression", help


def _likely(name: str, names: Names) -> list[str]:
    """Return the facts with the same prefix, if there are any, else all."""
    prefix = name.partition(".")[0] + "."
    near = [fact for fact in names.facts if fact.startswith(prefix)]
    return near or list(names.facts)
