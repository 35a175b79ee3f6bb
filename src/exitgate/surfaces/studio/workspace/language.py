"""
What the language server says of the text of a policy while somebody writes it: the same answers, for a page.

Nothing is written, and no path comes from the page: a text counts as that of the policy's own file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from exitgate.analysis.format import format_text
from exitgate.analysis.lint.run import diagnostic
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.lsp import workspace as desks
from exitgate.surfaces.lsp.completion.complete import complete
from exitgate.surfaces.lsp.diagnostics import diagnose, formatting, lints
from exitgate.surfaces.lsp.document import Document, DocumentCache
from exitgate.surfaces.lsp.hover import hover
from exitgate.surfaces.studio.http.app import Action
from exitgate.surfaces.studio.workspace.asked import Part, body_as, column_of
from exitgate.surfaces.studio.workspace.fitting import check_size
from exitgate.surfaces.studio.workspace.policy_view import file_of, stamp_text
from exitgate.surfaces.studio.workspace.renewal import renew
from exitgate.surfaces.studio.workspace.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cattrs import Converter


class _Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """A question about a text, and a place in it: line and column from 0, columns in units of UTF-16."""

    what: Literal["completion", "hover", "diagnostics", "format"]
    policy: str
    text: str
    line: int = 0
    column: int = 0


class _Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """All is said by the name of what is asked."""


def language_part(workspace: Workspace) -> Part:
    """
    Return what a page can ask about the text of a policy; what changes with its file; and that policies be
    taken as their files now are.
    """
    memory = DocumentCache()
    # One question of a kind after the other: pages that ask faster than they are answered wait.
    turns = {what: threading.Lock() for what in _ANSWERS}

    def language(body: JsonObject) -> object:
        asked = body_as(_Asked, body)
        column = column_of(workspace, asked.policy)
        check_size(asked.text)
        root = os.path.realpath(column.origin.root)
        desk = desks.Workspace({}, (root,))
        page = Document(file_of(column.saved.policy), asked.text, desk, memory)
        with turns[asked.what]:
            return _ANSWERS[asked.what](page, page.sheet.offset(asked.line, asked.column))

    def stamp(name: str, _: Mapping[str, str]) -> object:
        column = workspace.columns.get(name)
        return None if column is None else {"stamp": stamp_text(file_of(column.saved.policy))}

    def renewed(body: JsonObject) -> object:
        body_as(_Nothing, body)
        return {"problems": list(renew(workspace))}

    return Part({"stamp": stamp}, {"language": Action(language), "renew": Action(renewed)})


# Each answer is the value that the protocol of language servers has for it.


def _completion(page: Document, at: int) -> object:
    from exitgate.surfaces.lsp import protocol

    return _plain(protocol.completion_of(complete(page, at), page.sheet, snippets=True))


def _hover(page: Document, at: int) -> object:
    from lsprotocol import types

    from exitgate.surfaces.lsp import protocol

    found = hover(page, at)
    if found is None:
        return {}
    place = protocol.range_of(page.sheet, found.start, found.end)
    return _plain(types.Hover(protocol.markdown(found.text), place))


def _diagnostics(page: Document, _: int) -> object:
    from exitgate.surfaces.lsp import protocol

    found = diagnose(page.kind, page.path, page.text, page.desk)
    found += tuple(diagnostic(one) for one in lints(page, date.today().isoformat()))
    return {"items": [*map(_plain, protocol.diagnostics_of(found, page, "utf-16"))]}


def _format(page: Document, _: int) -> object:
    from exitgate.surfaces.lsp import protocol

    edits = formatting(page)
    told = [*map(_plain, protocol.edits_of(edits, page.sheet))]
    return {"edits": told, "refused": not edits and not _has_form(page)}


def _has_form(page: Document) -> bool:
    """Return whether a text can be formatted: an error may be in the way."""
    try:
        format_text(page.text, page.path)
    except ExitgateError:
        return False
    return True


def _plain(value: object) -> object:
    """Return a value of the protocol as JSON."""
    return _converter().unstructure(value)


@lru_cache(maxsize=1)
def _converter() -> Converter:
    from lsprotocol.converters import get_converter

    return get_converter()


_ANSWERS: Mapping[str, Callable[[Document, int], object]] = {
    "completion": _completion,
    "hover": _hover,
    "diagnostics": _diagnostics,
    "format": _format,
}
