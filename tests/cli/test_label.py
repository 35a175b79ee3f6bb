"""`exitgate label`: typed through a pipe, saved whole, gone on with."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_loops import some_loops
from cli_program import run, run_apart
from patience import PATIENCE

from exitgate.recordings.scoring.labels import Label, load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    some_loops(tmp_path)
    (tmp_path / "labels.yaml").unlink()
    return tmp_path


def test_labels_are_made_saved_and_scored(folder: Path) -> None:
    typed = "n\nn\ns\ncomplete\nall done\n]\nnever\n\n]\nr 2-3\nidle, complete\n\nq\n"
    ran = run("label", "runs", stdin=typed, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert load(str(folder / "labels.yaml")).labels == (
        Label("one", 3, 3, classes=("complete",), note="all done"),
        Label("three", None, None, never=True),
        Label("two", 2, 3, classes=("idle", "complete")),
    )
    assert run("score", "runs", "-p", "./sure.yaml", cwd=folder).code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["labels.yaml", "runs", "sure.yaml"]


def test_a_second_sitting_goes_on_with_the_first_unlabelled_run(folder: Path) -> None:
    run("label", "runs", "-o", "l.yaml", stdin="s\n\n\nq\n", cwd=folder)
    ran = run("label", "runs", "-o", "l.yaml", stdin="never\n\nq\n", cwd=folder)
    assert "three  iteration 1 of 3  (no label)" in ran.out
    assert [(label.run, label.stop) for label in load(str(folder / "l.yaml")).labels] == [
        ("one", "1"), ("three", "never"),
    ]  # fmt: skip


def test_labels_of_other_runs_stay(folder: Path) -> None:
    text = "labels: [{run: elsewhere, stop: 4, note: 'kept'}]\n"
    (folder / "labels.yaml").write_text(text, encoding="utf-8")
    run("label", "runs/two", stdin="s\n\n\n", cwd=folder)
    assert [(label.run, label.note) for label in load(str(folder / "labels.yaml")).labels] == [
        ("elsewhere", "kept"), ("two", ""),
    ]  # fmt: skip


def test_comments_and_layout_stay(folder: Path) -> None:
    text = "# of March\nformat: 1\nlabels:\n  - {run: one, stop: 2}  # looked at twice\n  # the rest\n"
    (folder / "labels.yaml").write_text(text, encoding="utf-8")
    run("label", "runs/two", stdin="s\nidle\nwhy: not # this\nq\n", cwd=folder)
    kept = (folder / "labels.yaml").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line not in kept.splitlines()] == []
    assert load(str(folder / "labels.yaml")).labels[1:] == (
        Label("two", 1, 1, classes=("idle",), note="why: not # this"),
    )
    run("label", "runs/two", stdin="d\nq\n", cwd=folder)
    assert "# looked at twice" in (folder / "labels.yaml").read_text(encoding="utf-8")
    assert [label.run for label in load(str(folder / "labels.yaml")).labels] == ["one"]


def test_what_cannot_be_changed_without_losing_a_comment_is_left_alone(folder: Path) -> None:
    text = "labels:\n  - run: two\n    stop: 3\n    class:\n      - idle\n      # or\n      - stuck\n"
    (folder / "labels.yaml").write_text(text, encoding="utf-8")
    ran = run("label", "runs/two", stdin="s\ncomplete\n\nq\n", cwd=folder)
    assert (ran.code, "EP874" in ran.err) == (65, True)
    assert (folder / "labels.yaml").read_text(encoding="utf-8") == text


def test_a_file_that_is_no_labels_is_not_written_over(folder: Path) -> None:
    (folder / "labels.yaml").write_text("policy: mine\n", encoding="utf-8")
    assert run("label", "runs", stdin="s\n\n\n", cwd=folder).code == 65
    assert (folder / "labels.yaml").read_text(encoding="utf-8") == "policy: mine\n"


def test_nothing_typed_writes_nothing(folder: Path) -> None:
    assert run("label", "runs", stdin="", cwd=folder).code == 0
    assert not (folder / "labels.yaml").exists()


def test_bytes_that_are_no_text(folder: Path) -> None:
    ran = run_apart("label", "runs", stdin=b"s\n\n\xff\xfe\nq\n", cwd=folder)
    assert ran.code == 0
    assert load(str(folder / "labels.yaml")).labels[0].first == 1


def test_where_it_cannot_be_written_or_read(folder: Path) -> None:
    assert run("label", "runs", "-o", "none/l.yaml", stdin="s\n\n\n", cwd=folder).code == 73
    assert run("label", "gone", stdin="", cwd=folder).code == 66


def test_without_streams(folder: Path) -> None:
    program = f"'{sys.executable}' -m exitgate label runs"
    for streams in ("<&-", ">&-"):
        ran = subprocess.run(
            ["/bin/sh", "-c", f"{program} {streams}"],
            cwd=folder,
            input=b"s\n\n\n",
            check=False,
            timeout=PATIENCE,
        )
        assert ran.returncode == 0, streams
    assert load(str(folder / "labels.yaml")).labels[0].stop == "1"


def test_it_ends_when_nobody_looks_any_more(folder: Path) -> None:
    words = [sys.executable, "-m", "exitgate", "label", "runs"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, cwd=folder, **pipes) as ran:
        assert ran.stdin is not None
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.read1()
        ran.stdout.close()
        ran.stdin.write(b"n\n" * 3)
        ran.stdin.flush()
        assert (ran.wait(PATIENCE), ran.stderr.read()) == (0, b"")


def test_an_interrupt_loses_no_label(folder: Path) -> None:
    words = [sys.executable, "-m", "exitgate", "label", "runs"]
    with subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ran:
        assert ran.stdin is not None
        assert ran.stdout is not None
        ran.stdin.write(b"s\ncomplete\n\n]\ns\nidle\n")
        ran.stdin.flush()
        seen = b""
        while seen.count(b"note (Enter for none): ") < 2:
            piece = ran.stdout.read1()
            assert piece, f"it ended: {seen.decode()}"
            seen += piece
        ran.send_signal(signal.SIGINT)
        assert ran.wait(PATIENCE) == 130
    assert [label.run for label in load(str(folder / "labels.yaml")).labels] == ["one"]
