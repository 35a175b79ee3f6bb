"""What a loop's own log says of its launches, and of the processes of the agent that each one ran."""

from __future__ import annotations


class Execution:
    """
    One process of the agent, as the log shows it. None is not reported.

    Args:
        loop: The number that the loop gave it, from 1 in each launch.
        begun: When the loop's turn began, in seconds since the epoch; its output file is named then or later.
        file: The log.
        line: Where the turn begins there.
    """

    def __init__(self, loop: int, begun: float, file: str, line: int) -> None:
        self.loop = loop
        self.begun = begun
        self.started = begun
        self.ended: float | None = None
        self.file = file
        self.first = line
        self.last = line
        self.budget: float | None = None
        self.status: int | None = None
        self.failed = self.timed_out = self.limited = self.over = False
        self.resumed: bool | None = None
        self.counted: tuple[int, int] | None = None
        self.stamp: str | None = None


class Launch:
    """
    One start of the loop, up to its end.

    `how` and `why` are as in `exitgate.transcripts.run.End`; `opened` says that the log ends it because
    its breaker was open; `counted` is what of the plan was done before the first process, of how much;
    `headless` says that the log begins in the middle of it.
    """

    def __init__(self, at: float | None, file: str, line: int = 0) -> None:
        self.at = at
        self.file = file
        self.line = line
        self.executions: list[Execution] = []
        self.loop = 0
        self.loop_at: float | None = None
        self.loop_line = line
        self.how: str | None = None
        self.why = ""
        self.ended: float | None = None
        self.opened = self.over = self.running = self.headless = False
        self.error = ""
        self.error_at = 0.0
        self.counted: tuple[int, int] | None = None

    @property
    def idle(self) -> bool:
        """Whether no process of it is under way."""
        last = self.executions[-1] if self.executions else None
        return last is None or last.over or last.ended is not None

    def end(self, how: str | None, why: str, at: float) -> None:
        """Note how it ended; what is said first counts, and what has a class before what has none."""
        self.over = True
        if self.ended is None or (self.how is None and how is not None):
            self.how, self.why, self.ended = how, why, at
