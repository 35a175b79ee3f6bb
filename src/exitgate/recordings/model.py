"""One iteration as a transcript shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from exitgate.core.envelopes.plain import Unwrapped
from exitgate.core.system.lenient import amount, read_as

#: Who wrote a file: a tool of the agent, a commit, or the loop itself (logs, state files).
AGENT, COMMIT, LOOP = "agent", "commit", "loop"
#: Kinds of errors of an iteration; the first three are never the agent's own.
USAGE_LIMIT, AUTH, MODEL, TIMEOUT, TOOL, CRASH = "usage_limit", "auth", "model", "timeout", "tool", "crash"


class ToolCall(Struct, frozen=True):
    """
    One call of a tool.

    Args:
        name: As the agent's program calls it.
        input: What it was called with, as JSON gives it.
        result: What it gave back, or None when the transcript does not say.
        is_error: Whether the call failed; None when not said.
        exit_status: Of a command; None when not said.
        id: The transcript's own.
        own: False for a call by a sub-agent.
        ended: Whether what it had begun in the background is known to be over.
        background: Whether the program reports that its work continued behind its result.
    """

    name: str
    input: object = None
    result: str | None = None
    is_error: bool | None = None
    exit_status: int | None = None
    id: str | None = None
    own: bool = True
    ended: bool = False
    background: bool = False


class FileChange(Struct, frozen=True):
    """A file that changed: its path as written there, and by whom (`AGENT`, `COMMIT` or `LOOP`)."""

    path: str
    origin: str = AGENT


class Provenance(Struct, frozen=True):
    """Where an iteration is: file, and its first and last line, from 1; 0 where lines mean nothing."""

    file: str
    first: int = 0
    last: int = 0


class RecordedIteration(Struct, frozen=True):
    """
    One iteration of a recorded run. None is *not known*: the format does not say it.

    Args:
        index: 1-based number within the run.
        provenance: Where it is.
        response: What the agent said at the end.
        output: All that the agent itself said, in order.
        tool_results: What its tools gave back, joined by line ends; None also if it is not wanted.
        record: The source `result` as `exitgate.core.envelopes.plain.Unwrapped.record` describes it:
            `is_error`, `error`, `cost` (USD), `tokens`, `turns`, `tool_calls` (count), `files_changed`
            (count), `denials`, `limits`, `session`, `stop_reason`, `truncated`, `model`, `subtype`, ...
            A missing key was not said.
        prompt: What the agent was asked in this iteration.
        started_at: Seconds since the epoch.
        ended_at: Seconds since the epoch.
        exit_status: Of the agent's process; never that of its last tool.
        timed_out: Whether its time was up.
        error_kind: One of the kinds of this module.
        tool_calls: In order; None if the format shows none, or they are not wanted.
        files_changed: With who changed them.
        tests: The last test command that was recorded: `command`, `exit_status`.
        plan: Text of the plan as it was when the iteration ended.
        files: Path -> text of other files whose text is known then (`prd.json`).
        git: The source `git` as `exitgate.core.facts.extractors.git` reads it.
        circuit: The breaker's own record.
        not_known: Part -> why it is not known, if there is more to say than the format's own silence. Of
            `tool_calls` that are known, why others may be missing.
        facts: Name -> value, `Unknown` or `Fact` of facts that were recorded themselves, not the texts they
            were found in; None where the format records none. They count where a policy has a fact of the
            same name that such a value fits, and are not looked for again.
        number: What the loop itself calls the iteration, where that is not `index`.
        breaker: The state of exitgate's own breaker before the iteration, as a ledger keeps it, where
            something else than the checks of this run had moved it: a person, another run. Its `since` says
            that no earlier iteration of this run is a history of its conditions.
        looked_at: When a check before the iteration last looked at the breaker, seconds since the epoch.
        probes: Name -> what a probe said to the decision that was made then, as a ledger keeps it.
    """

    index: int
    provenance: Provenance
    response: str | None = None
    output: str | None = None
    tool_results: str | None = None
    record: Mapping[str, Any] = {}
    prompt: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    exit_status: int | None = None
    timed_out: bool | None = None
    error_kind: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    files_changed: tuple[FileChange, ...] | None = None
    tests: Mapping[str, Any] | None = None
    plan: str | None = None
    files: Mapping[str, str] = {}
    git: Mapping[str, Any] | None = None
    circuit: Mapping[str, Any] | None = None
    not_known: Mapping[str, str] = {}
    facts: Mapping[str, Any] | None = None
    number: int | None = None
    breaker: Mapping[str, Any] | None = None
    looked_at: float | None = None
    probes: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        """Take None for no files: readers of other packages may say so what is not known."""
        _no_nulls(self, "files", "not_known", "probes")

    def but(self, **parts: Any) -> RecordedIteration:
        """Return this iteration with `parts` in place of its own."""
        return replace(self, **parts)

    @property
    def cost(self) -> float | None:
        """USD that the transcript says for it; what a resumed session has cost so far where it says that."""
        found = amount(self.record.get("cost"))
        return None if found is None else float(found)


def _no_nulls(struct: Struct, *names: str) -> None:
    """Put an empty mapping in place of None."""
    for name in names:
        if getattr(struct, name) is None:
            force_setattr(struct, name, {})


def from_unwrapped(index: int, provenance: Provenance, found: Unwrapped, **parts: Any) -> RecordedIteration:
    """Return the iteration that an envelope shows, with `parts` that it does not say."""
    if found.lost:
        parts["not_known"] = {"tool_calls": found.lost, **parts.get("not_known", {})}
    told = {
        "response": found.response,
        "output": found.output,
        "tool_results": found.tool_results,
        "record": found.record,
        "tool_calls": calls_of(found),
    }
    return RecordedIteration(index, provenance, **(told | parts))


class _Call(Struct, frozen=True):
    """A call as an envelope shows it."""

    tool: str = ""
    input: Any = None
    result: str | None = None
    error: bool | None = None
    exit_status: int | None = None
    ended: bool = False
    background: bool = False


def calls_of(found: Unwrapped) -> tuple[ToolCall, ...] | None:
    """Return the single calls that an envelope shows, None where it shows none."""
    if found.calls is None:
        return None
    calls = (read_as(_Call, one) for one in found.calls)
    return tuple(
        ToolCall(
            one.tool,
            one.input,
            one.result,
            one.error,
            one.exit_status,
            ended=one.ended,
            background=one.background,
        )
        for one in calls
    )


# What a reader yields of a transcript: where runs begin and end, their iterations, and what was wrong.
#
# A reader is a stream of parts in the order `Begin`, iterations, `End`, once for each run, with a `Problem`
# anywhere: no caller needs a whole transcript in memory. `collect` gathers small ones.

#: What counts as an iteration: a process of the agent, a prompt with all that follows, a call of the model.
PROCESS, TURN, STEP = "process", "turn", "step"


class Begin(Struct, frozen=True):
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

    id: str
    granularity: str
    file: str
    started_at: float | None = None
    title: str = ""
    parent: str | None = None
    resumed: bool | None = None
    plan: str | None = None
    files: Mapping[str, str] = {}
    git: Mapping[str, Any] | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        """Take None for no files, as an iteration does."""
        _no_nulls(self, "files")


class End(Struct, frozen=True):
    """
    A run ends.

    Args:
        how: How it ended, by what was recorded, in a class of `exitgate.core.model.decision.CLASSES`; None
            its destination on or nothing says it. Never `complete` because of a claim of the agent's.
        why: The recorder's own words, shortened, or the empty text.
        ended_at: Seconds since the epoch, or None.
        cost: USD of the whole run, where the recorder tells that and what iterations cost does not add up
            to it or is not reported.
        tokens: Of the whole run, likewise.
    """

    how: str | None = None
    why: str = ""
    ended_at: float | None = None
    cost: float | None = None
    tokens: int | None = None


class Problem(Struct, frozen=True):
    """
    Something that could not be read; the rest was. `line` is from 1, or 0.

    `loses` is false for text between events that cannot have been a part of one.
    """

    file: str
    message: str
    line: int = 0
    loses: bool = True

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}"


Part = Begin | RecordedIteration | End | Problem


class Run(Struct, frozen=True):
    """A whole run in memory: its beginning, its iterations, its end."""

    begin: Begin
    iterations: tuple[RecordedIteration, ...]
    end: End
    reader: str


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
