"""One iteration of a loop from what its log tells and what its output holds."""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.readers.ralph_outputs import read_output
from exitgate.transcripts.readers.ralph_plan import plan_at, why_not
from exitgate.transcripts.recorded import CRASH, TIMEOUT, USAGE_LIMIT, Provenance, RecordedIteration
from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.plans import Plans
    from exitgate.transcripts.readers.ralph_circuit import Circuits
    from exitgate.transcripts.readers.ralph_launch import Execution, Launch
    from exitgate.transcripts.readers.ralph_outputs import Output

_NOT_KEPT = "its output is not kept"
_NO_STATUS = "the log says that it failed, but not with which status"
_NO_END = "the log does not say how it ended"


class Told:
    """An iteration: what the log shows it, and its output; one of them may be None."""

    def __init__(self, execution: Execution | None, output: Output | None) -> None:
        self.execution = execution
        self.output = output

    @property
    def begun(self) -> float:
        """When its turn began, in seconds since the epoch."""
        return self.execution.begun if self.execution is not None else self.at

    @property
    def at(self) -> float:
        """When its process began, in seconds since the epoch."""
        if self.output is not None:
            return self.output.at
        assert self.execution is not None, "an iteration without any record"
        return self.execution.started


def iterations_of(
    launch: Launch,
    several: Sequence[Told],
    wants: frozenset[str],
    plan: str | None,
    prompt: str | None,
    last: float | None,
    circuits: Circuits,
) -> Iterator[Problem | RecordedIteration]:
    """
    Yield the iterations of a run.

    Args:
        launch: The launch.
        several: What is reported about each.
        wants: As in `exitgate.transcripts.registry`.
        plan: The plan's file in the folder, of a time that nothing tells.
        prompt: What the agent was asked each time.
        last: When the very last iteration of the folder began.
        circuits: What the breaker's own files say.
    """
    plans = _plans(wants)
    before = launch.counted
    for index, told in enumerate(several, 1):
        final = told.at == last and told is several[-1]
        read: RecordedIteration | None = None
        failed = told.execution is not None and told.execution.failed
        if told.output is not None:
            for part in read_output(told.output, index, plans, wants, failed=failed):
                if isinstance(part, Problem):
                    yield part
                else:
                    read = part
        if read is None:
            read = _from_log(index, told.execution)
        share = told.execution.counted if told.execution is not None else None
        shown = plans.files() if plans is not None else {}
        stood = plan_at(shown, share, plan if final else None, before)
        why = why_not(plan if final else None, before) if stood is None and plan is not None else ""
        before = share
        opens = launch.opened and told is several[-1]
        circuit = circuits.record(launch, told.execution, opens=opens, final=final)
        yield _completed(read, told, stood, prompt, circuit, why)


def _plans(wants: frozenset[str]) -> Plans | None:
    if not wants & {gives.PLAN, gives.FILES}:
        return None
    from exitgate.transcripts.plans import Plans

    return Plans()


def _from_log(index: int, one: Execution | None) -> RecordedIteration:
    assert one is not None, "an iteration without any record"
    told = dict.fromkeys(("response", "output", "tool_results"), _NOT_KEPT)
    return RecordedIteration(index, Provenance(one.file, one.first, one.last), not_known=told)


def _completed(
    read: RecordedIteration,
    told: Told,
    plan: str | None,
    prompt: str | None,
    circuit: dict[str, object] | None,
    no_plan: str,
) -> RecordedIteration:
    """Return an iteration with what the log says of its process, and why its plan is not known, or ""."""
    one = told.execution
    not_known = dict(read.not_known)
    if no_plan:
        not_known["plan"] = no_plan
    if circuit is None:
        not_known["circuit"] = "the log mentions the breaker only when it ends the loop"
    started, ended = _times(told)
    record = dict(read.record)
    status = timed_out = None
    kind = read.error_kind
    if one is not None:
        status = one.status
        timed_out = one.timed_out or (False if one.status is not None or one.failed else None)
        kind = _kind(one, kind)
        if one.failed or one.status == 0:
            record.setdefault("is_error", one.failed)
        if status is None:
            not_known["exit_status"] = _NO_STATUS if one.failed else _NO_END
    return read.but(
        record=record,
        prompt=prompt,
        started_at=started,
        ended_at=ended,
        exit_status=status,
        timed_out=timed_out,
        error_kind=kind,
        plan=plan,
        circuit=circuit,
        not_known=not_known,
        number=one.loop if one is not None else None,
    )


def _kind(one: Execution, told: str | None) -> str | None:
    if one.limited:
        return USAGE_LIMIT
    if one.timed_out:
        return TIMEOUT
    return told or (CRASH if one.failed else None)


def _times(told: Told) -> tuple[float, float | None]:
    """Return start and end by the clock of the log and of the names of files, never by that of a stream."""
    if told.execution is not None:
        return told.at, told.execution.ended
    took = told.output.took if told.output is not None else None
    return told.at, None if took is None else told.at + took
