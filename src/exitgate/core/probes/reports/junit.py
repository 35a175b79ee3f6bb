"""
JUnit's XML, as test runners of most languages write it.

Cases are counted, and what suites say of themselves counts where it is more: a suite may leave cases out.
"""

from __future__ import annotations

from junitparser import Error, Failure, JUnitXml, Skipped
from junitparser.junitparser import JUnitXmlError, TestCase, TestSuite

from exitgate.core.probes.figures import NAMES, Figures, ReportError
from exitgate.core.probes.reports.xml import number, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

NAME = "junit"


def parse(data: bytes) -> Figures:
    """Return total, failed, skipped and failing of a report. Raises `ReportError`."""
    root = tree(data)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    try:
        whole = JUnitXml.fromroot(root)  # type: ignore[arg-type]
    except JUnitXmlError as error:
        raise ReportError(f"its root is `{root.tag[:40]}`, not `testsuites` or `testsuite`") from error
    cases = [case for suite in _suites(whole) for case in suite._elem.findall("testcase")]
    total = skipped = failed = 0
    failing: dict[str, None] = {}
    for element in cases:
        case = TestCase.fromelem(element)  # type: ignore[no-untyped-call]
        results = {type(one) for one in case.result}
        total += 1
        if results & {Failure, Error}:
            failed += 1
            if len(failing) < NAMES:
                failing[_name(case)] = None
        elif Skipped in results:
            skipped += 1
    claimed = [_claimed(whole._elem, name) for name in ("tests", "failures", "errors")]
    return Figures(
        total=max(total, claimed[0]),
        failed=max(failed, claimed[1] + claimed[2]),
        skipped=skipped,
        failing=tuple(failing),
    )


def _suites(whole: JUnitXml) -> Iterator[TestSuite]:
    """Yield every suite, those within others, too."""
    for element in whole._elem.iter("testsuite"):
        yield TestSuite.fromelem(element)  # type: ignore[no-untyped-call]


def _claimed(root: Element, name: str) -> int:
    """Return a number as the report states it: of the whole, or the sum over its suites."""
    return max(number(root, name), sum(number(one, name) for one in root if one.tag == "testsuite"))


def _name(case: TestCase) -> str:
    """Return `class.name`, or the one that there is."""
    return ".".join(filter(None, (case.classname, case.name))) or "a case without a name"
