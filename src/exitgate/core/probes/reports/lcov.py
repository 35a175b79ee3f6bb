"""
Tracefiles of lcov: coverage of lines.

`LF` and `LH` of each file are its lines and those that were run; without them its `DA` lines are counted.
"""

from __future__ import annotations

from exitgate.core.probes.figures import Figures, ReportError, share, text_of

NAME = "lcov"
_END = "end_of_record"


def parse(data: bytes) -> Figures:
    """Return the coverage of a report. Raises `ReportError`."""
    found = hit = records = 0
    lines: dict[str, int] = {}
    said: dict[str, int] = {}
    for line in text_of(data).splitlines():
        key, _, rest = line.strip().partition(":")
        if key == "DA":
            number, _, times = rest.partition(",")
            lines[number] = max(lines.get(number, 0), _count(times.partition(",")[0]))
        elif key in ("LF", "LH"):
            said[key] = _count(rest)
        elif key == _END:
            records += 1
            found += said.get("LF", len(lines))
            hit += said.get("LH", sum(times > 0 for times in lines.values()))
            lines, said = {}, {}
    if lines or said:
        raise ReportError(f"it breaks off: the last file has no `{_END}`")
    coverage = share(hit, found)
    if coverage is None:
        raise ReportError("it has no record of a file" if not records else "its counts of lines do not fit")
    return Figures(coverage=coverage)


def _count(text: str) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0
