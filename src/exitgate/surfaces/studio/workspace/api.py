"""What a page can ask of a workspace, by the names of `exitgate.surfaces.studio.http.app`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

import msgspec
from msgspec import Struct

from exitgate.core.model.decision import BAD_POLICY
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.studio.http.app import Action, Api
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.workspace.policies import Draft
from exitgate.surfaces.studio.workspace.policy_view import policy_json, problems_json
from exitgate.surfaces.studio.workspace.run_page import page_of
from exitgate.surfaces.studio.workspace.sweep import Axis, sweep
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Pages of runs that are kept.
PAGES = 64

Body = TypeVar("Body", bound=Struct)


class _Drafted(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of a policy, and the runs in sight."""

    policy: str
    draft: Draft = Draft()
    visible: tuple[int, ...] = ()


class _Swept(Struct, frozen=True, forbid_unknown_fields=True):
    """A sweep over parameters of a policy."""

    policy: str
    parameters: tuple[Axis, ...]


def api_of(workspace: Workspace, events: Events, read_only: bool) -> Api:
    """Return what a page can ask; nothing of it writes."""

    @lru_cache(PAGES)
    def page(n: int, _revision: int) -> str:
        policies = {name: column.settled.policy for name, column in workspace.columns.items()}
        line = workspace.lines[n - 1]
        return page_of(line, policies, workspace.marks.get(line.run.id))

    def fragment(n: int) -> str | None:
        if not 0 < n <= len(workspace.lines):
            return None
        workspace.read.add(n)
        try:
            return page(n, workspace.revision)
        except LookupError as error:
            raise _problem(str(error), "start the studio again") from None

    def policy(name: str, _: Mapping[str, str]) -> object:
        column = workspace.columns.get(name)
        return None if column is None else msgspec.to_builtins(policy_json(column))

    def draft(body: JsonObject) -> object:
        asked = _read(body, _Drafted)
        _known(workspace, asked.policy)
        try:
            return workspace.draft(asked.policy, asked.draft, asked.visible)
        except ExitgateError as error:
            return {"diagnostics": problems_json(error.diagnostics)}

    def swept(body: JsonObject) -> object:
        asked = _read(body, _Swept)
        _known(workspace, asked.policy)
        return {"points": list(sweep(workspace, asked.policy, asked.parameters))}

    def state(*_: object) -> object:
        return {**workspace.state(), "read_only": read_only, "static": False}

    reads: dict[str, Callable[[str, Mapping[str, str]], object]] = {
        "state": state,
        "runs": lambda *_: workspace.rows(),
        "policy": policy,
    }
    return Api(reads, fragment, {"draft": Action(draft), "sweep": Action(swept)}, events)


def _read(body: JsonObject, kind: type[Body]) -> Body:
    """Return what a page sent. Raises `ExitgateError` (65) where it has another shape."""
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise _problem(f"this request cannot be used: {error}", "load the page again") from None


def _known(workspace: Workspace, name: str) -> None:
    if name not in workspace.columns:
        raise _problem(f"policy `{name}` is not one of these", "load the page again")


def _problem(message: str, help: str) -> ExitgateError:
    return ExitgateError([Diagnostic("EP557", message, help=help)], BAD_POLICY)
