"""Texts in folders whose names URIs write with percent signs, and behind links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Client
from workspace import BASE, CHILD, lay_out

from exitgate.surfaces.lsp.document import LineIndex

POLICY, CHILD_FILE = "base/policy.yaml", "child/policy.yaml"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Client]:
    real = tmp_path / "real"
    real.mkdir()
    lay_out(real)
    root = tmp_path / "C# at 100% für 漢"
    root.symlink_to(real, target_is_directory=True)
    client = Client(root)
    client.start()
    yield client
    assert client.stop() == 0


def test_every_answer_calls_an_open_text_as_the_editor_does(server: Client) -> None:
    assert "%23" in server.uri(POLICY)
    assert "%25" in server.uri(POLICY)
    assert server.open(POLICY, BASE) == []
    wrong = server.change(POLICY, BASE.replace("tasks.percent >= $goal,", "tasks.percnt >= $goal,"))
    assert [one["code"] for one in wrong] == ["EP401"]
    assert server.change(POLICY, BASE) == []
    at = LineIndex(BASE).position(BASE.index("tasks.percent >= $goal,") + len("tasks.percent >= $go"))
    assert "$goal" in server.at("hover", POLICY, *at)["contents"]["value"]
    (target,) = server.at("definition", POLICY, *at)
    assert target["uri"] == server.uri(POLICY)
    changes = server.at("rename", POLICY, *at, newName="target")["changes"]
    assert server.uri(POLICY) in changes


def test_what_rests_on_a_text_that_is_closed_rests_on_its_file(server: Client) -> None:
    assert server.open(CHILD_FILE, CHILD) == []
    server.open(POLICY, BASE.replace("finished", "ended"))
    wrong = server.note("textDocument/publishDiagnostics", lambda n: _has_errors(n, server.uri(CHILD_FILE)))
    assert wrong["diagnostics"]
    server.close(POLICY)
    server.note(
        "textDocument/publishDiagnostics",
        lambda n: n["params"]["uri"] == server.uri(CHILD_FILE) and not _has_errors(n, server.uri(CHILD_FILE)),
    )


def _has_errors(note: dict[str, dict[str, object]], uri: str) -> bool:
    found = note["params"]["diagnostics"]
    assert isinstance(found, list)
    return note["params"]["uri"] == uri and any(one["severity"] == 1 for one in found)
