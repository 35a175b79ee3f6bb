"""
What a reader yields of a transcript: where runs begin and end, their iterations, and what was wrong.

A reader is a stream of parts in the order `Begin`, iterations, `End`, once for each run, with a `Problem`
anywhere: no caller needs a whole transcript in memory. `collect` gathers small ones.
"""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.recorded import RecordedIteration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: What counts as an iteration: a process of the agent, a prompt with all that follows, a call of the model.
PROCESS, TURN, STEP = "process", "turn", "step"


class Begin(Value):
    """
    A run begins.

    Args:
        id: Unique within the transcript, as short as it can be: a session id, a folder's name and number.
        granularity: `PROCESS`, `TURN` or `STEP`.
        file: Where it is, for people.
        started_at: Seconds since the epoch, or None.
        title: A few words on it, or the empty text.
        parent: Id of the run whose sub-agent this is, or None. Such a run is not a loop of its own.
        resumed: Whether it continues with an earlier session; None when not known.
        plan: The plan's text before the first iteration, or None.
        files: Path -> text of other files then.
        git: The source `git` as it was then, or None.
        limit: Iterations after which its loop ends by itself, or None.
    """

    __slots__ = (
        "file", "files", "git", "granularity", "id", "limit", "parent", "plan", "resumed", "started_at",
        "title",
    )  # fmt: skip

    def __init__(
        self,
        id: str,
        granularity: str,
        file: str,
        started_at: float | None = None,
        title: str = "",
        parent: str | None = None,
        resumed: bool | None = None,
        plan: str | None = None,
        files: Mapping[str, str] | None = None,
        git: Mapping[str, object] | None = None,
        limit: int | None = None,
    ) -> None:
        self.id = id
        self.granularity = granularity
        self.file = file
        self.started_at = started_at
        self.title = title
        self.parent = parent
        self.resumed = resumed
        self.plan = plan
        self.files = files or {}
        self.git = git
        self.limit = limit


class End(Value):
    """
    A run ends.

    Args:
        how: How it ended, by what was recorded, in a class of `exitgate.model.verdict.CLASSES`; None
            its destination on or nothing says it. Never `complete` because of a claim of the agent's.
        why: The recorder's own words, shortened, or the empty text.
        ended_at: Seconds since the epoch, or None.
        cost: USD of the whole run, where the recorder tells that and what iterations cost does not add up
            to it or is not reported.
        tokens: Of the whole run, likewise.
    """

    __slots__ = ("cost", "ended_at", "how", "tokens", "why")

    def __init__(
        self,
        how: str | None = None,
        why: str = "",
        ended_at: float | None = None,
        cost: float | None = None,
        tokens: int | None = None,
    ) -> None:
        self.how = how
        self.why = why
        self.ended_at = ended_at
        self.cost = cost
        self.tokens = tokens


class Problem(Value):
    """
    Something that could not be read; the rest was. `line` is from 1, or 0.

    `loses` is false for text between events that cannot have been a part of one.
    """

    __slots__ = ("file", "line", "loses", "message")

    def __init__(self, file: str, message: str, line: int = 0, loses: bool = True) -> None:
        self.file = file
        self.message = message
        self.line = line
        self.loses = loses

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}"


Part = Begin | RecordedIteration | End | Problem


class Run(Value):
    """A whole run in memory: its beginning, its iterations, its end."""

    __slots__ = ("begin", "end", "iterations", "reader")

    def __init__(
        self, begin: Begin, iterations: tuple[RecordedIteration, ...], end: End, reader: str
    ) -> None:
        self.begin = begin
        self.iterations = iterations
        self.end = end
        self.reader = reader


def collect(parts: Iterator[Part], reader: str) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    """Return the runs of a transcript and what was wrong with it."""
    runs: list[Run] = []
    problems: list[Problem] = []
    begin: Begin | None = None
    iterations: list[RecordedIteration] = []
    for part in parts:
        if isinstance(part, Problem):
            problems.append(part)
        elif isinstance(part, Begin):
            begin, iterations = part, []
        elif isinstance(part, End):
            assert begin is not None, "a run ends that did not begin"
            runs.append(Run(begin, tuple(iterations), part, reader))
            begin = None
        else:
            iterations.append(part)
    assert begin is None, "a run did not end"
    return tuple(runs), tuple(problems)
