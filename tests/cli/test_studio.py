"""`exitgate studio`: what it says on the command line, the real process, and the files it writes."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from patience import PATIENCE, wait_for

from exitgate.cli.main import main
from exitgate.core.system import browser

EXAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"
WORDS = ["-p", "bb3", "-p", "recommended", "-l", str(EXAMPLES / "labels.yaml"), "--no-open"]


def test_without_its_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("exitgate.surfaces.studio")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["studio", str(EXAMPLES)]) == 64
    told = capsys.readouterr()
    assert told.out == ""
    assert "error[EP555]: the studio needs `" in told.err
    assert "pip install 'exitgate[studio]'" in told.err


@pytest.mark.parametrize("port", ["65536", "-1", "many"])
def test_a_port_is_a_number_of_a_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", str(EXAMPLES), f"--port={port}"]) == 64
    assert port in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["studio", str(EXAMPLES), *WORDS, f"--port={port}"]) == 74
    assert f"error[EP556]: port {port} of this machine cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["-p", "no-such-policy"], ["-l", "no-such-labels.yaml"]])
def test_what_it_is_given_is_checked_before_it_listens(words: list[str], tmp_path: Path) -> None:
    assert main(["studio", str(EXAMPLES), *words, "--no-open"]) in (65, 66)


def test_the_process_answers_whoever_has_its_address_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "exitgate", "studio", str(EXAMPLES), *WORDS]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            assert "for you alone" in process.stderr.readline()
            origin = address.partition("/?")[0]
            with pytest.raises(HTTPError) as refused:
                build_opener().open(f"{origin}/api/runs", timeout=PATIENCE)
            assert refused.value.code == 401
            refused.value.close()
            entered = build_opener(HTTPCookieProcessor())
            with entered.open(address, timeout=PATIENCE) as page:
                assert b"exitgate studio" in page.read()

            def answer(name: str) -> dict[str, object]:
                with entered.open(f"{origin}/api/{name}", timeout=PATIENCE) as answered:
                    return json.load(answered)  # type: ignore[no-any-return]

            # It answers while the transcripts are still being read.
            wait_for(lambda: answer("state")["runs"] == 5)
            runs = answer("runs")
            assert runs["policies"] == ["bb3", "recommended"]
            assert [row["label"] is not None for row in runs["rows"]] == [True] * 5  # type: ignore[attr-defined]
            # A page that listens does not keep the studio from ending.
            with entered.open(f"{origin}/api/events", timeout=PATIENCE) as events:
                assert events.readline().startswith(b"retry:")
                process.send_signal(signal.SIGINT)
                assert process.wait(timeout=PATIENCE) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_its_files_are_the_page_and_its_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "a" / "studio"
    assert main(["studio", str(EXAMPLES), *WORDS, "--export", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(f"wrote {folder}: 5 runs, ")
    state = json.loads((folder / "data/state.json").read_bytes())
    assert state["static"]
    assert state["read_only"]
    rows = json.loads((folder / "data/runs.json").read_bytes())["rows"]
    for row in rows:
        page = (folder / f"data/runs/{row['n']}.html").read_text(encoding="utf-8")
        assert page.startswith('\n<article class="run"') or '<article class="run"' in page[:200]
        assert all(len(strip) == row["iterations"] for strip in row["strips"])
    assert json.loads((folder / "data/policies/0.json").read_bytes())["text"].startswith("#")
    assert '<meta name="studio" content="folder">' in (folder / "index.html").read_text(encoding="utf-8")
    assert (folder / "vendor/LICENSES.txt").is_file()


def test_files_of_others_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8", newline="")
    assert main(["studio", str(EXAMPLES), *WORDS, "--export", str(tmp_path)]) == 64
    assert "is not empty" in capsys.readouterr().err
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"
    assert main(["studio", str(EXAMPLES), *WORDS, "--export", str(tmp_path / "index.html")]) == 73


def test_rows_say_what_score_says(tmp_path: Path) -> None:
    assert main(["studio", str(EXAMPLES), *WORDS, "--export", str(tmp_path / "out")]) == 0
    rows = json.loads((tmp_path / "out/data/runs.json").read_bytes())["rows"]
    for row in rows:
        for at, stop in enumerate(row["stops"]):
            first = next((n for n, letter in enumerate(row["strips"][at], 1) if letter not in ".-"), None)
            assert first == (stop["at"] if stop else None)
            if row["grades"][at] == "right" and not row["label"]["never"]:
                assert row["label"]["first"] <= stop["at"] <= row["label"]["last"]


def test_no_browser_takes_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not browser.open_page("http://127.0.0.1:1/")
