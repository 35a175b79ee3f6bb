"""What a page can ask of a workspace, by the names of `exitgate.surfaces.studio.http.app`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.studio.http.app import Action, Api, Read
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.keep.part import keeping
from exitgate.surfaces.studio.workspace.asked import MakePart, body_as, column_of
from exitgate.surfaces.studio.workspace.compare import comparing
from exitgate.surfaces.studio.workspace.fitting import fitting
from exitgate.surfaces.studio.workspace.language import language_part
from exitgate.surfaces.studio.workspace.live import Live
from exitgate.surfaces.studio.workspace.policies import Draft
from exitgate.surfaces.studio.workspace.policy_view import policy_json, problems_json
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.run_page import page_of
from exitgate.surfaces.studio.workspace.sweep import Axis, sweep
from exitgate.surfaces.studio.workspace.what_if import what_if
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Pages of runs that are kept.
PAGES = 64

#: Parts of the studio that are asked through this api, a line each.
PARTS: tuple[MakePart, ...] = (
    comparing,
    keeping,
    language_part,
    what_if,
)


class _Drafted(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of a policy, and the runs in sight."""

    policy: str
    draft: Draft = Draft()
    visible: tuple[int, ...] = ()


class _Swept(Struct, frozen=True, forbid_unknown_fields=True):
    """A sweep over parameters of a policy."""

    policy: str
    parameters: tuple[Axis, ...]


def api_of(workspace: Workspace, events: Events, read_only: bool, live: Live | None = None) -> Api:
    """Return what a page can ask; `live` follows the runs that are going on."""

    @lru_cache(PAGES)
    def page(n: int, _version: tuple[int, ...], _grown: int) -> str:
        policies = {name: column.settled.policy for name, column in workspace.columns.items()}
        line = workspace.lines[n - 1]
        return page_of(line, policies, workspace.labelled.of(line.run.id))

    def fragment(n: int) -> str | None:
        if not 0 < n <= len(workspace.lines):
            return None
        workspace.read.add(n)
        try:
            return page(n, workspace.version, workspace.grown[n])
        except LookupError as error:
            raise refusal(str(error), "start the studio again") from None

    def policy(name: str, _: Mapping[str, str]) -> object:
        column = workspace.columns.get(name)
        return None if column is None else msgspec.to_builtins(policy_json(column))

    def draft(body: JsonObject) -> object:
        asked = body_as(_Drafted, body)
        column = column_of(workspace, asked.policy)
        try:
            fits, dropped = fitting(column.origin, asked.draft)
            return {**workspace.draft(asked.policy, fits, asked.visible), "dropped": list(dropped)}
        except ExitgateError as error:
            return {"diagnostics": problems_json(error.diagnostics)}

    def swept(body: JsonObject) -> object:
        asked = body_as(_Swept, body)
        column_of(workspace, asked.policy)
        return {"points": list(sweep(workspace, asked.policy, asked.parameters))}

    def state(*_: object) -> object:
        return {**workspace.state(), "read_only": read_only, "static": False}

    reads: dict[str, Read] = {"state": state, "runs": lambda *_: workspace.rows(), "policy": policy}
    reads["live"] = lambda *_: {"loops": [] if live is None else live.json()}
    actions: dict[str, Action] = {"draft": Action(draft), "sweep": Action(swept)}
    for part in (make(workspace) for make in PARTS):
        reads.update(part.reads)
        actions.update(part.actions)
    return Api(reads, fragment, actions, events)
