"""What is known of an iteration before anything is decided."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.reported import Reported
    from exitgate.model.evidence import Fact


class Extracted(Value):
    """
    What is known of an iteration before anything is decided.

    Args:
        index: Its number within the run.
        facts: Those that rest on what was recorded, by name, secrets hidden.
        reported: What the iteration used up, a resumed session's cost as this iteration's share.
        exit_status: Of the agent.
        responded: Whether there is a response.
        started_at: Seconds since the epoch, or None.
        ended_at: Seconds since the epoch, or None.
        file: Where the iteration is.
        line: Its first line, from 1; 0 where lines mean nothing.
        baseline: Of the first iteration of a run: what was known before any work, by name.
        breaker: As `exitgate.transcripts.recorded.RecordedIteration` has it.
        looked_at: Likewise.
    """

    __slots__ = (
        "baseline", "breaker", "ended_at", "exit_status", "facts", "file", "index", "line", "looked_at",
        "reported", "responded", "started_at",
    )  # fmt: skip

    def __init__(
        self,
        index: int,
        facts: Mapping[str, Fact],
        reported: Reported,
        exit_status: int | None = None,
        responded: bool = True,
        started_at: float | None = None,
        ended_at: float | None = None,
        file: str = "",
        line: int = 0,
        baseline: Mapping[str, Fact] | None = None,
        breaker: Mapping[str, object] | None = None,
        looked_at: float | None = None,
    ) -> None:
        self.index = index
        self.facts = facts
        self.reported = reported
        self.exit_status = exit_status
        self.responded = responded
        self.started_at = started_at
        self.ended_at = ended_at
        self.file = file
        self.line = line
        self.baseline = baseline
        self.breaker = breaker
        self.looked_at = looked_at
