"""Lines of plain text: each that is not blank is one result."""

from __future__ import annotations

from exitgate.core.probes.figures import NEVER, Figures, lines_of

NAME = "lines"
#: Lines that are kept.
SHOWN = 20


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return how many lines there are, and the first ones as `failing`. Raises `ReportError`."""
    total = 0
    found: list[tuple[int, str]] = []
    for at, line in lines_of(data, until):
        text = line.strip()
        if text:
            total += 1
            if len(found) < SHOWN:
                found.append((at, text))
    return Figures(total=total, failing=tuple(line for _, line in found), lines=tuple(found))
