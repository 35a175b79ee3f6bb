"""Policies whose files have changed: taken as they now are, and decided by anew."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.incremental.records import RunRecords
from exitgate.surfaces.studio.workspace.column import Column, NotReadError, Renewed
from exitgate.surfaces.studio.workspace.policies import Draft
from exitgate.surfaces.studio.workspace.reading_again import read_again
from exitgate.surfaces.studio.workspace.workspace import Workspace


def renew(workspace: Workspace) -> tuple[str, ...]:
    """
    Take all policies as their files now are; a draft that is saved is none any more.

    Returns what is wrong with files that cannot be used; their policies stay as they were.
    """
    wrong: list[str] = []
    changed = False
    for column in workspace.columns.values():
        before = column.saved
        try:
            while not _renewed(workspace, column):
                pass  # a draft came meanwhile: it counts
            changed = changed or column.saved is not before
        except ExitgateError as error:
            wrong += [f"{column.name}: {one.message}" for one in error.diagnostics]
    if changed:
        workspace.publish({"type": "reload", "revision": workspace.revision})
    return tuple(wrong)


def _renewed(workspace: Workspace, column: Column) -> bool:
    """Take a policy as its files now are; return False where its draft changed meanwhile."""
    draft = column.draft
    found = column.renewed()
    if found.saved.policy.digest == column.saved.policy.digest and found.draft == draft:
        column.text = found.text  # comments may be others
        return True
    return _take(workspace, column, draft, found)


def _take(workspace: Workspace, column: Column, draft: Draft, found: Renewed) -> bool:
    with workspace.lock:
        if column.draft is not draft:
            return False
        workspace.revision += 1
        column.asked = workspace.revision
        try:
            before, now = (column.decisions(one.policy) for one in (found.saved, found.settled))
        except NotReadError:
            pass
        else:
            column.take_saved(found, before, now)
            return True

    def take(records: Sequence[RunRecords]) -> bool:
        if column.draft is not draft:
            return False
        column.gathered_anew(found.saved.policy, records)
        try:
            now, left = column.decisions(found.settled.policy), found
        except NotReadError:
            now, left = column.decisions(found.saved.policy), replace(found, settled=found.saved)
        column.take_saved(left, column.decisions(found.saved.policy), now)
        return True

    return read_again(workspace, found.saved.policy, take)
