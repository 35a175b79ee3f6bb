"""`exitgate lsp` on the command line."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE

from exitgate.cli.main import main
from exitgate.cli.reference import codes


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("exitgate.surfaces.lsp.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 64
    told = capsys.readouterr()
    assert told.out == ""
    assert "error[EP555]: the language server needs `pygls`" in told.err
    assert "pip install 'exitgate[lsp]'" in told.err


@pytest.mark.parametrize("port", ["0", "65536", "-1", "many"])
def test_a_port_is_a_number_of_a_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lsp", f"--tcp={port}"]) == 64
    assert port in capsys.readouterr().err


def test_its_codes_are_in_the_reference() -> None:
    assert {"EP555", "EP556"} <= codes().keys()


def test_over_tcp_it_listens_on_this_machine_only(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "exitgate", "lsp", "--tcp", str(port)]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            editor = connected(port, server)
            with editor:
                asked = {"processId": None, "rootUri": None, "capabilities": {}}
                body = json.dumps(
                    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
                ).encode()
                editor.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                assert b"Content-Length" in editor.recv(4096)
                # Somebody else cannot have the port, and is told so.
                second = subprocess.run(
                    words, cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=False
                )
                assert second.returncode == 74
                assert b"EP556" in second.stderr
            assert server.wait(timeout=PATIENCE) == 0
            assert listening(port) == []
        finally:
            server.kill()


def connected(port: int, server: subprocess.Popen[bytes]) -> socket.socket:
    for _ in range(200):
        try:
            editor = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except ConnectionRefusedError:
            assert server.poll() is None
            with pytest.raises(subprocess.TimeoutExpired):
                server.wait(timeout=0.1)
            continue
        assert all(address == "0100007F" for address in listening(port))
        return editor
    raise AssertionError("nobody listens")


def listening(port: int) -> list[str]:
    """Return the addresses that are listened on, as the kernel writes them."""
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:] if Path("/proc/net/tcp").exists() else []
    found = [row.split() for row in rows]
    return [r[1].split(":")[0] for r in found if r[3] == "0A" and int(r[1].split(":")[1], 16) == port]
