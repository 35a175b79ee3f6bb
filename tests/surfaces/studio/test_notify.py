"""The studio notifies services of EXITs in the project's ledger, whether or not a page listens."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest
from patience import PATIENCE, wait_for

from exitgate.cli.main import main
from exitgate.surfaces.studio import notify as notifying
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.watch.sinks import Sink

sys.path.insert(0, str(Path(__file__).parents[1] / "watch"))

from sink_server import SinkServer  # shared with the tests of watch
from watched_loops import Loop


def test_an_exit_is_sent_once_and_earlier_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifying, "PAUSE", 0.02)
    server, events = SinkServer(), Events()
    told: list[str] = []
    before = Loop(tmp_path, "bb3", "before")
    before.step("all done", 6)
    services = [Sink("webhook", server.url), Sink("ntfy", "http://127.0.0.1:1/x")]
    asked = (before.state, services, events, told.append)
    thread = threading.Thread(target=notifying.notify, args=asked)
    ready = threading.Event()
    monkeypatch.setattr(events, "pause", lambda seconds: ready.set() or Events.pause(events, seconds))
    thread.start()
    assert ready.wait(PATIENCE)
    loop = Loop(tmp_path, "bb3", "after")
    loop.time = before.time + 60
    loop.step("one", 1)
    loop.step("all done", 6)
    try:
        wait_for(lambda: bool(server.sent and told), "the notification")
    finally:
        events.close()
        thread.join(PATIENCE)
        server.stop()
    assert [json.loads(one.body)["run"] for one in server.sent] == ["after#1"]
    assert len(told) == 1
    assert "ntfy at 127.0.0.1" in told[0]


def test_a_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-sessions", "--notify", "true", "--export", "x"]) == 64
    assert "not a service" in capsys.readouterr().err
