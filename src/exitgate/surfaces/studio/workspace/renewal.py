"""Policies whose files have changed: taken as they now are, and decided by anew."""

from __future__ import annotations

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.surfaces.studio.workspace.column import Column, NotReadError, Renewed
from exitgate.surfaces.studio.workspace.policies import Draft
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
        return True
    return _take(workspace, column, draft, found)


def _take(workspace: Workspace, column: Column, draft: Draft, found: Renewed) -> bool:
    with workspace.lock:
        if column.draft is not draft:
            return False
        workspace.revision += 1
        try:
            before, now = (column.decisions(one.policy) for one in (found.saved, found.settled))
        except NotReadError:
            revision = workspace.revision
        else:
            column.take_saved(found, before, now)
            return True
    gathered = workspace.gather({column.name: found.saved.policy})
    with workspace.lock:
        if revision != workspace.revision or len(gathered.lines) != len(workspace.lines):
            return True
        column.gathered_anew(found.saved.policy, gathered.records[column.name])
        try:
            now, left = column.decisions(found.settled.policy), found
        except NotReadError:
            now, left = column.decisions(found.saved.policy), Renewed(found.saved, found.draft, found.saved)
        column.take_saved(left, column.decisions(found.saved.policy), now)
        return True
