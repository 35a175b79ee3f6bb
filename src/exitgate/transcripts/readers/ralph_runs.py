"""
Runs of a loop from its launches and outputs.

The name of an output says the second in which its process was begun, by the same clock as the log. Each
launch is a run, or all of them are one. Times are those of the log, local and taken as UTC; without a log
they are those of the names and how long the results say it took.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.readers.ralph_circuit import Circuits
from exitgate.transcripts.readers.ralph_iteration import Told, iterations_of
from exitgate.transcripts.readers.ralph_launch import Launch
from exitgate.transcripts.readers.ralph_launches import joined
from exitgate.transcripts.readers.ralph_outputs import outputs_in
from exitgate.transcripts.readers.ralph_plan import counted
from exitgate.transcripts.run import PROCESS, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.ralph_loop_folder import Kept
    from exitgate.transcripts.run import Part


def runs_of(kept: Kept, launches: Sequence[Launch], wants: frozenset[str], *, one: bool) -> Iterator[Part]:
    """
    Yield the runs of a folder.

    Args:
        kept: Its files.
        launches: What the log tells, empty without one.
        wants: As in `exitgate.transcripts.registry`.
        one: Whether all launches are one run: of the iterations whose outputs are kept, if any are.
    """
    found = joined(launches, outputs_in(kept.outputs, kept.output_names), kept.states)
    plan, problems = _text(kept.plan, wants, gives.PLAN)
    prompt, more = _text(kept.prompt, wants, gives.TASK)
    yield from (*problems, *more)
    circuits = Circuits(kept.states)
    yield from circuits.problems
    last = max((told.at for _, several in found for told in several), default=None)
    if one and found:
        found = [_as_one(found)]
    elif not one:
        circuits.number([launch for launch, several in found if several and launch.opened])
    for number, (launch, several) in enumerate(found, 1):
        id = kept.name if len(found) == 1 else f"{kept.name}#{number}"
        resumed = several[0].execution.resumed if several and several[0].execution is not None else None
        yield Begin(id, PROCESS, kept.place.path, launch.at, resumed=resumed, plan=counted(launch.counted))
        yield from iterations_of(launch, several, wants, plan, prompt, last, circuits)
        yield End(launch.how, launch.why, launch.ended)


def _as_one(found: Sequence[tuple[Launch, list[Told]]]) -> tuple[Launch, list[Told]]:
    """Return all launches as one, with the end of the last that says one."""
    first, last = found[0][0], found[-1][0]
    whole = Launch(first.at, last.file, first.line)
    whole.counted = next((launch.counted for launch, _ in found if launch.counted is not None), None)
    whole.how, whole.why, whole.ended, whole.opened = last.how, last.why, last.ended, last.opened
    told = [one for _, several in found for one in several]
    if any(one.output is not None for one in told):
        told = [one for one in told if one.output is not None]
    return whole, sorted(told, key=lambda one: one.at)


def _text(place: Place | None, wants: frozenset[str], what: str) -> tuple[str | None, tuple[Problem, ...]]:
    if place is None or what not in wants:
        return None, ()
    try:
        return place.text(), ()
    except OSError as error:
        return None, (Problem(place.path, error.strerror or str(error)),)
