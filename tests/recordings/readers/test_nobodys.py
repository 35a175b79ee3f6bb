"""Files that are no transcripts, and files that only show one: no reader takes them."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from cases import each
from every_sample import Sample, samples
from reading_steps import lines, sniffed, written

ROOT = Path(__file__).parents[3]
AT = "2026-01-02T10:00:00Z"
ROLES = [{"role": "user", "content": "Begin."}, {"role": "assistant", "content": "Done."}]
#: Name -> content: a text, bytes, or a value that is written as JSON.
OTHERS: dict[str, Any] = {
    "package-lock.json": {"name": "p", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {}}},
    "tsconfig.json": {"compilerOptions": {"target": "es2022"}, "include": ["src"]},
    "comments.json": '// a comment\n{"compilerOptions": {}, /* more */ "include": ["src",],}\n',
    "list.json": [],
    "object.json": {},
    "ints.json": [1, 2, 3],
    "nested.json": [[[]], [{}]],
    "texts.json": ["user", "assistant"],
    "word.json": "assistant",
    "null.json": None,
    "chat.json": ROLES,
    "training.jsonl": lines([{"messages": ROLES}] * 5),
    "conversations.json": [{"id": "c", "title": "t", "create_time": 1.0, "mapping": {}}],
    "events.jsonl": lines([{"type": "start", "id": "1", "timestamp": AT}, {"type": "message", "id": "2"}]),
    "docker.log": lines([{"log": "Done.\n", "stream": "stdout", "time": AT}] * 3),
    "structured.log": lines([{"level": "info", "msg": "=== Starting Loop #1 ===", "ts": 1.0}] * 3),
    "audit.jsonl": lines([{"timestamp": AT, "type": "session", "payload": {"user": "u"}}] * 3),
    "webhook.json": {"action": "completed", "source": "agent", "id": 1, "message": "m", "timestamp": AT},
    "slack.json": [{"type": "message", "user": "U1", "text": "done", "ts": "1.0", "session_id": "s"}],
    "telegram.json": {"name": "n", "id": 1, "messages": [{"id": 1, "type": "message", "text": "t"}]},
    "test-report.json": {"created": 1.0, "exitcode": 0, "summary": {"passed": 3}, "tests": []},
    "result.json": {"type": "result", "result": "3 passed", "status": "ok"},
    "notebook.ipynb": {"cells": [{"cell_type": "code", "source": [], "outputs": []}], "nbformat": 4},
    "other-prd.json": {"title": "A plan", "stories": [{"id": 1, "passes": True}]},
    "history.json": {"history": [{"role": "user", "content": "x"}], "info": {}},
    "trajectory.json": {"trajectory": [[0.0, 1.0]], "info": {"name": "a flight"}},
    "messages.json": {"messages": [], "info": {"version": 1}},
    "parts.json": [{"role": "user", "parts": "x"}],
    "table.csv": "run,iterations,session_id\na,3,s\n",
    "README.md": "# Ralph\n\nRuns `=== Starting Loop #1 ===`.\n\n- [ ] one\n- [x] two\n",
    "CHANGELOG.md": "# Changelog\n\n## 2026-01-02 - 1.0.0\n- first\n",
    "progress.md": "# Progress\n\n## Monday\n- all done\n",
    "front.md": "---\ntitle: t\niteration: 4\nactive: true\n---\ntext\n",
    "app.log": "[2026-01-02 10:00:00] [INFO] server started\n[2026-01-02 10:00:01] [ERROR] no\n",
    "access.log": '1.2.3.4 - - [02/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n',
    "activity.log": "2026-01-02T10:00:00Z INFO started\n2026-01-02T10:00:01Z INFO done\n",
    "errors.log": "[2026-01-02 10:00:00] no such file\n",
    "main.py": 'LOG = "# aider chat started at 2026-01-02 10:00:00"\n\n\ndef main() -> None: ...\n',
    "usage.txt": "Usage: tool [OPTIONS] [PROMPT]\n\nerror: unexpected argument\n",
    "image.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20,
    "archive.zip": b"PK\x03\x04" + bytes(range(256)) * 20,
    "utf16.jsonl": '{"type":"result","result":"x","session_id":"s"}\n'.encode("utf-16"),
    "deep.json": "[" * 50_000 + "]" * 50_000,
    "deeper.json": '{"messages":' * 30_000,
    "long.json": '{"a":"' + "x" * 400_000,
}
with tempfile.TemporaryDirectory() as scratch:
    EVERY = samples(Path(scratch))


@each("name", list(OTHERS))
def test_files_of_other_programs(tmp_path: Path, name: str) -> None:
    value = OTHERS[name]
    assert sniffed(written(tmp_path, name, value)) is None
    if isinstance(value, dict | list):
        assert sniffed(written(tmp_path, name, json.dumps(value, indent=2))) is None


def test_our_own_files() -> None:
    folders = ("policies", "schemas", "src/exitgate/cli", "docs/reference", "docs/how-to")
    found = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file()]
    assert len(found) > 60
    assert {str(path): id for path in found if (id := sniffed(path)) is not None} == {}


def test_a_database(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with sqlite3.connect(path) as base:
        base.execute("create table messages (id, role, content)")
        base.execute("insert into messages values (1, 'user', '{\"type\":\"result\"}')")
    base.close()
    assert sniffed(path) is None


@each("seed", range(20))
def test_words_and_bytes_at_random(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    words = [
        "- [ ]",
        "done",
        "{",
        "}",
        '"type":',
        "\n",
        "\n# ",
        "\n## ",
        "[2026-01-02",
        "#1",
        ": ",
        "> ",
        "\n#### ",
    ]
    assert sniffed(written(tmp_path, "a.txt", " ".join(dice.choices(words, k=400)))) is None
    assert sniffed(written(tmp_path, "b.bin", dice.randbytes(4000))) is None


@each("name", list(EVERY))
@each(
    "around",
    [
        "# How it looks\n\nA file:\n\n```\n{}```\n\nThat is all.\n",
        'SAMPLE = """\\\n{}"""\n\n\ndef read(): ...\n',
    ],
    ids=["fence", "source"],
)
def test_a_text_that_shows_a_transcript(tmp_path: Path, name: str, around: str) -> None:
    sample: Sample = EVERY[name]
    head, tail = around.split("{}")
    assert sniffed(written(tmp_path, "shown.md", head + sample.body + tail)) is None
