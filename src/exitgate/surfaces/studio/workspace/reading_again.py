"""All transcripts read once more, for a policy that finds something else in them, while others write on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.incremental.records import RunRecords
from exitgate.surfaces.studio.workspace.growing import rows_of, take_again
from exitgate.surfaces.studio.workspace.reading import Gathered, gather
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.rows import RunLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.studio.workspace.workspace import Workspace

#: How often what has changed meanwhile is read once more: one transcript takes less time than all.
TRIES = 5
_NAME = "read again"
Taken = TypeVar("Taken")
#: Path of a transcript and place of a run in it -> the run, and what the policy finds in it.
Known = dict[tuple[str, int], tuple[RunLine, RunRecords]]


def read_again(
    workspace: Workspace, policy: CompiledPolicy, take: Callable[[Sequence[RunRecords]], Taken]
) -> Taken:
    """
    Read all transcripts for a policy; those that have changed meanwhile are taken as they now are.

    Args:
        workspace: What shows the runs.
        policy: For which they are read.
        take: Called with what the policy finds in each run, in the order of the runs, while they are locked.

    Raises:
        ExitgateError: A transcript is missing, or changes faster than it is read.
    """
    try:
        known = _by_place(workspace.gather({_NAME: policy}))
    finally:
        workspace.loading = None
    changed: list[int] = []
    for _ in range(TRIES):
        with workspace.lock:
            apart = dict.fromkeys(line.path for line in workspace.lines if not _is_in(known, line))
            if not apart:
                taken = take([known[line.path, line.place][1] for line in workspace.lines])
                break
        for path in apart:
            changed += take_again(workspace, path)
            known = {place: one for place, one in known.items() if place[0] != path}
            known |= _by_place(gather((path,), {_NAME: policy}, workspace.reader, jobs=1))
    else:
        message = "the transcripts have changed since they were read"
        help = "change it again, or start the studio again"
        raise refusal(message, help)
    for row in rows_of(workspace, [*dict.fromkeys(changed)]):
        workspace.publish({"type": "live", "row": row})
    return taken


def _by_place(found: Gathered) -> Known:
    return {
        (line.path, line.place): (line, records)
        for line, records in zip(found.lines, found.records[_NAME], strict=True)
    }


def _is_in(known: Known, line: RunLine) -> bool:
    """Return whether a run is among those that were read, as it is shown."""
    found = known.get((line.path, line.place))
    return found is not None and replace(found[0].run, id=line.run.id) == line.run
