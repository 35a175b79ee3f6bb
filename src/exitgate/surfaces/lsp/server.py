"""The edge of the protocol: requests in, answers out. Everything that knows policies is beside it, pure."""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.run import diagnostic
from exitgate.surfaces.lsp import wire
from exitgate.surfaces.lsp.desk import Desk
from exitgate.surfaces.lsp.diagnose import diagnose
from exitgate.surfaces.lsp.lints import lints
from exitgate.surfaces.lsp.page import Memory, Page
from exitgate.surfaces.lsp.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

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
        self.memory = Memory()
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

    def desk(self) -> Desk:
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
        return Desk(texts, tuple(os.path.realpath(root) for root in roots if root), uris)

    def opened(self, uri: str) -> None:
        """Take in what the editor calls a text that it opened."""
        self._opened[unquote(uri)] = uri

    def closed(self, uri: str) -> None:
        """Forget a text; others that rested on it rest on its file now."""
        self.forget(uri)
        self._opened.pop(unquote(uri), None)
        self._lints.pop(unquote(uri), None)
        self.look_again()

    def page(self, uri: str) -> Page | None:
        """Return an open text, None for one that is not a file or was closed."""
        path = to_fs_path(uri)
        if path is None or unquote(uri) not in self._opened:
            return None
        text = self.workspace.get_text_document(uri).source
        return Page(os.path.realpath(path), text, self.desk(), self.memory)

    def look_again(self) -> None:
        """Look at every open text: files that they may rest on have changed."""
        for uri in tuple(self._opened.values()):
            self.look_soon(uri)

    async def ask(self, uri: str, about: Callable[[Page, Sheet], T], otherwise: T) -> T:
        """Return what `about` says of an open text, `otherwise` for one that is not open or not ours."""
        page = self.page(uri)
        if page is None:
            return otherwise
        encoding = self.encoding

        def work() -> T:
            return about(page, Sheet(page.text, encoding)) if page.kind else otherwise

        return await asyncio.get_running_loop().run_in_executor(self._answering, work)

    async def at(self, params: Positioned, about: Callable[[Page, int, Sheet], T], otherwise: T) -> T:
        """Return what `about` says of a position."""

        def work(page: Page, sheet: Sheet) -> T:
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
            return wire.diagnostics_of(found, page, encoding)

        found = await asyncio.get_running_loop().run_in_executor(self._looking, work)
        if thorough:
            self._lints[unquote(uri)] = page.sheet.lines, [one for one in found if one.code in registry.IDS]
        else:
            found += self._kept_lints(uri, page)
        if unquote(uri) in self._opened and self.workspace.get_text_document(uri).version == version:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _kept_lints(self, uri: str, page: Page) -> list[types.Diagnostic]:
        """Return what lints found last where the lines still are what they were: it need not flicker."""
        lines, found = self._lints.get(unquote(uri), (0, []))
        return found if lines == page.sheet.lines else []


def today() -> str:
    """Return the day, as ``2027-03-01``."""
    return date.today().isoformat()


def refused(reason: str) -> JsonRpcException:
    """Return the answer to a request that is right and cannot be done."""
    return JsonRpcException(reason, _REFUSED)


class _Told(logging.Filter):
    """Keeps out of the log what is an answer and no fault: a refusal goes to the person who asked."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not (isinstance(error, JsonRpcException) and error.code == _REFUSED)


def serve(version: str, port: int | None = None) -> None:
    """
    Answer an editor on standard input and output, or one that connects to `port` of this machine.

    Returns when the editor says `exit` or goes away.
    """
    from exitgate.surfaces.lsp.requests import register

    logging.getLogger("pygls.protocol.json_rpc").addFilter(_Told())
    server = Server(version)
    register(server)
    if port is None:
        server.start_io()
    else:
        server.start_tcp("127.0.0.1", port)
