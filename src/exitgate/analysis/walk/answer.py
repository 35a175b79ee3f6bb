"""What a question about a policy comes to."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOUND, NONE, OPEN = "found", "none", "open"


class Answer(Value):
    """
    One answer.

    Args:
        status: FOUND, NONE or OPEN.
        run: Facts of each iteration, oldest first, unknown ones left out; None unless FOUND.
        exact: NONE is a proof; else it held at every point walked.
        points: Points of the regions that were settled; of an example, the points of its region.
        why: Why it is OPEN; else empty.
        stage: The stage it is about, where the question is about several.
        kind: What the example stands for, if there are several kinds.
    """

    __slots__ = ("exact", "kind", "points", "run", "stage", "status", "why")

    def __init__(
        self,
        status: str,
        run: tuple[Mapping[str, object], ...] | None,
        exact: bool,
        points: int,
        why: str = "",
        stage: str = "after_iteration",
        kind: tuple[object, ...] = (),
    ) -> None:
        self.status = status
        self.run = run
        self.exact = exact
        self.points = points
        self.why = why
        self.stage = stage
        self.kind = kind
