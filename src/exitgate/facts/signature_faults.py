"""What is wrong with a cascade, told before any text is seen."""

from __future__ import annotations

from exitgate.facts import signature_template
from exitgate.facts.signature_rows import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Fault = tuple[tuple[str | int, ...], str, str]

_PATTERNS = "patterns are RE2's: no look-around, no back references"


def faults(options: Mapping[str, object]) -> Iterator[Fault]:
    """Yield path, message and help for each pattern RE2 refuses and each template that cannot be filled."""
    rows = options.get("cascade")
    for number, row in enumerate(rows if isinstance(rows, list | tuple) else ()):
        if isinstance(row, dict):
            yield from _of_row(row, ("cascade", number))


def _of_row(row: Mapping[str, object], at: tuple[str | int, ...]) -> Iterator[Fault]:
    groups: set[str] = set()
    for key in ("pattern", "unless"):
        if isinstance(row.get(key), str):
            found = yield from _pattern(str(row[key]), (*at, key))
            groups |= _groups(found) if key == "pattern" else set()
    parts = row.get("parts")
    named = {str(k): v for k, v in parts.items() if isinstance(v, dict)} if isinstance(parts, dict) else {}
    for name, part in named.items():
        here = (*at, "parts", name)
        inside = part.get("in")
        if isinstance(inside, str) and inside not in groups:
            yield (*here, "in"), f"the pattern has no group `{inside}`", _names(groups)
        if isinstance(part.get("each"), str):
            found = yield from _pattern(part["each"], (*here, "each"))
            yield from _template(str(part.get("as", "{0}")), (*here, "as"), _groups(found))
    if isinstance(row.get("template"), str):
        yield from _template(str(row["template"]), (*at, "template"), groups | named.keys())


def _pattern(written: str, at: tuple[str | int, ...]) -> Any:
    import re2

    try:
        return compiled(written)
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        yield at, f"RE2 refuses this pattern: {why}", _PATTERNS
        return None


def _groups(pattern: Any) -> set[str]:
    if pattern is None:
        return set()
    return {str(n) for n in range(pattern.groups + 1)} | set(pattern.groupindex)


def _template(written: str, at: tuple[str | int, ...], known: set[str]) -> Iterator[Fault]:
    try:
        pieces = signature_template.read(written)
    except signature_template.TemplateError as error:
        yield at, f"the template `{written}` cannot be read: {error}", "write for example `error:{1|slug}`"
        return
    for name in signature_template.names(pieces):
        if name not in known:
            yield at, f"the template names `{name}`, which is no group and no part", _names(known)


def pattern_faults(written: str, at: tuple[str | int, ...]) -> Iterator[Fault]:
    """Yield the fault of a pattern that RE2 refuses."""
    yield from _pattern(written, at)


def _names(known: set[str]) -> str:
    return f"there are {', '.join(f'`{name}`' for name in sorted(known))}" if known else "correct the pattern"
