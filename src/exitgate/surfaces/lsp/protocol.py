"""From values of this package to those of the protocol."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from lsprotocol import types
from pygls.uris import from_fs_path

from exitgate.analysis.edits import Edit
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.surfaces.lsp import symbols as outline
from exitgate.surfaces.lsp.completion import item as items
from exitgate.surfaces.lsp.completion.item import Completed, Item
from exitgate.surfaces.lsp.document import Document, LineIndex
from exitgate.surfaces.lsp.policy_index import file_of
from exitgate.surfaces.lsp.symbols import Symbol
from exitgate.surfaces.lsp.workspace import Workspace

SOURCE = "exitgate"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_ITEMS = {
    items.FACT: types.CompletionItemKind.Field,
    items.PARAMETER: types.CompletionItemKind.Variable,
    items.CONDITION: types.CompletionItemKind.Interface,
    items.MEMBER: types.CompletionItemKind.EnumMember,
    items.FUNCTION: types.CompletionItemKind.Function,
    items.KEYWORD: types.CompletionItemKind.Keyword,
    items.FORM: types.CompletionItemKind.Snippet,
    items.KEY: types.CompletionItemKind.Property,
    items.WORD: types.CompletionItemKind.Value,
    items.REFERENCE: types.CompletionItemKind.File,
    items.RULE: types.CompletionItemKind.Event,
}
_SYMBOLS = {
    outline.SECTION: types.SymbolKind.Namespace,
    outline.PARAMETER: types.SymbolKind.Variable,
    outline.FACT: types.SymbolKind.Field,
    outline.CONDITION: types.SymbolKind.Interface,
    outline.RULE: types.SymbolKind.Event,
    outline.OTHER: types.SymbolKind.Object,
}


def uri_of(path: str, desk: Workspace) -> str:
    """Return the URI of a file, for an open one as the editor wrote it: it may have come through a link."""
    return desk.uris.get(os.path.realpath(path)) or str(from_fs_path(path))


def range_of(sheet: LineIndex, start: int, end: int) -> types.Range:
    """Return the range of the characters from `start` to before `end`."""
    return types.Range(types.Position(*sheet.position(start)), types.Position(*sheet.position(end)))


def markdown(text: str) -> types.MarkupContent:
    """Return a text for people."""
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def diagnostics_of(found: Iterable[Diagnostic], page: Document, encoding: str) -> list[types.Diagnostic]:
    """Return diagnostics for the page; one on another file is where the page names that file."""
    sheet = LineIndex(page.text, encoding)
    return [_diagnostic(one, page, sheet, encoding) for one in found]


def _diagnostic(found: Diagnostic, page: Document, sheet: LineIndex, encoding: str) -> types.Diagnostic:
    message, place = found.message, found.place
    related = [(word, at) for word, at in found.related if not at.file.startswith("<")]
    if place is not None and not place.file.startswith("<") and _path(place) != os.path.realpath(page.path):
        message = f"in `{place.file}`, line {place.line}: {message}"
        related = [("there", place), *related]
        place = None
        start, end = _naming(page)
    elif place is None or place.file.startswith("<"):
        start, end = _naming(page)
    else:
        start, end = sheet.span(place)
    if found.help:
        message += f"\nhelp: {found.help}"
    locations = [(word, location(at, page, encoding)) for word, at in related]
    return types.Diagnostic(
        range_of(sheet, start, end),
        message,
        _SEVERITIES[found.severity],
        found.code,
        source=SOURCE,
        related_information=[
            types.DiagnosticRelatedInformation(at, word) for word, at in locations if at is not None
        ],
    )


def _path(place: Location) -> str:
    return os.path.realpath(file_of(place.file))


def _naming(page: Document) -> tuple[int, int]:
    """Return where a page names the policy it rests on; its first line where it does not."""
    for path in (("extends",), ("policy",), ("exit_decision", "policy")):
        twig = page.root.at(path)
        if twig is not None and twig.end > twig.start:
            return twig.start, twig.end
    return 0, page.sheet.end_of(0)


def location(place: Location, page: Document, encoding: str) -> types.Location | None:
    """Return a place as a location, None when its file cannot be read."""
    path = file_of(place.file)
    text = page.desk.text(path)
    if text is None:
        return None
    sheet = LineIndex(text, encoding)
    return types.Location(uri_of(path, page.desk), range_of(sheet, *sheet.span(place)))


def completion_of(found: Completed, sheet: LineIndex, snippets: bool) -> types.CompletionList:
    """Return proposals; without `snippets` their fields are filled in with what is in them."""
    at = range_of(sheet, found.start, found.end)
    return types.CompletionList(False, [_item(one, at, snippets) for one in found.items])


def _item(item: Item, at: types.Range, snippets: bool) -> types.CompletionItem:
    snippet = item.snippet and snippets
    text = items.plain_of(item.insert) if item.snippet and not snippets else item.insert
    return types.CompletionItem(
        item.label,
        kind=_ITEMS[item.kind],
        detail=item.detail or None,
        documentation=markdown(item.doc) if item.doc else None,
        sort_text=f"{item.rank}{item.label}",
        filter_text=item.label,
        insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AdjustIndentation,
        text_edit=types.TextEdit(at, text),
    )


def symbol_of(symbol: Symbol, sheet: LineIndex) -> types.DocumentSymbol:
    """Return a line of an outline with those below it."""
    return types.DocumentSymbol(
        symbol.name,
        _SYMBOLS[symbol.kind],
        range_of(sheet, symbol.start, symbol.end),
        range_of(sheet, symbol.name_start, symbol.name_end),
        detail=symbol.detail or None,
        children=[symbol_of(below, sheet) for below in symbol.below],
    )


def edits_of(edits: Iterable[Edit], sheet: LineIndex) -> list[types.TextEdit]:
    """Return edits of one text."""
    return [types.TextEdit(range_of(sheet, edit.start, edit.end), edit.text) for edit in edits]


def workspace_edit(edits: Mapping[str, Iterable[Edit]], page: Document, encoding: str) -> types.WorkspaceEdit:
    """Return edits of several files."""
    changes = {}
    for path, found in edits.items():
        text = page.desk.text(path)
        assert text is not None
        changes[uri_of(path, page.desk)] = edits_of(found, LineIndex(text, encoding))
    return types.WorkspaceEdit(changes=changes)
