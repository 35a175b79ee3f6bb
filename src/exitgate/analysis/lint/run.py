"""Lints over one subject: findings in the order of the file, each with the suppression that covers it."""

from __future__ import annotations

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.finding import Placed
from exitgate.core.model.diagnostic import ERROR, NOTE, WARNING, Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.analysis.lint.finding import Finding, Lint
    from exitgate.analysis.lint.subject import Subject
    from exitgate.analysis.lint.suppressions import Suppression


#: From mild to grave.
SEVERITIES = (NOTE, WARNING, ERROR)
#: Looks at what the others did, so it runs last.
LAST = "unused-suppression"


def chosen(
    select: Iterable[str] = (), ignore: Iterable[str] = (), least: str = NOTE, quick: bool = False
) -> tuple[Lint, ...]:
    """
    Return the lints to run, by id.

    Args:
        select: Ids of the only ones to run; empty for all.
        ignore: Ids of those left out.
        least: Those of less severity are left out.
        quick: Those that ask the boundary walk are left out.
    """
    wanted, unwanted = set(select), set(ignore) | (registry.WALKED if quick else set())
    rank = SEVERITIES.index(least)
    return tuple(
        lint for lint in registry.lints()
        if lint.ID not in unwanted and (not wanted or lint.ID in wanted)
        and SEVERITIES.index(lint.SEVERITY) >= rank
    )  # fmt: skip


def lint(subject: Subject, lints: Iterable[Lint]) -> tuple[Placed, ...]:
    """
    Return what lints find in a file, from top to bottom, suppressed findings included.

    A lint that needs the compiled policy is left out where there is none.
    """
    found: list[Placed] = []
    ran: list[str] = []
    for one in lints:
        if subject.kind not in one.KINDS or (one.COMPILED and subject.compiled is None):
            continue
        ran.append(one.ID)
        if one.ID != LAST:
            found += _placed(one, one.check(subject), subject)
    if LAST in ran:
        last = registry.load(LAST)
        used = frozenset((placed.suppression, placed.lint) for placed in found)
        found += _placed(last, unused(subject, used, frozenset(ran)), subject)
    return tuple(sorted(found, key=_order))


def unused(
    subject: Subject, used: frozenset[tuple[Suppression | None, str]], ran: frozenset[str]
) -> Iterator[Finding]:
    """Yield what the lint of unused suppressions finds, given those that covered something."""
    from exitgate.analysis.lint.lints.exceptions.unused_suppression import check_used

    return check_used(subject, used, ran)


def _placed(one: Lint, findings: Iterable[Finding], subject: Subject) -> Iterator[Placed]:
    own = [suppression for suppression in subject.suppressions if one.ID in suppression.ids]
    for finding in findings:
        line = finding.place.line
        covering = (s for s in own if s.covers(one.ID, line))
        source = subject.document.lines.line(line)
        yield Placed(one.ID, one.SEVERITY, finding, source, next(covering, None))


def _order(placed: Placed) -> tuple[int, int, str, str]:
    place = placed.finding.place
    return place.line, place.column, placed.lint, placed.finding.message


def diagnostic(placed: Placed) -> Diagnostic:
    """Return a finding as a diagnostic whose code is the lint's id."""
    found = placed.finding
    return Diagnostic(
        placed.lint, found.message, found.place, found.help, placed.severity, placed.source, found.related
    )
