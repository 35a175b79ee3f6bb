"""A line or word that reports an error, and what stands for a set of them."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.noise import Noise
    from exitgate.facts.scan import Text

#: Longest signature, in characters; what is longer ends in a checksum.
SIGNATURE_LIMIT = 160


class Reported(Value):
    """A line, or word, that reports an error; `guard` is the guard that refused it, or None."""

    __slots__ = ("end", "guard", "kind", "start")

    def __init__(self, kind: str, start: int, end: int, guard: str | None = None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.guard = guard


def patterns(text: Text, reported: Sequence[Reported], noise: Noise | None) -> tuple[str, ...]:
    """
    Return what stands for each error, equal for equal errors: distinct, sorted.

    Each is its line, folded, without noise and with blanks as one; where that is longer than
    `SIGNATURE_LIMIT`, cut and ended with the CRC-32 of the whole.
    """
    lines = {text.folded[r.start : r.end] for r in reported}
    return tuple(sorted({_short(_normal(line, noise)) for line in lines}))


def signature(patterns: Sequence[str]) -> str:
    """Return a text that is equal for equal sets of errors: their patterns, joined and as short."""
    return _short(" | ".join(patterns))


def _normal(line: str, noise: Noise | None) -> str:
    return " ".join(line.split()) if noise is None else noise.without(line)


def _short(text: str) -> str:
    if len(text) <= SIGNATURE_LIMIT:
        return text
    from binascii import crc32

    return f"{text[: SIGNATURE_LIMIT - 9]}~{crc32(text.encode('utf-8', 'replace')):08x}"
