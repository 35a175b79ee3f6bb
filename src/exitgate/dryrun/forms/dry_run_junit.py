"""A dry run as JUnit XML: a test case for each run under each policy, failed where it stops otherwise."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from exitgate.dryrun.forms.dry_run_text import stop_line
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.expect import Checked, Difference
    from exitgate.dryrun.result import DryRun, RunResult


def dry_run_junit(found: DryRun, checked: Checked | None) -> str:
    """
    Return a `testsuites` document: a suite for each policy, and one for files that could not be read.

    Without expectations nothing fails. An interrupted dry run has a case that is an error.
    """
    wrong = {(one.run, one.policy): one for one in (checked.differences if checked is not None else ())}
    suites = [
        _suite(policy, [_case(r, wrong.get((r.run.id, policy))) for r in found.results if r.policy == policy])
        for policy in found.policies
    ]
    trouble = [_error("unread", one.file, one.message) for one in found.unread]
    trouble += [_error("dry-run", "all transcripts", "interrupted")] if found.interrupted else []
    suites += [_suite("transcripts", trouble)] if trouble else []
    cases = sum(count for count, _, _, _ in suites)
    failures = sum(count for _, count, _, _ in suites)
    head = (
        f'<testsuites name="exitgate dry-run" tests="{cases}" failures="{failures}" errors="{len(trouble)}">'
    )
    text = "\n".join(text for _, _, _, text in suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{text}\n</testsuites>\n'


def _suite(name: str, cases: list[str]) -> tuple[int, int, int, str]:
    """Return how many cases, failures and errors there are, and the element."""
    failures = sum("<failure" in case for case in cases)
    errors = sum("<error" in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    text = "\n".join(cases)
    return (
        len(cases),
        failures,
        errors,
        f"  <testsuite name={_attribute(name)} {counts}>\n{text}\n  </testsuite>",
    )


def _case(result: RunResult, difference: Difference | None) -> str:
    stop = result.stop
    said = safe(stop_line(result)) + (f"\n{safe(stop.message)}" if stop is not None and stop.message else "")
    inner = f"      <system-out>{escape(said)}</system-out>\n"
    if difference is not None:
        message = f"expected {difference.expected}, found {difference.found}"
        inner = f'      <failure message={_attribute(message)} type="stop"/>\n{inner}'
    place = f" file={_attribute(result.run.file)}" + (f' line="{stop.line}"' if stop and stop.line else "")
    head = f"    <testcase classname={_attribute(result.policy)} name={_attribute(result.run.id)}{place}"
    seconds = _seconds(result)
    return f'{head} time="{seconds:.3f}">\n{inner}    </testcase>'


def _seconds(result: RunResult) -> float:
    """Return how long the run took, 0 if unknown."""
    begin, end = result.run.started_at, result.run.ended_at
    return max(0.0, end - begin) if begin is not None and end is not None else 0.0


def _error(kind: str, name: str, message: str) -> str:
    inner = f"      <error message={_attribute(message)} type={_attribute(kind)}/>"
    return f"    <testcase classname={_attribute(kind)} name={_attribute(name)}>\n{inner}\n    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(safe(text))
