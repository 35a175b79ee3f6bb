"""`exitgate report`: a page from transcripts, and every way in which there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_program import run

EXAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"


def test_the_examples_become_a_page(tmp_path: Path) -> None:
    ran = run("report", str(EXAMPLES), "-p", "bb3", "-p", "recommended", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("wrote report.html: 5 runs under `bb3`, `recommended`, ")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["report.html"]
    for name in ("login-session", "csv-export", "search-index", "deploy-keys", "nightly-docs"):
        assert '"run" id="run-' in text
        assert name in text


def test_labels_settings_and_stdout(tmp_path: Path) -> None:
    marks = str(EXAMPLES / "labels.yaml")
    words = (str(EXAMPLES), "-p", "bb3", "--set", "min_completion=100", "--labels", marks, "-o", "-")
    ran = run("report", *words, cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("<!doctype html>")
    assert os.listdir(tmp_path) == []
    assert 'class="grade premature">premature<' not in ran.out
    early = run("report", *words[:3], *words[5:], cwd=tmp_path)
    assert 'class="grade premature">premature<' in early.out


def test_a_page_is_replaced_and_keeps_to_the_umask(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.write_text("old", encoding="utf-8")
    one = str(EXAMPLES / "sessions" / "deploy-keys.jsonl")
    assert run("report", one, "-o", "page.html", cwd=tmp_path).code == 0
    assert place.read_text(encoding="utf-8").startswith("<!doctype html>")
    mask = os.umask(0)
    os.umask(mask)
    assert place.stat().st_mode & 0o777 == 0o666 & ~mask


def test_nothing_that_is_read_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    text = (EXAMPLES / "sessions" / "deploy-keys.jsonl").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    ran = run("report", "run.jsonl", "-o", "./run.jsonl", cwd=tmp_path)
    assert (ran.code, "error[EP861]" in ran.err) == (64, True)
    assert path.read_text(encoding="utf-8") == text


def test_results_of_probes_are_shown_and_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3" / "config.yaml").write_text(
        "exit_decision:\n  verify: [tests]\n  probes: {tests: {command: [make, test]}}\n", encoding="utf-8"
    )
    results = '[{"probe": "tests", "iteration": 2, "passed": false, "failing": ["test_login"]}]'
    (tmp_path / "results.json").write_text(results, encoding="utf-8")
    one = str(EXAMPLES / "sessions" / "deploy-keys.jsonl")
    ran = run("report", one, "--probe-results", "results.json", cwd=tmp_path)
    assert ran.code == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "given with `--probe-results`" in text
    assert "<code>test_login</code>" in text
    for command, *words in (("report",), ("dry-run", "--format", "json")):
        ran = run(command, one, "--probe-results", "results.json", *words, "-o", "results.json", cwd=tmp_path)
        assert (ran.code, "error[EP861]" in ran.err) == (64, True)
    assert (tmp_path / "results.json").read_text(encoding="utf-8") == results


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("empty",), 66, "EP853"),
        (("missing.jsonl",), 66, "EP851"),
        (("run.jsonl", "-p", "bb4"), 66, "bb3"),
        (("run.jsonl", "--reader", "claude-sesion"), 64, "claude-session"),
        (("run.jsonl", "-o", "empty"), 73, "EP862"),
        (("run.jsonl", "-o", "no/such/place.html"), 73, "EP862"),
        (("run.jsonl", "-l", "labels.yaml"), 66, "EP874"),
        ((), 64, "PATH"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path: Path, words: tuple[str, ...], code: int, told: str) -> None:
    (tmp_path / "empty").mkdir()
    text = (EXAMPLES / "sessions" / "deploy-keys.jsonl").read_text(encoding="utf-8")
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    ran = run("report", *words, cwd=tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err
    assert sorted(os.listdir(tmp_path)) == ["empty", "run.jsonl"]


def test_what_cannot_be_read_does_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "strange.bin").write_bytes(b"\x00\x01 nothing known")
    good = str(EXAMPLES / "sessions" / "deploy-keys.jsonl")
    ran = run("report", good, "strange.bin", cwd=tmp_path)
    assert ran.code == 65
    assert ran.out.startswith("wrote report.html: 1 run")
    assert "strange.bin" in ran.err
    assert "strange.bin" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_run_without_an_iteration_is_no_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    assert run("new-run", cwd=tmp_path / "new").code == 0
    ran = run("report", "new/.ralph", cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert "no run has an iteration" in ran.err
    assert not (tmp_path / "report.html").exists()
