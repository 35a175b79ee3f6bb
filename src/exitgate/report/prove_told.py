"""What was asked of policies and what came of it, as reports tell it."""

from __future__ import annotations

from exitgate.model.answer import PROVED, UNDECIDED
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.place import Place

#: Status -> glyph and the role that paints it.
GLYPHS = {
    "proved": ("●", "true"),
    "shown": ("●", "true"),
    "noted": ("!", "warning"),
    "broken": ("✗", "error"),
    "not decided": ("?", "unknown"),
}
#: Kind of question -> heading.
HEADINGS = {
    "invariant": "invariants",
    "silence": "silence",
    "rule": "rules",
    "overlap": "order of rules",
    "bound": "bound",
    "class": "results",
}


class Told(Value):
    """
    One question and its answer.

    Args:
        kind, subject: What it is about.
        status: One of `GLYPHS`.
        says: The answer as a sentence part; may be empty.
        lines: Facts of each iteration and what else explains it.
        case: A case for a tests.yaml, or empty.
        place: Where the subject is, or None.
        stage: The stage asked.
        points: Points that were settled.
        run: Facts of each iteration as plain data, or None.
        answer: Of the analysis, one of `exitgate.model.answer.STATUSES`.
    """

    __slots__ = (
        "answer",
        "case",
        "kind",
        "lines",
        "place",
        "points",
        "run",
        "says",
        "stage",
        "status",
        "subject",
    )

    def __init__(
        self,
        kind: str,
        subject: str,
        status: str,
        says: str,
        lines: tuple[str, ...] = (),
        case: str = "",
        place: Place | None = None,
        stage: str = "after_iteration",
        points: int = 0,
        run: tuple[Mapping[str, object], ...] | None = None,
        answer: str = PROVED,
    ) -> None:
        self.kind = kind
        self.subject = subject
        self.status = status
        self.says = says
        self.lines = lines
        self.case = case
        self.place = place
        self.stage = stage
        self.points = points
        self.run = run
        self.answer = answer


class ToldPolicy(Value):
    """All that was asked of one policy; `by` says who answered."""

    __slots__ = ("by", "name", "path", "proofs", "version")

    def __init__(self, name: str, version: str, path: str, by: str, proofs: tuple[Told, ...]) -> None:
        self.name = name
        self.version = version
        self.path = path
        self.by = by
        self.proofs = proofs

    def counted(self) -> dict[str, int]:
        """Return how many answers of each status there are, in the order of `GLYPHS`."""
        statuses = [proof.status for proof in self.proofs]
        return {status: statuses.count(status) for status in GLYPHS if status in statuses}


def summed(policies: tuple[ToldPolicy, ...]) -> str:
    """Return the counts of all policies in a line."""
    sums: dict[str, int] = {}
    for policy in policies:
        for status, count in policy.counted().items():
            sums[status] = sums.get(status, 0) + count
    return (
        ", ".join(f"{sums[status]} {status}" for status in GLYPHS if status in sums)
        or "no question was asked"
    )


def undecided_told(policies: tuple[ToldPolicy, ...]) -> tuple[str, ...]:
    """Return a line for each question that is not decided, orders of rules left out."""
    return tuple(
        f"{policy.name}: {HEADINGS[one.kind]}, {one.subject}: {one.says}"
        for policy in policies
        for one in policy.proofs
        if one.status == UNDECIDED and one.kind != "overlap"
    )
