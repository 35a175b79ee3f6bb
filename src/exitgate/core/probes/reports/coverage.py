"""
Coverage of lines: Cobertura's XML, as most tools can write it, and JaCoCo's.

Lines are counted where the report counts them; else its own rate is taken.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from exitgate.core.probes.figures import Figures, ReportError, share
from exitgate.core.probes.reports.xml import number, tree

NAME = "coverage"


def parse(data: bytes) -> Figures:
    """Return the coverage of a report. Raises `ReportError`."""
    root = tree(data)
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
    found = share(number(root, "lines-covered"), number(root, "lines-valid"))
    if found is not None:
        return found
    try:
        return share(float(root.get("line-rate", "")), 1)
    except ValueError:
        return None


def _jacoco(root: Element) -> float | None:
    for counter in root.findall("counter"):
        if counter.get("type") == "LINE":
            covered = number(counter, "covered")
            return share(covered, covered + number(counter, "missed"))
    return None
