"""What is wrong with a cascade, reported before any text is seen."""

from __future__ import annotations

from exitgate.core.facts.errors import signature_rows
from exitgate.core.facts.errors.signature_rows import compiled, written
from exitgate.core.facts.lexicons.patterns import why_refused
from exitgate.core.facts.text.secrets import compiled as _written_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Fault = tuple[tuple[str | int, ...], str, str]


_PATTERNS = "patterns are RE2's: no look-around, no back references"


def faults(options: Mapping[str, object]) -> Iterator[Fault]:
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


def _of_row(row: Mapping[str, object], at: tuple[str | int, ...]) -> Iterator[Fault]:
    groups: set[str] = set()
    for key in ("pattern", "unless"):
        if isinstance(row.get(key), str):
            found = yield from _pattern(str(row[key]), (*at, key))
            if found is None:
                return
            groups |= _groups(found) if key == "pattern" else set()
    if isinstance(row.get("noise"), str) and (wrong := stray_reference(str(row["noise"]), groups)):
        yield (*at, "noise"), f"`{wrong}` is not a group of the pattern", "write `\\1` for its first group"
    parts = row.get("parts")
    named = {str(k): v for k, v in parts.items() if isinstance(v, dict)} if isinstance(parts, dict) else {}
    for name, part in named.items():
        here = (*at, "parts", name)
        inside = part.get("in")
        if isinstance(inside, str) and inside not in groups:
            yield (*here, "in"), f"the pattern has no group `{inside}`", _names(groups)
        if isinstance(part.get("each"), str):
            found = yield from _pattern(part["each"], (*here, "each"))
            if found is None:
                continue
            yield from _template(str(part.get("as", "{0}")), (*here, "as"), _groups(found))
    if isinstance(row.get("template"), str):
        yield from _template(str(row["template"]), (*at, "template"), groups | named.keys())


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
