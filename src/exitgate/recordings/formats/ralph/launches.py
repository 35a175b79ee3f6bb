"""
Which launch of a loop an output belongs to: what its log tells, and where the log is cut, what outputs show.

An output is that of the process which the log begins in its second. Outputs of which the log says nothing
are one launch as long as no sign speaks of another: hours between them, a loop that counts from 1 again,
another session after a pause, a session that the loop reset at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from exitgate.core.envelopes.json_text import whole
from exitgate.core.envelopes.members import as_object, objects_in, text_at
from exitgate.core.model import capabilities
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.ralph.dialects import FRANKBRIA_REASONS
from exitgate.recordings.formats.ralph.log import BEFORE, BEHIND, Execution, Launch
from exitgate.recordings.formats.ralph.outputs import Output, read_output
from exitgate.recordings.formats.ralph.progress import plan_at, why_not
from exitgate.recordings.formats.ralph.state import Circuits
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import CRASH, TIMEOUT, USAGE_LIMIT, Problem, Provenance, RecordedIteration

#: Seconds after an iteration within which its loop begins the next: behind its end, or its beginning where
#: the end is not known. It waits an hour at most for new calls, and as long as a process may take.
_WAITS, _RUNS = 7200.0, 10_800.0
#: Seconds that a loop does not pause for by itself between two iterations of one session.
_PAUSE = 600.0
_STATUS, _HISTORY = "status.json", "ralph_session_history"
#: Why a session is reset where a person asks for it.
_MANUAL = "manual_"
_BLOCK, _NUMBER, _LINES = "RALPH_STATUS", "loop", 12
#: Seconds by which the clocks of a log and of a state file differ beyond the zone, and steps of zones.
_SLACK, _ZONE, _FARTHEST = 120.0, 900.0, 50_400.0


class _Sign:
    """What an iteration shows of its launch: begin, end, session, number; None is not known."""

    def __init__(self, told: Evidence) -> None:
        self.at = told.at
        self.ended = told.execution.ended if told.execution is not None else None
        self.number = told.execution.loop if told.execution is not None else None
        self.session: str | None = None
        if told.output is None or told.execution is not None:
            return
        for part in read_output(told.output, 1, None, frozenset(), failed=False):
            if not isinstance(part, Problem):
                self.session = text_at(part.record, "session")
                self.number = _numbered(part.response or "")
        took = told.output.took
        self.ended = None if took is None else told.at + took


def joined(
    launches: Sequence[Launch], outputs: Sequence[Output], states: Mapping[str, Location]
) -> list[tuple[Launch, list[Evidence]]]:
    """
    Return every launch with its iterations in order of time, each with its output where one is kept.

    Args:
        launches: What the log tells.
        outputs: What is kept. One of which the log says nothing belongs to the launch under way then, or to
            one of its own.
        states: Name -> state file.
    """
    found = [(launch, [Evidence(one, None) for one in launch.executions]) for launch in launches]
    every = [one for _, several in found for one in several]
    strange: dict[int, list[Evidence]] = {}
    for output in outputs:
        matching = _matching(output, every)
        for told in matching:
            told.output = output
        if matching:
            continue
        at = sum(1 for launch in launches if launch.at is not None and launch.at - BEFORE <= output.at)
        under_way = at > 0 and (launches[at - 1].ended is None or output.at <= (launches[at - 1].ended or 0))
        where = found[at - 1][1] if under_way else strange.setdefault(at, [])
        where.append(Evidence(None, output))
    resets = _resets(launches, states)
    for at in range(len(found), -1, -1):
        if at > 0:
            found[at - 1][1].sort(key=lambda one: one.at)
            own, *rest = _parted(found[at - 1][1], resets)
            found[at - 1] = (found[at - 1][0], own)
            found[at:at] = [_launched(group) for group in rest]
        groups = _parted(strange[at], resets) if at in strange else []
        if groups and at < len(launches) and _goes_on(launches[at], groups[-1], resets):
            found[at] = (found[at][0], [*groups.pop(), *found[at][1]])
        found[at:at] = [_launched(group) for group in groups]
    return found


def _launched(group: list[Evidence]) -> tuple[Launch, list[Evidence]]:
    first = group[0].output
    assert first is not None, "not an output"
    return Launch(first.at, first.main.path), group


def _matching(output: Output, among: Sequence[Evidence]) -> list[Evidence]:
    """Return the iterations that an output is of: several where loops began processes in one second."""
    free = [(told, one) for told in among if (one := told.execution) is not None and told.output is None]
    same = [told for told, one in free if one.stamp == output.stamp]
    fitting = [pair for pair in free if pair[1].stamp is None and _names(pair[1], output)]
    if same or not fitting:
        return same
    best = min((one for _, one in fitting), key=lambda one: (abs(one.started - output.at), -one.begun))
    return [told for told, one in fitting if one.started == best.started]


def _names(one: Execution, output: Output) -> bool:
    return one.begun - BEFORE <= output.at <= one.started + BEHIND


def _parted(several: list[Evidence], resets: Sequence[float]) -> list[list[Evidence]]:
    """Return iterations in groups: what the log shows is one, behind it a sign begins another."""
    told = sum(1 for one in several if one.execution is not None)
    last = max((at for at, one in enumerate(several) if one.execution is not None), default=-1)
    groups = [several[: last + 1]] if told else []
    signs = [_Sign(several[last])] if told else []
    for one in several[last + 1 :]:
        sign = _Sign(one)
        if not groups or _is_another(signs, sign, resets):
            groups.append([])
            signs = []
        groups[-1].append(one)
        signs.append(sign)
    return groups or [[]]


def _is_another(signs: Sequence[_Sign], sign: _Sign, resets: Sequence[float]) -> bool:
    """Return whether an iteration behind others belongs to another launch."""
    before = signs[-1]
    since = sign.at - (before.at if before.ended is None else before.ended)
    if since > (_RUNS if before.ended is None else _WAITS):
        return True
    number = next((one.number for one in reversed(signs) if one.number is not None), None)
    if sign.number == 1 and number is not None and number > 1:
        return True
    sessions = [one.session for one in signs if one.session is not None]
    kept = len(sessions) > 1 and sessions[-1] == sessions[-2]
    if since > _PAUSE and kept and sign.session is not None and sign.session != sessions[-1]:
        return True
    return any(before.at < at <= sign.at for at in resets)


def _goes_on(launch: Launch, group: Sequence[Evidence], resets: Sequence[float]) -> bool:
    """Return whether a launch in whose middle the log begins is the one that outputs before it are of."""
    if not launch.headless or not launch.executions or launch.executions[0].loop < 2:
        return False
    return not _is_another([_Sign(one) for one in group], _Sign(Evidence(launch.executions[0], None)), resets)


def _numbered(response: str) -> int | None:
    """Return the number of the loop that the last status in a response says, None without one."""
    found = None
    for part in response.split(_BLOCK)[1:]:
        for line in part.split("\n", _LINES)[:_LINES]:
            name, _, value = line.partition(":")
            digits = value.strip()
            if name.strip().lower() == _NUMBER and digits.isascii() and digits.isdigit() and len(digits) < 7:
                found = int(digits)
    return found


def _resets(launches: Sequence[Launch], states: Mapping[str, Location]) -> list[float]:
    """
    Return when the loop reset its session at the end of a launch, by the clock of the log.

    State files have UTC and the log has local time: what lies between them is known where the log's last
    line and the status of the same moment are there.
    """
    status, history = _read(states.get(_STATUS)), _read(states.get(_HISTORY))
    local = [at for launch in launches for at in _instants(launch)]
    written = instant(as_object(status).get("timestamp"))
    if written is None or not local:
        return []
    zone = round((max(local) - written) / _ZONE) * _ZONE
    if abs(max(local) - written - zone) > _SLACK or abs(zone) > _FARTHEST:
        return []
    found = []
    for row in objects_in(history):
        why, at = text_at(row, "reason") or "", instant(row.get("timestamp"))
        if at is not None and (why in FRANKBRIA_REASONS or why.startswith(_MANUAL)):
            found.append(at + zone)
    return found


def _instants(launch: Launch) -> list[float]:
    last = launch.executions[-1] if launch.executions else None
    told = (launch.at, launch.ended, *((last.started, last.ended) if last is not None else ()))
    return [at for at in told if at is not None]


def _read(place: Location | None) -> object:
    try:
        read = None if place is None else whole(place.text().strip())
    except OSError:
        return None
    return None if read is None else read.value


# One iteration of a loop from what its log tells and what its output holds.

_NOT_KEPT = "its output is not kept"
_NO_STATUS = "the log says that it failed, but not with which status"
_NO_END = "the log does not say how it ended"


class Evidence(Struct, eq=False):
    """An iteration: what the log shows it, and its output; one of them may be None."""

    execution: Execution | None
    output: Output | None

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
    several: Sequence[Evidence],
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
        wants: As in `exitgate.recordings.registry`.
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
    if not wants & {capabilities.PLAN, capabilities.FILES}:
        return None
    from exitgate.recordings.formats.plans import Plans

    return Plans()


def _from_log(index: int, one: Execution | None) -> RecordedIteration:
    assert one is not None, "an iteration without any record"
    told = dict.fromkeys(("response", "output", "tool_results"), _NOT_KEPT)
    return RecordedIteration(index, Provenance(one.file, one.first, one.last), not_known=told)


def _completed(
    read: RecordedIteration,
    told: Evidence,
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


def _times(told: Evidence) -> tuple[float, float | None]:
    """Return start and end by the clock of the log and of the names of files, never by that of a stream."""
    if told.execution is not None:
        return told.at, told.execution.ended
    took = told.output.took if told.output is not None else None
    return told.at, None if took is None else told.at + took
