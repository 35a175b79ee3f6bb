"""Message templates: text with facts and parameters in braces."""

from __future__ import annotations

from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.compiled import Template
    from exitgate.policy.findings import Findings
    from exitgate.policy.names import Names
    from exitgate.policy.part import Part


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


def read_template(part: Part | None, names: Names, findings: Findings) -> Template:
    """
    Return the compiled form of a message; report stray braces (EP463) and unknown names (EP462).

    Args:
        part: The message; None gives the empty template.
        names: The facts and parameters it may name.
        findings: Takes the diagnostics.
    """
    if part is None:
        return ()
    template: list[str | tuple[str]] = []
    for kind, content, start, end in pieces(part.text):
        if kind == "slot":
            _check_slot(content, part, (start, end), names, findings)
            template.append((content,))
        elif kind != "text":
            _report_brace(kind, part, start, findings)
        elif template and isinstance(template[-1], str):
            template[-1] += content
        else:
            template.append(content)
    return tuple(template)


def check_braces(part: Part, findings: Findings) -> None:
    """Report stray braces of a message without looking at names."""
    for kind, _, start, _ in pieces(part.text):
        if kind in ("open", "close"):
            _report_brace(kind, part, start, findings)


def _report_brace(kind: str, part: Part, start: int, findings: Findings) -> None:
    place = part.written.place(start, start + 1) if part.written is not None else part.place
    if kind == "open":
        findings.error(
            "EP463", "`{` is not closed in this message", place, "close it, or write `{{` for a brace"
        )
    else:
        findings.error("EP463", "`}` closes nothing in this message", place, "write `}}` for a brace")


def _check_slot(name: str, part: Part, span: tuple[int, int], names: Names, findings: Findings) -> None:
    known = name[1:] in names.parameters if name.startswith("$") else name in names.facts
    if known or names.is_broken(name):
        return
    place = part.written.place(*span) if part.written is not None else part.place
    if not name:
        findings.error("EP462", "empty braces in a message", place, "name a fact, or write `{{}}` for braces")
        return
    message = f"a message names `{name}`, which is no fact"
    if name.startswith("$"):
        message = f"a message names `{name}`, which is no parameter"
        help = suggestion(name, ["$" + parameter for parameter in names.parameters], "parameters")
    elif name in names.parameters:
        help = f"parameters have a `$`: `{{${name}}}`"
    else:
        help = suggestion(name, _likely(name, names), "facts")
    findings.error("EP462", message, place, help)


def _likely(name: str, names: Names) -> list[str]:
    """Return the facts with the same prefix, where there are any, else all."""
    prefix = name.partition(".")[0] + "."
    near = [fact for fact in names.facts if fact.startswith(prefix)]
    return near or list(names.facts)
