"""A transcript that others write while the studio shows it: read again, and its runs taken anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.incremental.records import RunRecords
from exitgate.surfaces.studio.workspace.column import NotReadError
from exitgate.surfaces.studio.workspace.reading import Gathered, gather
from exitgate.surfaces.studio.workspace.rows import RunLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.studio.workspace.workspace import Workspace


def take_again(workspace: Workspace, path: str) -> list[int]:
    """
    Read one transcript again; return the numbers of its runs that are new or others than before.

    What cannot be read any more stays as it was, with a remark.

    Args:
        workspace: What shows it.
        path: Of the transcript.

    Raises:
        ExitgateError: 64 for a reader that does not exist.
    """
    while True:
        with workspace.lock:
            wanted = _wanted(workspace)
        found = gather((path,), wanted, workspace.reader, jobs=1)
        with workspace.lock:
            # A draft may have come meanwhile that extracts something else.
            if _wanted(workspace) == wanted:
                return _take(workspace, path, found)


def _wanted(workspace: Workspace) -> dict[str, CompiledPolicy]:
    return {
        f"{at} {name}": policy
        for name, column in workspace.columns.items()
        for at, policy in enumerate(column.gathers)
    }


def _take(workspace: Workspace, path: str, found: Gathered) -> list[int]:
    known = {line.place: line for line in workspace.lines if line.path == path}
    lines = list(workspace.lines)
    ids = {line.run.id for line in lines}
    changed: list[int] = []
    _remark(workspace, path, known, found)
    for at, new in enumerate(found.lines):
        old = known.get(new.place)
        own = None if old is None else _same_id(old, new)
        id = own or _own_id(new, ids)
        ids.add(id)
        line = RunLine(
            len(lines) + 1 if old is None else old.n,
            replace(new.run, id=id), new.costs, new.path, new.place,
        )  # fmt: skip
        moved = _take_records(workspace, line.n - 1, found.records, at)
        if moved or old is None or old.run != line.run:
            changed.append(line.n)
        lines[line.n - 1 : line.n] = [line]
    workspace.lines = tuple(lines)
    workspace.grown.update(changed)
    _label(workspace)
    return changed


def _take_records(
    workspace: Workspace, number: int, records: Mapping[str, Sequence[RunRecords]], at: int
) -> bool:
    moved = False
    for name, column in workspace.columns.items():
        own = [records[f"{place} {name}"][at] for place in range(len(column.gathers))]
        moved = column.grown(number, own) or moved
    return moved


def _remark(workspace: Workspace, path: str, known: Mapping[int, RunLine], found: Gathered) -> None:
    """Say where a transcript is less than it was, or another; take back what was said before."""
    places = {line.place: line for line in found.lines}
    gone = [line for place, line in known.items() if place not in places]
    shrank = [new for place, new in places.items() if place in known and _is_less(known[place], new)]
    other = [new for place, new in places.items() if place in known and not _same_id(known[place], new)]
    why = f" ({found.troubles[0]})" if found.troubles else ""
    if gone:
        workspace.remarks[path] = (
            f"`{path}` cannot be read as before{why}: what was read of it is still shown"
        )
    elif other:
        workspace.remarks[path] = f"`{path}` was replaced: it has another run now"
    elif shrank:
        workspace.remarks[path] = f"`{path}` has fewer iterations than before: it was shortened"
    else:
        workspace.remarks.pop(path, None)


def _is_less(old: RunLine, new: RunLine) -> bool:
    return new.run.iterations < old.run.iterations


def _same_id(old: RunLine, new: RunLine) -> str | None:
    """Return the id under which a run is known here, None where it is another run."""
    own, behind = old.run.id, f"{new.run.file}:{new.run.id}"
    return own if own in (new.run.id, behind) or own.startswith(f"{behind}.") else None


def _own_id(new: RunLine, ids: set[str]) -> str:
    id = new.run.id if new.run.id not in ids else f"{new.run.file}:{new.run.id}"
    number = 1
    while id in ids:
        number += 1
        id = f"{new.run.file}:{new.run.id}.{number}"
    return id


def _label(workspace: Workspace) -> None:
    """Find the labels of the runs as they are now; those that fit none stay as they were, with a remark."""
    try:
        workspace.labelled.match({line.run.id: line.run.iterations for line in workspace.lines})
    except ExitgateError as error:
        workspace.remarks["labels"] = error.diagnostics[0].message
    else:
        workspace.remarks.pop("labels", None)


def rows_of(workspace: Workspace, numbers: Sequence[int]) -> list[dict[str, object]]:
    """Return runs as lines of the table; a draft that cannot decide on them has all of them read for it."""
    rows = []
    with workspace.lock:
        mask = workspace.mask
        try:
            for number in numbers:
                for column in workspace.columns.values():
                    column.verdicts(number - 1)
                rows.append(workspace.row(workspace.lines[number - 1], mask))
        except NotReadError:
            for column in workspace.columns.values():
                if column.is_draft:
                    workspace.draft(column.name, column.draft)
    return rows
