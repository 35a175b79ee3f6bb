"""
Coverage of lines: Cobertura's XML, as most tools can write it, and JaCoCo's.

Lines are counted where the report counts them; else its own rate is taken. A rate that does not go with the
counts contradicts them.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from exitgate.core.probes.figures import NEVER, Figures, ReportError, share
from exitgate.core.probes.reports.xml import number, tree

NAME = "coverage"
#: Percentage points by which a rate may be rounded.
_ROUNDED = 1.0


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return the coverage of a report. Raises `ReportError`."""
    root = tree(data, until)
    tag = root.tag.rpartition("}")[2]
    if tag == "coverage":
        found = _cobertura(root)
    elif tag == "report":
        found = _jacoco(root)
    else:
        raise ReportError(f"its root is `{tag[:40]}`, not Cobertura's `coverage` or JaCoCo's `report`")
    if found is None:
        raise ReportError("it does not say how many lines were run")
    return Figures(coverage=found)


def _cobertura(root: Element) -> float | None:
    rate = _rate(root)
    covered, valid = number(root, "lines-covered"), number(root, "lines-valid")
    if covered is None or valid is None:
        return rate
    found = share(covered, valid)
    if found is None and valid:
        raise ReportError(f"its `lines-covered` is {covered}, and `lines-valid` {valid}")
    if found is not None and rate is not None and abs(found - rate) > _ROUNDED:
        raise ReportError(f"its `line-rate` is {rate:g}%, and its counts are {covered} of {valid}")
    return found


def _rate(root: Element) -> float | None:
    """Return the rate that the report states, in percent; None without one. Raises `ReportError`."""
    text = root.get("line-rate", "").strip()
    if not text:
        return None
    try:
        found = share(float(text), 1)
    except ValueError:
        found = None
    if found is None:
        raise ReportError(f"its `line-rate` is not from 0 to 1: `{text[:40]}`")
    return found


def _jacoco(root: Element) -> float | None:
    for counter in root.findall("counter"):
        if counter.get("type") == "LINE":
            covered, missed = number(counter, "covered"), number(counter, "missed")
            return None if covered is None or missed is None else share(covered, covered + missed)
    return None
