"""Lines of plain text: each that is not blank is one result."""

from __future__ import annotations

from exitgate.core.probes.figures import Figures, text_of

NAME = "lines"
#: Lines that are kept.
SHOWN = 20


def parse(data: bytes) -> Figures:
    """Return how many lines there are, and the first ones as `failing`."""
    found = [(at, line.strip()) for at, line in enumerate(text_of(data).splitlines(), 1) if line.strip()]
    return Figures(
        total=len(found), failing=tuple(line for _, line in found[:SHOWN]), lines=tuple(found[:SHOWN])
    )
