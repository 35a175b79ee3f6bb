"""
A folder of Doyaken's logs: `phase-NAME-TASK-attemptN.log` for each process, and `confidence.log`.

Every phase is an iteration: of a task in the order of Doyaken's pipeline, its attempts one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.recordings.formats.loops.files import text_or_process
from exitgate.recordings.formats.loops.log import GIVES as _GIVES
from exitgate.recordings.formats.timestamps import instant_of
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "doyaken-run"
TITLE = "Doyaken: a folder of phase-NAME-TASK-attemptN.log"
FOLDER = True
GIVES = _GIVES

_BEGIN, _ATTEMPT, _END = "phase-", "-attempt", ".log"
_CONFIDENCE = "confidence.log"
#: Phases in the order of the pipeline.
_PHASES = ("expand", "triage", "plan", "implement", "test", "docs", "review", "verify")


def _named(name: str) -> tuple[str, int, int, str] | None:
    """Return task, place of the phase, attempt and phase of a log's name, None for any other name."""
    if not (name.startswith(_BEGIN) and name.endswith(_END) and _ATTEMPT in name):
        return None
    middle, _, attempt = name.removeprefix(_BEGIN).removesuffix(_END).rpartition(_ATTEMPT)
    phase, _, task = middle.partition("-")
    if not attempt.isdigit() or not phase:
        return None
    return task, _PHASES.index(phase) if phase in _PHASES else len(_PHASES), int(attempt), phase


def fits(look: Probe) -> bool:
    """Return whether the folder has such logs."""
    return look.place.is_folder and any(_named(name) for name in look.names)


def claims(look: Probe) -> frozenset[str]:
    """Return the names of the logs."""
    return frozenset(name for name in look.names if _named(name) or name == _CONFIDENCE)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield a run for each task. Raises OSError when the folder cannot be listed."""
    logs: dict[str, list[tuple[int, int, str]]] = {}
    for name in place.names():
        named = _named(name)
        if named is not None:
            logs.setdefault(named[0], []).append((named[1], named[2], name))
    stamp = place.name[:15]
    at = None
    if stamp[:8].isdigit() and stamp[9:].isdigit() and len(stamp) == 15:
        day, clock = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}", f"{stamp[9:11]}:{stamp[11:13]}:{stamp[13:]}"
        at = instant_of(f"{day} {clock}")
    for task in _ordered(place, list(logs)):
        yield Begin(task or place.name, PROCESS, place.path, at)
        index = 0
        for _, _, name in sorted(logs[task]):
            try:
                one = text_or_process(place.at(name))
            except OSError as error:
                yield Problem(place.at(name).path, error.strerror or str(error))
                continue
            index += 1
            yield one.but(index=index)
        yield End()


def _ordered(place: Location, tasks: Sequence[str]) -> list[str]:
    """Return the tasks in the order in which Doyaken judged them, others behind."""
    try:
        told = place.at(_CONFIDENCE).text(1_000_000).splitlines()
    except OSError:
        told = []
    words = [word for line in told for word in line.split() if word.startswith("task=")]
    first = {task: nth for nth, task in reversed(list(enumerate(w.removeprefix("task=") for w in words)))}
    return sorted(tasks, key=lambda task: (first.get(task, len(words)), task))
