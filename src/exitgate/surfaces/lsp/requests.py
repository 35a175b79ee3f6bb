"""What the server answers, request by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from exitgate.surfaces.lsp import wire
from exitgate.surfaces.lsp.actions import fixes, lint_fixes
from exitgate.surfaces.lsp.complete import TRIGGERS, complete
from exitgate.surfaces.lsp.formatting import formatting
from exitgate.surfaces.lsp.hover import hover
from exitgate.surfaces.lsp.rename import Refused, renamable, rename
from exitgate.surfaces.lsp.server import refused, today
from exitgate.surfaces.lsp.sheet import Sheet
from exitgate.surfaces.lsp.symbols import symbols
from exitgate.surfaces.lsp.uses import declared, definitions, name_at, uses

if TYPE_CHECKING:
    from exitgate.surfaces.lsp.page import Page
    from exitgate.surfaces.lsp.server import Server
    from exitgate.surfaces.lsp.uses import Use


def register(server: Server) -> None:
    """Make a server answer."""
    _register_texts(server)
    _register_places(server)
    _register_changes(server)


def _register_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.opened(params.text_document.uri)
        ls.look_soon(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        ls.look_soon(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        ls.look_soon(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(ls: Server, _: types.DidChangeWatchedFilesParams) -> None:
        ls.look_again()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _register_places(server: Server) -> None:
    options = types.CompletionOptions(trigger_characters=list(TRIGGERS))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(ls: Server, params: types.CompletionParams) -> types.CompletionList:
        snippets = _knows_snippets(ls)
        return await ls.at(
            params,
            lambda page, at, sheet: wire.completion_of(complete(page, at), sheet, snippets),
            types.CompletionList(False, []),
        )

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(ls: Server, params: types.HoverParams) -> types.Hover | None:
        return await ls.at(params, _hover, None)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(ls: Server, params: types.DefinitionParams) -> list[types.Location]:
        encoding = ls.encoding
        return await ls.at(params, lambda page, at, _: _locations(definitions(page, at), page, encoding), [])

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
        encoding = ls.encoding
        every = params.context.include_declaration
        return await ls.at(params, lambda page, at, _: _locations(_uses(page, at, every), page, encoding), [])

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return await ls.ask(
            params.text_document.uri,
            lambda page, sheet: [wire.symbol_of(one, sheet) for one in symbols(page)],
            [],
        )


def _register_changes(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
        def work(page: Page, at: int, sheet: Sheet) -> types.Range:
            return wire.range_of(sheet, *renamable(page, at))

        try:
            return await ls.at(params, work, None)
        except Refused as reason:
            raise refused(str(reason)) from None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def renamed(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
        encoding = ls.encoding

        def work(page: Page, at: int, _: Sheet) -> types.WorkspaceEdit:
            return wire.workspace_edit(rename(page, at, params.new_name).edits, page, encoding)

        try:
            return await ls.at(params, work, None)
        except Refused as reason:
            raise refused(str(reason)) from None

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatted(ls: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return await ls.ask(
            params.text_document.uri, lambda page, sheet: wire.edits_of(formatting(page), sheet), []
        )

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
        return await ls.ask(
            params.text_document.uri,
            lambda page, sheet: [
                action for found in params.context.diagnostics for action in _actions(found, page, sheet)
            ],
            [],
        )


def _knows_snippets(ls: Server) -> bool:
    text = ls.client_capabilities.text_document
    completion = text.completion if text is not None else None
    item = completion.completion_item if completion is not None else None
    return bool(item is not None and item.snippet_support)


def _hover(page: Page, at: int, sheet: Sheet) -> types.Hover | None:
    found = hover(page, at)
    if found is None:
        return None
    return types.Hover(wire.markdown(found.text), wire.range_of(sheet, found.start, found.end))


def _uses(page: Page, at: int, declarations: bool) -> tuple[Use, ...]:
    """Return every use of the name at an offset."""
    found = name_at(page, at)
    known = page.known(at)
    places = definitions(page, at)
    if found is None or known is None or not places:
        return ()
    kind, name = declared(found, known)
    every = uses(kind, name, places[-1].path, page)
    return tuple(use for use in every if declarations or not use.at.declares)


def _locations(found: tuple[Use, ...], page: Page, encoding: str) -> list[types.Location]:
    locations = []
    for use in found:
        text = page.desk.text(use.path)
        if text is not None:
            at = wire.range_of(Sheet(text, encoding), use.at.start, use.at.end)
            locations.append(types.Location(wire.uri_of(use.path, page.desk), at))
    return locations


def _actions(found: types.Diagnostic, page: Page, sheet: Sheet) -> list[types.CodeAction]:
    if found.source != wire.SOURCE:
        return []
    start, end = (sheet.offset(at.line, at.character) for at in (found.range.start, found.range.end))
    return [
        types.CodeAction(
            fix.title,
            types.CodeActionKind.QuickFix,
            [found],
            edit=types.WorkspaceEdit(
                changes={wire.uri_of(page.path, page.desk): wire.edits_of(fix.edits, sheet)}
            ),
        )
        for fix in (*fixes(page, start, end), *lint_fixes(page, str(found.code), start, today()))
    ]
