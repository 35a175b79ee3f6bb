"""Every shipped policy and lexicon is clean, and what is turned off has a reason."""

from __future__ import annotations

from cases import each

from exitgate.analysis.lint import run
from exitgate.analysis.lint.loader import open_subject
from exitgate.core.policy import shipped

FILES = {
    **{name: shipped.path(name) for name in shipped.policies()},
    **{name: shipped.lexicon_path(name) for name in shipped.lexicons()},
}
#: The day of the test: no shipped exception has a last day.
TODAY = "2027-01-01"
DEFAULT = "recommended"


@each("name", FILES)
def test_no_lint_objects(name: str) -> None:
    one = open_subject(FILES[name], DEFAULT, TODAY)
    assert one.problems == ()
    assert one.subject is not None
    found = run.lint(one.subject, run.chosen(quick=True))
    assert [(p.lint, p.finding.message) for p in found if p.suppression is None] == []
    assert all(suppression.reason for suppression in one.subject.suppressions)
