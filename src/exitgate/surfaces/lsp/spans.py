"""Keys and scalars of a tree without their quotes, with their offsets."""

from __future__ import annotations

from exitgate.surfaces.lsp.occurrence import Occurrence
from exitgate.surfaces.lsp.twig import SCALAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.surfaces.lsp.twig import Entry, Twig

    #: A text and the offset of its first character.
    Found = tuple[str, int]


def key_of(text: str, entry: Entry) -> Found | None:
    """Return the key of an entry, None for an item of a sequence."""
    return _unquoted(text, entry.key_start, entry.key_end) if isinstance(entry.key, str) else None


def value_of(text: str, twig: Twig) -> Found | None:
    """Return a scalar of one line, None for anything else."""
    if twig.kind != SCALAR or twig.style in ("|", ">"):
        return None
    return _unquoted(text, twig.start, twig.end)


def _unquoted(text: str, start: int, end: int) -> Found:
    quoted = end - start > 1 and text[start] in "'\"" and text[end - 1] == text[start]
    return (text[start + 1 : end - 1], start + 1) if quoted else (text[start:end], start)


def named(kind: str, found: Found | None, declares: bool = False) -> Iterator[Occurrence]:
    """Yield the occurrence that a text is as a whole; nothing for an empty one."""
    if found is not None and found[0]:
        yield Occurrence(kind, found[0], found[1], found[1] + len(found[0]), declares)
