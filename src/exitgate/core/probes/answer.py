"""What a probe said: its result as the ledger keeps it and facts read it."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.probes.figures import Figures

#: Set for every command of a probe: hooks of exitgate let go where they find it, `check` and `run` refuse.
MARK = "EXITGATE_PROBE"
#: How a question came out. Only an `ANSWERED` one has a result; of all others the reason says why not.
ANSWERED, REFUSED, LATE, BROKEN, CHANGED = STATUSES = "answered", "refused", "late", "broken", "changed"

#: Names of failures, and pieces of evidence, that are kept; characters of each.
NAMES, PIECES, LENGTH = 20, 12, 200


class Answer(Value):
    """
    The result of one probe.

    Args:
        status: `ANSWERED`, `REFUSED` (no person allowed it), `LATE` (its time was up), `BROKEN` (it could not
            be started or what it wrote cannot be used) or `CHANGED` (it changed files that git tracks).
        passed: Whether it agrees; None where that is not known.
        reason: Why there is no result, or what a judge gave as its reason.
        exit_status: Of the command; None without one.
        figures: What its report says; None without one that counts.
        values: JSON pointer -> what is there, a text, number, true, false or None.
        evidence: Where it says so: file or `output`, line from 1, the line.
        seconds: How long it took.
        judged: Whether a judge said so; the reason is its own then.
        cost: In USD, where a judge reports it.
        tree: Digest of the working tree that it was asked about; empty where not all of it is known.
        seen: Digest of the texts that a judge was shown.
        definition: Digest of its definition.
        at: When it was asked, seconds since the epoch.
        notes: What a user should know besides.
    """

    __slots__ = (
        "at", "cost", "definition", "evidence", "exit_status", "figures", "judged", "notes", "passed",
        "reason", "seconds", "seen", "status", "tree", "values",
    )  # fmt: skip

    def __init__(
        self,
        status: str,
        passed: bool | None = None,
        reason: str = "",
        exit_status: int | None = None,
        figures: Figures | None = None,
        values: Mapping[str, object] | None = None,
        evidence: tuple[tuple[str, int, str], ...] = (),
        seconds: float = 0.0,
        judged: bool = False,
        cost: float | None = None,
        tree: str = "",
        seen: str = "",
        definition: str = "",
        at: float = 0.0,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.status = status
        self.passed = passed
        self.reason = reason
        self.exit_status = exit_status
        self.figures = figures
        self.values = values or {}
        self.evidence = tuple((path, line, text[:LENGTH]) for path, line, text in evidence[:PIECES])
        self.seconds = seconds
        self.judged = judged
        self.cost = cost
        self.tree = tree
        self.seen = seen
        self.definition = definition
        self.at = at
        self.notes = notes

    def to_json(self) -> dict[str, object]:
        """Return it as the ledger's line and the source `probes` have it; what is not known is left out."""
        figures = self.figures
        counted = () if figures is None else ("total", "failed", "skipped", "coverage")
        plain: dict[str, object] = {
            "status": self.status,
            "passed": self.passed,
            "reason": self.reason or None,
            "exit_status": self.exit_status,
            **{name: getattr(figures, name) for name in counted},
            "failing": [name[:LENGTH] for name in figures.failing[:NAMES]] if figures is not None else None,
            "values": dict(self.values) or None,
            "evidence": [list(piece) for piece in self.evidence] or None,
            "seconds": round(self.seconds, 3),
            "judged": self.judged or None,
            "cost": self.cost,
            "tree": self.tree or None,
            "seen": self.seen or None,
            "definition": self.definition or None,
            "at": round(self.at, 3),
            "notes": list(self.notes) or None,
        }
        return {name: value for name, value in plain.items() if value is not None and value != []}


def is_fresh(answer: JsonObject) -> bool:
    """Return whether an answer, as the ledger keeps it, was asked for there: neither reused nor refused."""
    return "reused" not in answer and answer.number("at", 0.0) > 0
