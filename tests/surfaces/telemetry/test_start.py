"""The process that a check starts: what it gets, and what it does not take from the folder it is in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from patience import PATIENCE, wait_for
from telemetry_collector import Collector

from exitgate.core.system import child as leaving
from exitgate.core.system import python
from exitgate.surfaces.telemetry import send

if TYPE_CHECKING:
    from telemetry_project import Project

AGAIN = "sending is retried for a while, and with the next decision"
PLANTED = ("opentelemetry", "requests", "google", "fcntl", "threading", "json", "exitgate")


def test_a_repository_cannot_plant_modules(
    project: Project, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.decide()
    mark = project.folder / "planted-was-here"
    for name in PLANTED:
        code = f"open({str(mark)!r}, 'a').write({name!r})\nraise SystemExit(3)\n"
        (project.folder / f"{name}.py").write_text(code)
        (project.folder / name).mkdir()
        (project.folder / name / "__init__.py").write_text(code)
    monkeypatch.setenv("EXITGATE_OTEL", "1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    project.decide()
    collector.wait(3)
    wait_for(lambda: not project.waiting(), "the end of the spool")
    assert not mark.exists()


LOADED = """
import os, sys
sys.path[:] = [one for one in sys.path if one]
from exitgate.cli.main import main
before = set(sys.modules)
code = main(["check", "--policy", "./told.yaml", "--format", "json"])
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}), file=sys.stderr)
sys.exit(code)
"""


def run(project: Project, places: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a check that telemetry hears of, with modules from `places` alone."""
    environment = {
        **project.environment(),
        "EXITGATE_OTEL": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
    }
    return subprocess.run(
        [sys.executable, "-S", "-c", LOADED],
        cwd=project.folder, env={**environment, "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def test_a_check_loads_nothing_of_opentelemetry(project: Project) -> None:
    project.decide()  # the policy is compiled
    ran = run(project, [one for one in sys.path if one])
    assert ran.returncode == 0, ran.stderr
    loaded = set(ran.stderr.split())
    assert "exitgate" in loaded
    assert loaded & {"opentelemetry", "requests", "logging", "threading", "subprocess", "importlib"} == set()
    assert len(project.waiting()) == 1


def test_a_check_where_opentelemetry_is_not_installed(project: Project) -> None:
    # Everything that is installed here but OpenTelemetry.
    links = project.folder / "installed"
    links.mkdir()
    for place in (Path(one) for one in sys.path if one.endswith("site-packages")):
        for one in place.iterdir():
            if not one.name.startswith("opentelemetry") and not (links / one.name).exists():
                (links / one.name).symlink_to(one)
    others = [one for one in sys.path if one and not one.endswith("site-packages")]
    ran = run(project, [*others, str(links)])
    assert ran.returncode == 0, ran.stderr
    said = "EXITGATE_OTEL=1, but the OpenTelemetry SDK is not installed: pip install 'exitgate[otel]'"
    decided = json.loads(ran.stdout)
    assert [one["message"] for one in decided["warnings"]] == [said]
    assert (decided["verdict"], project.incident(), project.spool.exists()) == ("CONTINUE", said, False)


def test_places_of_modules_do_not_depend_on_the_folder(
    monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    monkeypatch.setenv("PYTHONPATH", "src::/opt/x:.")
    folder = os.getcwd()
    assert python.environment()["PYTHONPATH"] == f"{folder}/src:/opt/x:{folder}"
    monkeypatch.delenv("PYTHONPATH")
    assert "PYTHONPATH" not in python.environment()


def test_nothing_is_left_to_bury(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    spawned = []
    spawn = os.posix_spawn
    monkeypatch.setattr(
        os, "posix_spawn", lambda *a, **more: spawned.append(spawn(*a, **more)) or spawned[-1]
    )
    send.start_sender(str(project.folder), False, None)
    with pytest.raises(ChildProcessError):
        os.waitpid(spawned[0], os.WNOHANG)


def test_who_lets_the_system_bury_children_is_no_trouble(project: Project) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        send.start_sender(str(project.folder), False, None)
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_shell_that_fails_is_an_error(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "_DETACH", "exit 9")
    with pytest.raises(OSError, match="the shell ended with 9"):
        send.start_sender(str(project.folder), False, None)


def test_time_runs_out_for_what_never_ends() -> None:
    held = Event()
    assert not send.ended_within(0.05, lambda: held.wait(PATIENCE) and None)
    held.set()
    assert send.ended_within(60, lambda: None)
    with pytest.raises(ZeroDivisionError):
        send.ended_within(60, lambda: 1 // 0 and None)


def test_sending_ends_whatever_a_collector_does(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collector(traces="hold") as hole:
        monkeypatch.setenv("EXITGATE_OTEL", "1")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", hole.address)
        monkeypatch.setattr(send, "start_sender", lambda *words: None)
        project.decide()
        thread = Thread(target=send.send, args=(1.0,))
        thread.start()
        hole.wait(1)
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert not hole.release.is_set()
        where = f"{hole.address}/v1/traces"
        assert project.incident() == f"traces not sent to {where}: no answer within 1 s; {AGAIN}"
        assert [name.split(".")[2:4] for name in project.waiting()] == [["tlm", "1"]]
        hole.release.set()  # in a process of its own it would be gone; here it goes on, and ends
        hole.wait(3)
