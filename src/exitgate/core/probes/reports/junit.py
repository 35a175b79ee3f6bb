"""
JUnit's XML, as test runners of most languages write it.

Cases are counted wherever they are, and what a suite says of itself counts where it is more: a suite may
leave cases out. A failure of a suite itself, as of what its tests rest on, is one more.
"""

from __future__ import annotations

from exitgate.core.probes.figures import NAMES, NEVER, Figures, ReportError
from exitgate.core.probes.reports.xml import number, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NAME = "junit"
_SUITES, _CASE = ("testsuites", "testsuite"), "testcase"
#: Elements that say that what they are in failed, and that it was not run. What passed at the second
#: attempt has others.
_FAILED, _SKIPPED = ("failure", "error", "rerunFailure", "rerunError"), ("skipped",)
#: Attributes by which some writers say how a case came out, in place of an element or beside it.
_OUTCOME = ("status", "result", "outcome")
_BAD = frozenset(
    ("fail", "failed", "failure", "error", "errored", "broken", "timeout", "timedout", "aborted")
)
_NOT_RUN = frozenset(("notrun", "skip", "skipped", "suppressed", "disabled", "ignored", "pending"))


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return total, failed, skipped and failing of a report. Raises `ReportError`."""
    root = tree(data, until)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if root.tag not in _SUITES:
        raise ReportError(f"its root is `{root.tag[:40]}`, not `testsuites` or `testsuite`")
    failing: dict[str, None] = {}
    total, failed, skipped = _counted(root, failing)
    return Figures(total=max(total, failed), failed=failed, skipped=skipped, failing=tuple(failing))


def _counted(element: Element, failing: dict[str, None]) -> tuple[int, int, int]:
    """Return how many results an element holds, how many of them failed, and how many were not run."""
    total = failed = skipped = 0
    if element.tag == _CASE:
        total = 1
        if _has_failed(element):
            failed = 1
            _keep(failing, _name(element))
        elif _is_skipped(element):
            skipped = 1
    elif element.tag in _SUITES and any(child.tag in _FAILED for child in element):
        total = failed = 1
        _keep(failing, element.get("name") or "a suite without a name")
    for child in element:
        inner = _counted(child, failing)
        total, failed, skipped = total + inner[0], failed + inner[1], skipped + inner[2]
    if element.tag in _SUITES:
        total = max(total, _said(element, "tests"))
        failed = max(failed, _said(element, "failures") + _said(element, "errors"))
        skipped = max(skipped, _said(element, "skipped") + _said(element, "disabled"))
    return total, failed, skipped


def _said(element: Element, name: str) -> int:
    return number(element, name) or 0


def _has_failed(case: Element) -> bool:
    if any(child.tag in _FAILED for child in case):
        return True
    return case.get("success", "").lower() == "false" or bool(_BAD.intersection(_outcomes(case)))


def _is_skipped(case: Element) -> bool:
    return any(child.tag in _SKIPPED for child in case) or bool(_NOT_RUN.intersection(_outcomes(case)))


def _outcomes(case: Element) -> list[str]:
    return [case.get(name, "").strip().lower() for name in _OUTCOME]


def _keep(failing: dict[str, None], name: str) -> None:
    if len(failing) < NAMES:
        failing[name] = None


def _name(case: Element) -> str:
    """Return `class.name`, or the one that there is."""
    named = (case.get("classname"), case.get("name"))
    return ".".join(name for name in named if name) or "a case without a name"
