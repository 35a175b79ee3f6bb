"""
Tracefiles of lcov: coverage of lines.

`LF` and `LH` of each file are its lines and those that were run; without them its `DA` lines are counted.
"""

from __future__ import annotations

from exitgate.core.probes.figures import NEVER, Figures, ReportError, lines_of, share

NAME = "lcov"
_BEGIN, _END = "SF", "end_of_record"
#: Digits of the largest count.
_DIGITS = 18


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return the coverage of a report. Raises `ReportError`."""
    found = hit = records = 0
    lines: dict[str, int] = {}
    said: dict[str, int] = {}
    begun = False
    for at, line in lines_of(data, until):
        key, _, rest = line.strip().partition(":")
        if key == _BEGIN:
            if begun:
                raise ReportError(f"line {at} begins a file, and the one before has no `{_END}`")
            begun = True
        elif key == "DA":
            number, _, times = rest.partition(",")
            lines[number] = max(lines.get(number, 0), _count(times.partition(",")[0]) or 0)
        elif key in ("LF", "LH"):
            count = _count(rest)
            if count is None:
                raise ReportError(f"line {at} has no count: `{line[:40]}`")
            said[key] = count
        elif key == _END:
            records += 1
            some, of = said.get("LH", sum(times > 0 for times in lines.values())), said.get("LF", len(lines))
            if some > of:
                raise ReportError(f"line {at} ends a file that counts {some} of {of}")
            found, hit = found + of, hit + some
            lines, said, begun = {}, {}, False
    if begun or lines or said:
        raise ReportError(f"it breaks off: the last file has no `{_END}`")
    coverage = share(hit, found)
    if coverage is None:
        raise ReportError("it has no record of a file" if not records else "it counts no line")
    return Figures(coverage=coverage)


def _count(text: str) -> int | None:
    """Return a count; None for what is none. A line that was run a negative number of times was not run."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None
