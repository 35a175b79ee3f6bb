"""Tries after one that failed: how many, and what ends them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from exitgate.surfaces.telemetry import send

if TYPE_CHECKING:
    from telemetry_project import Project


def test_pauses_double_up_to_a_minute_and_end() -> None:
    pauses = [send.pause_before(number, 600) for number in range(18)]
    assert pauses[:9] == [0, 1, 2, 4, 8, 16, 32, 60, 60]
    assert sum(one for one in pauses if one is not None) <= 600
    assert pauses[-1] is None
    assert send.pause_before(1, 0) is None
    assert [send.pause_before(number, 3) for number in (1, 2, 3)] == [1, 2, None]


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses that were made, without waiting for them."""
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


def decided(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a decision into the spool; nothing is started."""
    monkeypatch.setenv("EXITGATE_OTEL", "1")
    monkeypatch.setenv("EXITGATE_OTEL_RETRY", "60")
    monkeypatch.setattr(send, "start_sender", lambda *words: None)
    project.decide()


def test_it_rests_while_something_waits_and_nobody_else_sends(
    project: Project, monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    assert not send.rested(1)  # there is no spool, and none is made
    assert not project.spool.exists()
    decided(project, monkeypatch)
    assert send.rested(2)
    assert slept == [2]
    assert not send.rested(9)  # the time is over
    shutil.rmtree(project.spool)
    project.spool.mkdir(mode=0o700)
    assert not send.rested(1)
    assert slept == [2]


def test_what_others_send_is_left_to_them(
    project: Project, monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    decided(project, monkeypatch)
    code = (
        "import os, sys; from exitgate.surfaces.telemetry import spool; "
        "print(spool.locked(spool.opened(os.environ), spool.destination(os.environ)), flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip().isdecimal()
        assert not send.rested(1)
        other.communicate()
    assert slept == []


def test_a_failure_begins_the_process_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    decided(project, monkeypatch)
    begun: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: begun.append(words))
    monkeypatch.setattr(os, "_exit", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["-c", str(project.state), "1", ""])
    send.main()
    monkeypatch.setenv("EXITGATE_OTEL_RETRY", "0")
    send.main()
    assert [words[-4:] for words in begun] == [[str(project.state), "1", "", "1"]]
