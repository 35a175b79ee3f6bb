"""A line or word that reports an error, and what stands for a set of them."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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


def signature(text: Text, reported: Sequence[Reported]) -> str:
    """
    Return a text that is equal for equal sets of errors.

    The distinct lines, folded, runs of digits as ``#`` and blanks as one, sorted and joined; where that
    is longer than `SIGNATURE_LIMIT`, cut and ended with the CRC-32 of the whole.
    """
    joined = " | ".join(sorted({_normal(text.folded[r.start : r.end]) for r in reported}))
    if len(joined) <= SIGNATURE_LIMIT:
        return joined
    from binascii import crc32

    return f"{joined[: SIGNATURE_LIMIT - 9]}~{crc32(joined.encode('utf-8', 'replace')):08x}"


def _normal(line: str) -> str:
    letters: list[str] = []
    for letter in line:
        mark = "#" if letter.isdigit() else " " if letter.isspace() else letter
        if not (letters and mark in "# " and letters[-1] == mark):
            letters.append(mark)
    return "".join(letters).strip()
