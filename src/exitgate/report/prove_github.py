"""Broken promises and undecided questions as annotations at their lines."""

from __future__ import annotations

from exitgate.report.github import annotation
from exitgate.report.prove_told import summed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.report.prove_told import Told, ToldPolicy

#: Status -> level of the annotation; the others are in the sum.
LEVELS = {"broken": "error", "not decided": "warning"}


def prove_github(policies: tuple[ToldPolicy, ...]) -> str:
    """Return workflow commands: one for each broken or undecided question, and the sum."""
    lines = [line for policy in policies for one in policy.proofs for line in _proof(policy, one)]
    return "".join(
        f"{line}\n" for line in [*lines, annotation("notice", summed(policies), title="exitgate prove")]
    )


def _proof(policy: ToldPolicy, one: Told) -> Iterator[str]:
    level = LEVELS.get(one.status)
    if level is None:
        return
    title = f"{policy.name}: {one.subject} {one.status}"
    text = "\n".join(filter(None, (one.says, *one.lines, one.case.rstrip("\n")))) or one.status
    if one.place is None or one.place.file.startswith("shipped:"):
        yield annotation(level, text, title=title)
    else:
        yield annotation(
            level, text, file=one.place.file, line=one.place.line, col=one.place.column, title=title
        )
