"""Every reader of folders, where a file of a folder cannot be opened: it is told, the rest is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import test_opencode
import test_ralph_cursor
import test_ralph_frankbria
import test_ralph_iannuttall
import test_ralph_orchestrator
import test_roo
from cases import each
from loop_folders import folder, log, output, result

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.discovery import discover
from exitgate.recordings.model import Problem, Run, collect


def _frankbria(root: Path) -> None:
    outputs = {output("12:00:01"): result("First."), output("12:02:10"): result("Second.")}
    folder(root, {"ralph.log": log(*test_ralph_frankbria.TWO), "fix_plan.md": "- [x] a\n", **outputs})


def _iannuttall(root: Path) -> None:
    of = test_ralph_iannuttall
    own = {f"runs/run-{of.RUN}-iter-1.{end}": text for end, text in (("log", of.TUI), ("md", of.RAN))}
    folder(root, {"activity.log": of.ACTIVITY, **own}, ".ralph")


def _cursor(root: Path) -> None:
    of = test_ralph_cursor
    folder(root, {"activity.log": of.LOG, "progress.md": of.PROGRESS, "tasks.yaml": of.TASKS}, ".ralph")


def _orchestrator(root: Path) -> None:
    of = test_ralph_orchestrator
    events = of.file(of.start(0), of.emit(1, "spec.ready"), of.end(2, 1))
    history = of.past(0, "loop_started", prompt="x") + "\n"
    folder(root, {"events-1.jsonl": events, "history.jsonl": history}, ".ralph")


def _opencode(root: Path) -> None:
    test_opencode.store(root)


def _roo(root: Path) -> None:
    test_roo.task(root)


FOLDERS: tuple[Callable[[Path], None], ...] = (
    _frankbria, _iannuttall, _cursor, _orchestrator, _opencode, _roo,
)  # fmt: skip


def everything(root: Path) -> tuple[list[Run], list[Problem], list[str]]:
    runs: list[Run] = []
    problems: list[Problem] = []
    failed: list[str] = []
    for found in discover([str(root)]):
        if found.reader is None:
            failed += [found.place.path] if found.trouble else []
            continue
        read, wrong = collect(registry.load(found.reader).read(found.place, ALL), found.reader)
        runs += read
        problems += wrong
    return runs, problems, failed


@each("make", FOLDERS, ids=[make.__name__[1:] for make in FOLDERS])
@each("kind", ["nowhere", "pipe", "folder"])
def test_a_file_that_cannot_be_opened(tmp_path: Path, make: Callable[[Path], None], kind: str) -> None:
    make(tmp_path)
    whole = sum(len(run.iterations) for run in everything(tmp_path)[0])
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert len(files) > 1
    for path in files:
        content = path.read_bytes()
        path.unlink()
        if kind == "nowhere":
            path.symlink_to("nowhere")
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.mkdir()
        runs, problems, failed = everything(tmp_path)  # raises nothing
        left = sum(len(run.iterations) for run in runs)
        alone = {"activity.log", "events-1.jsonl", "ses_1.json"}  # what the others only add to
        assert left >= whole - 1 or path.name in alone, path
        if kind == "nowhere" and path.name not in ("tasks.yaml", "progress.md", "task_metadata.json"):
            assert failed or problems, path
        path.rmdir() if kind == "folder" else path.unlink()
        path.write_bytes(content)
