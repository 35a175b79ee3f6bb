"""The edge of the protocol: requests in, answers out. Everything that knows policies is beside it, pure."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Protocol, TypeVar
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.run import diagnostic
from exitgate.surfaces.lsp import protocol
from exitgate.surfaces.lsp.completion.complete import TRIGGERS, complete
from exitgate.surfaces.lsp.diagnostics import diagnose, fixes, formatting, lint_fixes, lints
from exitgate.surfaces.lsp.document import Document, DocumentCache, LineIndex
from exitgate.surfaces.lsp.hover import hover
from exitgate.surfaces.lsp.references import (
    Reference,
    Refused,
    declared,
    definitions,
    name_at,
    references,
    renamable,
    rename,
)
from exitgate.surfaces.lsp.symbols import symbols
from exitgate.surfaces.lsp.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    T = TypeVar("T")

    class Positioned(Protocol):
        """A request about a position of a text."""

        text_document: types.TextDocumentIdentifier
        position: types.Position


#: Seconds without a further change before a text is looked at.
QUIET = 0.08
#: Seconds without a change, after what is wrong was shown, before lints and the settings of tests are tried.
CALM = 0.4
_REFUSED = -32803  # RequestFailed: the request was right and cannot be done


class Server(LanguageServer):
    """
    Keeps the open texts and answers about them, one after the other.

    Work on texts is done beside the loop of the protocol, by one thread for requests and one for
    diagnostics: what takes long holds up no message, and what is cancelled before its turn is never begun.
    """

    def __init__(self, version: str) -> None:
        super().__init__("exitgate", version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.memory = DocumentCache()
        #: URI without its percent signs, by which pygls keeps texts -> as the editor wrote it.
        self._opened: dict[str, str] = {}
        self._answering = ThreadPoolExecutor(1, "answering")
        self._looking = ThreadPoolExecutor(1, "looking")
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._lints: dict[str, tuple[int, list[types.Diagnostic]]] = {}

    @property
    def encoding(self) -> str:
        """What columns count, as the editor and the server agreed."""
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))

    def desk(self) -> Workspace:
        """Return what is open now."""
        texts, uris = {}, {}
        for uri in self._opened.values():
            path = to_fs_path(uri)
            if path is not None:
                real = os.path.realpath(path)
                texts[real], uris[real] = self.workspace.get_text_document(uri).source, uri
        roots = [to_fs_path(folder.uri) for folder in self.workspace.folders.values()]
        if not roots and self.workspace.root_path:
            roots = [self.workspace.root_path]
        return Workspace(texts, tuple(os.path.realpath(root) for root in roots if root), uris)

    def opened(self, uri: str) -> None:
        """Take in what the editor calls a text that it opened."""
        self._opened[unquote(uri)] = uri

    def closed(self, uri: str) -> None:
        """Forget a text; others that rested on it rest on its file now."""
        self.forget(uri)
        self._opened.pop(unquote(uri), None)
        self._lints.pop(unquote(uri), None)
        self.look_again()

    def page(self, uri: str) -> Document | None:
        """Return an open text, None for one that is not a file or was closed."""
        path = to_fs_path(uri)
        if path is None or unquote(uri) not in self._opened:
            return None
        text = self.workspace.get_text_document(uri).source
        return Document(os.path.realpath(path), text, self.desk(), self.memory)

    def look_again(self) -> None:
        """Look at every open text: files that they may rest on have changed."""
        for uri in tuple(self._opened.values()):
            self.look_soon(uri)

    async def ask(self, uri: str, about: Callable[[Document, LineIndex], T], otherwise: T) -> T:
        """Return what `about` says of an open text, `otherwise` for one that is not open or not ours."""
        page = self.page(uri)
        if page is None:
            return otherwise
        encoding = self.encoding

        def work() -> T:
            return about(page, LineIndex(page.text, encoding)) if page.kind else otherwise

        return await asyncio.get_running_loop().run_in_executor(self._answering, work)

    async def at(self, params: Positioned, about: Callable[[Document, int, LineIndex], T], otherwise: T) -> T:
        """Return what `about` says of a position."""

        def work(page: Document, sheet: LineIndex) -> T:
            return about(page, sheet.offset(params.position.line, params.position.character), sheet)

        return await self.ask(params.text_document.uri, work, otherwise)

    def look_soon(self, uri: str) -> None:
        """Look at a text once it is quiet, and then at the others that are open: they may rest on it."""
        self.forget(uri)
        task = self._waiting[unquote(uri)] = asyncio.get_running_loop().create_task(self._look(uri))
        task.add_done_callback(self._report_fault)

    def _report_fault(self, task: asyncio.Task[None]) -> None:
        """Tell a fault of ours to the person and the log: nothing waits for a look that would."""
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            logging.getLogger(__name__).error("reading a text failed", exc_info=error)
            self.report_server_error(error, JsonRpcException)

    def forget(self, uri: str) -> None:
        """Give up a look that has not begun."""
        task = self._waiting.pop(unquote(uri), None)
        if task is not None:
            task.cancel()

    async def _look(self, uri: str) -> None:
        await asyncio.sleep(QUIET)
        others = [other for name, other in self._opened.items() if name != unquote(uri)]
        for thorough in (False, True):
            await asyncio.sleep(CALM if thorough else 0)
            for one in (uri, *others):
                await self._publish(one, thorough)

    async def _publish(self, uri: str, thorough: bool) -> None:
        page = self.page(uri)
        if page is None:
            return
        version = self.workspace.get_text_document(uri).version
        encoding = self.encoding

        def work() -> list[types.Diagnostic]:
            found = diagnose(page.kind, page.path, page.text, page.desk, not thorough)
            if thorough:
                found += tuple(diagnostic(one) for one in lints(page, today()))
            return protocol.diagnostics_of(found, page, encoding)

        found = await asyncio.get_running_loop().run_in_executor(self._looking, work)
        if thorough:
            self._lints[unquote(uri)] = page.sheet.lines, [one for one in found if one.code in registry.IDS]
        else:
            found += self._still_valid_lints(uri, page)
        if unquote(uri) in self._opened and self.workspace.get_text_document(uri).version == version:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _still_valid_lints(self, uri: str, page: Document) -> list[types.Diagnostic]:
        """Return what lints found last where the lines still are what they were: it need not flicker."""
        lines, found = self._lints.get(unquote(uri), (0, []))
        return found if lines == page.sheet.lines else []


def today() -> str:
    """Return the day, as ``2027-03-01``."""
    return date.today().isoformat()


def refused(reason: str) -> JsonRpcException:
    """Return the answer to a request that is right and cannot be done."""
    return JsonRpcException(reason, _REFUSED)


class _RefusalFilter(logging.Filter):
    """Keeps out of the log what is an answer and no fault: a refusal goes to the person who asked."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not (isinstance(error, JsonRpcException) and error.code == _REFUSED)


