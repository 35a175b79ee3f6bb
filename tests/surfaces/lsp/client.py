"""A small client of the Language Server Protocol: what an editor sends, and what it gets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from patience import PATIENCE

CAPABILITIES = {
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True}},
        "rename": {"prepareSupport": True},
    }
}


class Refused(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code = error["code"]
        super().__init__(error["message"])


class Client:
    """Starts `exitgate lsp` and speaks to it; positions are lines and UTF-16 columns from 0."""

    def __init__(self, root: Path, *words: str) -> None:
        self.root = root
        self.server = subprocess.Popen(
            [sys.executable, "-m", "exitgate", "lsp", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root,
        )  # fmt: skip
        self._messages: Queue[dict[str, Any] | None] = Queue()
        self._kept: list[dict[str, Any]] = []
        self._number = 0
        self._versions: dict[str, int] = {}
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.server.stdout is not None
        while True:
            length = 0
            while (line := self.server.stdout.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                self._messages.put(None)
                return
            self._messages.put(json.loads(self.server.stdout.read(length)))

    def send(self, *messages: dict[str, Any]) -> None:
        """Send messages in one piece: all are there when the first is read."""
        self.write(*(json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages))

    def write(self, *bodies: bytes) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(one), one) for one in bodies))
        self.server.stdin.flush()

    def ask(self, method: str, params: object = None) -> Any:
        """Return the result of a request. Raises `Refused`."""
        return self.answer(self.begin(method, params))

    def begin(self, method: str, params: object = None) -> int:
        """Send a request and return its number."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int | str) -> Any:
        """Return the answer to a request; what else comes meanwhile is kept."""
        message = self._next(lambda one: one.get("id") == number and "method" not in one)
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def _next(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message that is wanted, of those kept and those that come; keep the others."""
        for index, kept in enumerate(self._kept):
            if wanted(kept):
                return self._kept.pop(index)
        while True:
            message = self._messages.get(timeout=PATIENCE)
            assert message is not None, "the server is gone"
            if wanted(message):
                return message
            self._kept.append(message)

    def tell(self, method: str, params: object = None) -> None:
        self.send({"method": method, "params": params})

    def start(self, **also: object) -> Any:
        root = self.root.as_uri()
        folders = [{"uri": root, "name": "root"}]
        params = {"processId": None, "rootUri": root, "workspaceFolders": folders,
                  "capabilities": CAPABILITIES, **also}  # fmt: skip
        result = self.ask("initialize", params)
        self.tell("initialized", {})
        return result

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str | None = None) -> list[dict[str, Any]]:
        """Open a file, with another text than it holds or its own; return its diagnostics."""
        path = self.root / name
        text = path.read_text(encoding="utf-8") if text is None else text
        # A file that is opened again goes on counting: what was said of it before is told apart.
        version = self._versions[name] = self._versions.get(name, 0) + 1
        item = {"uri": self.uri(name), "languageId": "yaml", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(name)

    def change(self, name: str, text: str) -> list[dict[str, Any]]:
        """Replace the text; return the diagnostics of the new one."""
        self.type(name, text)
        return self.diagnostics(name)

    def type(self, name: str, text: str) -> None:
        """Replace the text and wait for nothing."""
        self._versions[name] += 1
        document = {"uri": self.uri(name), "version": self._versions[name]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, name: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def diagnostics(self, name: str, lints: bool = False) -> list[dict[str, Any]]:
        """Wait for what is wrong with the newest text of a file; with `lints` for what they find in it."""
        version = self._versions[name]

        def wanted(note: dict[str, Any]) -> bool:
            params = note.get("params") or {}
            newest = params.get("uri") == self.uri(name) and params.get("version") == version
            return newest and (not lints or any(_is_lint(one) for one in params["diagnostics"]))

        found: list[dict[str, Any]] = self.note("textDocument/publishDiagnostics", wanted)["diagnostics"]
        return [one for one in found if _is_lint(one) == lints]

    def note(self, method: str, wanted: Any = lambda note: True) -> Any:
        """Wait for a notification and return its parameters."""
        return self._next(lambda one: one.get("method") == method and wanted(one))["params"]

    def at(self, method: str, name: str, line: int, column: int, **also: object) -> Any:
        """Return the answer to a request about a position."""
        place = {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": column}}
        return self.ask(f"textDocument/{method}", {**place, **also})

    def stop(self) -> int:
        """Shut the server down as editors do; return its exit code."""
        if self.server.poll() is None:
            self.ask("shutdown")
            self.tell("exit")
        return self.end()

    def end(self) -> int:
        code = self.server.wait(timeout=PATIENCE)
        for stream in (self.server.stdin, self.server.stdout, self.server.stderr):
            assert stream is not None
            stream.close()
        return code


def _is_lint(diagnostic: dict[str, Any]) -> bool:
    return not str(diagnostic["code"]).startswith("EP")
