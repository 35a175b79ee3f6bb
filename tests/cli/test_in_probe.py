"""Commands called by what a probe runs, and what a terminal shows while one runs."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from compiled import COMPILED

from exitgate.cli.main import main
from exitgate.core.gate.settings import policy_of
from exitgate.core.ledger import read
from exitgate.core.probes import trust
from exitgate.core.probes.turn import Turn
from exitgate.core.state.request import Request
from exitgate.report.wording import probing_text
from exitgate.surfaces.decide import decide

STATE = ".ralph/exitgate"
CLAIM = "All tasks are done.\n\n<promise>COMPLETE</promise>\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    (tmp_path / "response.md").write_text(CLAIM)
    return tmp_path


def defined(monkeypatch: pytest.MonkeyPatch, **probe: object) -> None:
    section = {"verify": ["tests"], "probes": {"tests": probe}}
    Path(".bb3").mkdir()
    Path(".bb3/config.yaml").write_text(json.dumps({"exit_decision": section}))
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request()))))


@pytest.mark.parametrize(
    "words",
    [
        ["check", "response.md"],
        ["check", "response.md", "--no-record", "--timings"],
        ["run", "--", "true"],
        ["run", "--dry-run", "--", "true"],
        ["explain", "response.md"],
        ["explain", "response.md", "--format", "json"],
        ["probe"],
        ["probe", "tests"],
    ],
    ids=" ".join,
)
def test_what_decides_or_asks_refuses_within_a_probe(
    words: list[str], project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    defined(monkeypatch, shell="echo x >> asked")
    monkeypatch.setenv("EXITGATE_PROBE", "1")
    assert main(words) == 64
    assert f"[EP599]: a probe cannot call `exitgate {words[0]}`" in capsys.readouterr().err
    assert not (project / "asked").exists()
    assert not (project / STATE).exists()
    monkeypatch.delenv("EXITGATE_PROBE")
    assert main(words) != 64


def test_a_probe_that_calls_check_changes_nothing_of_its_run(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test suite of a project may call exitgate in the project: that is no iteration of the run."""
    program = [sys.executable, "-m", "exitgate", "check", "response.md"]
    defined(monkeypatch, command=program, environment=["EXITGATE_CACHE_DIR"])
    assert main(["check", "response.md", "--quiet"]) == 0
    [decision] = [line for line in read.lines(STATE) if line["kind"] == "decision"]
    asked = decision["probes"]["tests"]  # type: ignore[index]
    assert (asked["exit_status"], asked["passed"]) == (64, False)
    assert any("EP599" in line for _, _, line in asked["evidence"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "words", [["check", "response.md"], ["probe"], ["check", "response.md", "--timings"]]
)
def test_a_terminal_shows_the_probe_that_runs(
    words: list[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defined(monkeypatch, shell="echo collected 3 tests; sleep 0.3")
    monkeypatch.setenv("TERM", "xterm")
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    main(words)
    assert "verifying `tests`, 0 s  collected 3 tests" in err.getvalue()


def test_elsewhere_nothing_is_shown_and_nothing_is_loaded_for_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    defined(monkeypatch, shell="echo collected 3 tests; sleep 0.1")
    assert main(["check", "response.md"]) == 10
    assert "verifying" not in capsys.readouterr().err


def test_a_check_that_waits_for_another_says_since_when(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defined(monkeypatch, shell="echo x >> asked")
    (project / STATE).mkdir(parents=True)
    other = Turn(STATE, 0)
    other.note("tests", 60)
    shown = []

    def watch(probe: str, seconds: float, line: str) -> None:
        shown.append(probing_text(probe, seconds, line))
        other.close()

    checked = decide(Request(response="response.md", watch=watch))
    assert checked.decision.exit_class == "complete"
    said = r"another check is verifying `tests`, for \d+ s so far; waiting for it, \d+ s"
    assert re.fullmatch(said, shown[0])
    assert (project / "asked").read_text() == "x\n"


def test_no_sign_of_a_probe_moves_the_cursor() -> None:
    assert (
        probing_text("tests", 61.4, "\x1b[2Jgone\r")
        == "verifying `tests`, 61 s  " + probing_text("tests", 61.4, "\x1b[2Jgone\r").partition("s  ")[2]
    )
    assert "\x1b" not in probing_text("tests", 61.4, "\x1b[2Jgone\r")
    assert len(probing_text("tests", 1, "x" * 500, 40)) == 40
