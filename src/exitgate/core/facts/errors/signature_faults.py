"""What is wrong with a cascade, reported before any text is seen."""

from __future__ import annotations

from exitgate.core.facts.errors import signature_rows
from exitgate.core.facts.errors.signature_rows import compiled, written
from exitgate.core.facts.lexicons.patterns import why_refused
from exitgate.core.facts.text.secrets import compiled as _written_alone
from exitgate.core.model.json_object import object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from exitgate.core.model.json_object import JsonObject

    Fault = tuple[tuple[str | int, ...], str, str]


_PATTERNS = "patterns are RE2's: no look-around, no back references"


def faults(options: JsonObject) -> Iterator[Fault]:
    """Yield path, message and help for each pattern RE2 refuses and each template that cannot be filled."""
    if options.get("cascade") is None:
        if options.get("lexicon") is None:
            yield (), "there is no cascade", "add `lexicon: signatures`, or rows under `cascade`"
        # places in the lexicon's own file are not known here
        for row in written(options):
            for _, message, help in _of_row(row, ()):
                yield ("lexicon",), f"`{row.get('id')}`: {message}", help
        return
    for number, row in enumerate(written(options)):
        yield from _of_row(row, ("cascade", number))


def _of_row(row: JsonObject, at: tuple[str | int, ...]) -> Iterator[Fault]:
    groups: set[str] = set()
    for key in ("pattern", "unless"):
        pattern = row.text(key)
        if pattern is not None:
            found = yield from _pattern(pattern, (*at, key))
            if found is None:
                return
            groups |= _groups(found) if key == "pattern" else set()
    if wrong := stray_reference(row.text("noise", ""), groups):
        yield (*at, "noise"), f"`{wrong}` is not a group of the pattern", "write `\\1` for its first group"
    named = {name: object_of(part) for name, part in row.object("parts").items()}
    for name, part in named.items():
        here = (*at, "parts", name)
        inside, each, template = part.text("in"), part.text("each"), part.text("as", "{0}")
        if inside is not None and inside not in groups:
            yield (*here, "in"), f"the pattern has no group `{inside}`", _names(groups)
        if each is not None:
            found = yield from _pattern(each, (*here, "each"))
            if found is None:
                continue
            yield from _template(template, (*here, "as"), _groups(found))
    yield from _template(row.text("template", ""), (*at, "template"), groups | named.keys())


def _pattern(pattern: str, at: tuple[str | int, ...]) -> Any:
    import re2

    try:
        # as it is written first: within the group that `compiled` makes, stray marks could balance
        _written_alone(pattern)
        return compiled(pattern)
    except re2.error as error:
        yield at, f"RE2 rejects this pattern: {why_refused(error)}", _PATTERNS
        return None


def _groups(pattern: Any) -> set[str]:
    return {str(n) for n in range(pattern.groups + 1)} | set(pattern.groupindex)


def _template(template: str, at: tuple[str | int, ...], known: set[str]) -> Iterator[Fault]:
    try:
        pieces = signature_rows.read(template)
    except signature_rows.TemplateError as error:
        yield at, f"the template `{template}` cannot be read: {error}", "write for example `error:{1|slug}`"
        return
    for name in signature_rows.names(pieces):
        if name not in known:
            yield at, f"the template names `{name}`, which is neither a group nor a part", _names(known)


def pattern_faults(pattern: str, at: tuple[str | int, ...]) -> Iterator[Fault]:
    """Yield the fault of a pattern that RE2 refuses."""
    yield from _pattern(pattern, at)


def stray_reference(replacement: str, groups: set[str]) -> str:
    """Return the first backslash with what follows it that stands for no group, or the empty text."""
    at = replacement.find("\\")
    while at >= 0:
        if replacement[at + 1 : at + 2] not in groups or replacement[at + 1 : at + 2] == "0":
            return replacement[at : at + 2]
        at = replacement.find("\\", at + 2)
    return ""


def _names(known: set[str]) -> str:
    return f"there are {', '.join(f'`{name}`' for name in sorted(known))}" if known else "correct the pattern"
