"""What a page asks for: read by its shape, or refused with what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct

from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.studio.http.app import Action, Read
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.workspace import Workspace

Body = TypeVar("Body", bound=Struct)


class Part(Struct, frozen=True):
    """What a page can ask of one part of the studio, by the names behind ``/api/``."""

    reads: Mapping[str, Read] = {}
    actions: Mapping[str, Action] = {}


#: Makes a part for a workspace.
MakePart = Callable[[Workspace], Part]


def body_as(kind: type[Body], body: JsonObject) -> Body:
    """Return what a page sent. Raises `ExitgateError` (65) where it has another shape."""
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise refusal(f"this request cannot be used: {error}", "load the page again") from None


def column_of(workspace: Workspace, name: str) -> Column:
    """Return a policy by its name. Raises `ExitgateError` (65) for one that the studio does not have."""
    if name not in workspace.columns:
        raise refusal(f"policy `{name}` is not one of these", "load the page again")
    return workspace.columns[name]
