"""
Which launch of a loop an output belongs to: what its log tells, and where the log is cut, what outputs show.

An output is that of the process which the log begins in its second. Outputs of which the log says nothing
are one launch as long as no sign speaks of another: hours between them, a loop that counts from 1 again,
another session after a pause, a session that the loop reset at its end.
"""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.json_text import whole
from exitgate.transcripts.readers.ralph_frankbria_marks import REASONS
from exitgate.transcripts.readers.ralph_iteration import Told
from exitgate.transcripts.readers.ralph_launch import Launch
from exitgate.transcripts.readers.ralph_log import BEFORE, BEHIND
from exitgate.transcripts.readers.ralph_outputs import read_output
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import objects_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.ralph_launch import Execution
    from exitgate.transcripts.readers.ralph_outputs import Output

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

    def __init__(self, told: Told) -> None:
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
    launches: Sequence[Launch], outputs: Sequence[Output], states: Mapping[str, Place]
) -> list[tuple[Launch, list[Told]]]:
    """
    Return every launch with its iterations in order of time, each with its output where one is kept.

    Args:
        launches: What the log tells.
        outputs: What is kept. One of which the log says nothing belongs to the launch under way then, or to
            one of its own.
        states: Name -> state file.
    """
    found = [(launch, [Told(one, None) for one in launch.executions]) for launch in launches]
    every = [one for _, several in found for one in several]
    strange: dict[int, list[Told]] = {}
    for output in outputs:
        matching = _matching(output, every)
        for told in matching:
            told.output = output
        if matching:
            continue
        at = sum(1 for launch in launches if launch.at is not None and launch.at - BEFORE <= output.at)
        under_way = at > 0 and (launches[at - 1].ended is None or output.at <= (launches[at - 1].ended or 0))
        where = found[at - 1][1] if under_way else strange.setdefault(at, [])
        where.append(Told(None, output))
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


def _launched(group: list[Told]) -> tuple[Launch, list[Told]]:
    first = group[0].output
    assert first is not None, "not an output"
    return Launch(first.at, first.main.path), group


def _matching(output: Output, among: Sequence[Told]) -> list[Told]:
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


def _parted(several: list[Told], resets: Sequence[float]) -> list[list[Told]]:
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


def _goes_on(launch: Launch, group: Sequence[Told], resets: Sequence[float]) -> bool:
    """Return whether a launch in whose middle the log begins is the one that outputs before it are of."""
    if not launch.headless or not launch.executions or launch.executions[0].loop < 2:
        return False
    return not _is_another([_Sign(one) for one in group], _Sign(Told(launch.executions[0], None)), resets)


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


def _resets(launches: Sequence[Launch], states: Mapping[str, Place]) -> list[float]:
    """
    Return when the loop reset its session at the end of a launch, by the clock of the log.

    State files have UTC and the log has local time: what lies between them is known where the log's last
    line and the status of the same moment are there.
    """
    status, history = _read(states.get(_STATUS)), _read(states.get(_HISTORY))
    local = [at for launch in launches for at in _instants(launch)]
    written = instant(status.get("timestamp")) if isinstance(status, dict) else None
    if not isinstance(history, list) or written is None or not local:
        return []
    zone = round((max(local) - written) / _ZONE) * _ZONE
    if abs(max(local) - written - zone) > _SLACK or abs(zone) > _FARTHEST:
        return []
    found = []
    for row in objects_at({"rows": history}, "rows"):
        why, at = text_at(row, "reason") or "", instant(row.get("timestamp"))
        if at is not None and (why in REASONS or why.startswith(_MANUAL)):
            found.append(at + zone)
    return found


def _instants(launch: Launch) -> list[float]:
    last = launch.executions[-1] if launch.executions else None
    told = (launch.at, launch.ended, *((last.started, last.ended) if last is not None else ()))
    return [at for at in told if at is not None]


def _read(place: Place | None) -> object:
    try:
        read = None if place is None else whole(place.text().strip())
    except OSError:
        return None
    return None if read is None else read.value