def serve(version: str, port: int | None = None) -> None:
    """
    Answer an editor on standard input and output, or one that connects to `port` of this machine.

    Returns when the editor says `exit` or goes away.
    """

    logging.getLogger("pygls.protocol.json_rpc").addFilter(_RefusalFilter())
    server = Server(version)
    register(server)
    if port is None:
        server.start_io()
    else:
        server.start_tcp("127.0.0.1", port)


# What the server answers, request by request.


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
            lambda page, at, sheet: protocol.completion_of(complete(page, at), sheet, snippets),
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
            lambda page, sheet: [protocol.symbol_of(one, sheet) for one in symbols(page)],
            [],
        )


def _register_changes(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
        def work(page: Document, at: int, sheet: LineIndex) -> types.Range:
            return protocol.range_of(sheet, *renamable(page, at))

        try:
            return await ls.at(params, work, None)
        except Refused as reason:
            raise refused(str(reason)) from None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def renamed(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
        encoding = ls.encoding

        def work(page: Document, at: int, _: LineIndex) -> types.WorkspaceEdit:
            return protocol.workspace_edit(rename(page, at, params.new_name).edits, page, encoding)

        try:
            return await ls.at(params, work, None)
        except Refused as reason:
            raise refused(str(reason)) from None

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatted(ls: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return await ls.ask(
            params.text_document.uri, lambda page, sheet: protocol.edits_of(formatting(page), sheet), []
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


def _hover(page: Document, at: int, sheet: LineIndex) -> types.Hover | None:
    found = hover(page, at)
    if found is None:
        return None
    return types.Hover(protocol.markdown(found.text), protocol.range_of(sheet, found.start, found.end))


def _uses(page: Document, at: int, declarations: bool) -> tuple[Reference, ...]:
    """Return every use of the name at an offset."""
    found = name_at(page, at)
    known = page.known(at)
    places = definitions(page, at)
    if found is None or known is None or not places:
        return ()
    kind, name = declared(found, known)
    every = references(kind, name, places[-1].path, page)
    return tuple(use for use in every if declarations or not use.at.declares)


def _locations(found: tuple[Reference, ...], page: Document, encoding: str) -> list[types.Location]:
    locations = []
    for use in found:
        text = page.desk.text(use.path)
        if text is not None:
            at = protocol.range_of(LineIndex(text, encoding), use.at.start, use.at.end)
            locations.append(types.Location(protocol.uri_of(use.path, page.desk), at))
    return locations


def _actions(found: types.Diagnostic, page: Document, sheet: LineIndex) -> list[types.CodeAction]:
    if found.source != protocol.SOURCE:
        return []
    start, end = (sheet.offset(at.line, at.character) for at in (found.range.start, found.range.end))
    return [
        types.CodeAction(
            fix.title,
            types.CodeActionKind.QuickFix,
            [found],
            edit=types.WorkspaceEdit(
                changes={protocol.uri_of(page.path, page.desk): protocol.edits_of(fix.edits, sheet)}
            ),
        )
        for fix in (*fixes(page, start, end), *lint_fixes(page, str(found.code), start, today()))
    ]
