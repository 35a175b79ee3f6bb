"""Which policy a report is scored with: the one whose scheme it speaks of, else the default."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.field_reports.cases import Report

DEFAULT = "recommended"

#: Words in a report's sources -> policy; the first row that fits counts.
SPEAKS_OF = (
    ("seed-001", "bb3"),
    ("BB3", "bb3"),
    ("siso-agency-internal", "bb3"),
    ("seed-002", "loop-detection"),
    ("seed-004", "doyaken"),
    ("doyaken-cli", "doyaken"),
)

#: Inputs that only one policy reads: a breaker that something else keeps.
BY_INPUT = {"state_file": "bb3"}


def policy_of(report: Report) -> str:
    """Return the name of the policy that a report is scored with."""
    for name, policy in BY_INPUT.items():
        if name in report.other:
            return policy
    return next(
        (policy for word, policy in SPEAKS_OF if any(word in source for source in report.sources)), DEFAULT
    )
