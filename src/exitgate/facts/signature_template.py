"""Templates of signatures: ``error:{kind}-{what|slug}-{file|basename}``."""

from __future__ import annotations

from exitgate.facts.signature_filters import FILTERS, NUMBERED, SPOKEN
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.facts.signature_filters import Settings


class TemplateError(ValueError):
    """A template that cannot be read; the message says why."""


class Slot(Value):
    """``{name|filter argument|...}``: what is in a template for a captured text."""

    __slots__ = ("filters", "name")

    def __init__(self, name: str, filters: tuple[tuple[str, str], ...]) -> None:
        self.name = name
        self.filters = filters


def read(template: str) -> tuple[str | Slot, ...]:
    """Return the pieces of a template; raises TemplateError."""
    pieces: list[str | Slot] = []
    at = 0
    while at < len(template):
        start = template.find("{", at)
        if start < 0:
            pieces.append(template[at:])
            break
        end = template.find("}", start)
        if end < 0:
            raise TemplateError(f"`{template[start:]}` has no closing brace")
        if start > at:
            pieces.append(template[at:start])
        pieces.append(_slot(template[start + 1 : end]))
        at = end + 1
    return tuple(pieces)


def _slot(written: str) -> Slot:
    name, *filters = (part.strip() for part in written.split("|"))
    if not name:
        raise TemplateError("`{}` names nothing")
    return Slot(name, tuple(_filter(one) for one in filters))


def _filter(written: str) -> tuple[str, str]:
    name, _, argument = written.partition(" ")
    argument = argument.strip()
    if name not in FILTERS:
        raise TemplateError(f"there is no filter `{name}`; there are {', '.join(sorted(FILTERS))}")
    if name in NUMBERED and not (argument.isascii() and argument.isdigit() and int(argument) > 0):
        raise TemplateError(f"`{name}` needs a whole number of at least 1, for example `{name} 3`")
    if name in SPOKEN and not argument:
        raise TemplateError(f"`{name}` needs a text, for example `{name} none`")
    if argument and name not in NUMBERED | SPOKEN:
        raise TemplateError(f"`{name}` takes no argument, but has `{argument}`")
    return name, argument


def names(pieces: tuple[str | Slot, ...]) -> tuple[str, ...]:
    """Return the names that a template uses, in order."""
    return tuple(piece.name for piece in pieces if isinstance(piece, Slot))


def render(
    pieces: tuple[str | Slot, ...], value: Callable[[str], str], settings: Settings
) -> tuple[str, bool]:
    """Return the text, and whether any slot gave one. `value` returns the captured text of a name."""
    out: list[str] = []
    any = False
    for piece in pieces:
        if isinstance(piece, str):
            out.append(piece)
            continue
        text = value(piece.name)
        for name, argument in piece.filters:
            text = FILTERS[name](text, argument, settings)
        any = any or bool(text)
        out.append(text)
    return "".join(out), any
