"""Which checks are told, and what becomes of a decision when telling fails."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from patience import PATIENCE
from telemetry_project import SECRET

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system.folders import Refused
from exitgate.core.system.quick_json import loads
from exitgate.surfaces.telemetry import instrumentation, send, spool
from exitgate.surfaces.telemetry.spool import reason_lost
from exitgate.surfaces.telemetry.switches import INSTALL

if TYPE_CHECKING:
    from telemetry_project import Project

    Started = list[tuple[str, bool, str | None]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """What processes would have been started; none is."""
    asked: Started = []
    monkeypatch.setattr(send, "start_sender", lambda *words: asked.append(words))
    monkeypatch.setattr(instrumentation, "_emitted_by_application", lambda record: False)
    return asked


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch, started: Started) -> Started:
    monkeypatch.setenv("EXITGATE_OTEL", "1")
    return started


def records(project: Project) -> list[dict[str, object]]:
    return [loads((project.spool / name).read_bytes()) for name in project.waiting()]


@pytest.mark.parametrize("value", ["", "0"])
def test_off_is_off(project: Project, started: Started, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("EXITGATE_OTEL", value)
    monkeypatch.setenv("EXITGATE_PROMETHEUS", "")
    checked = project.decide()
    assert checked.decision.warnings == ()
    assert (started, project.waiting(), project.spool.exists()) == ([], [], False)


def test_no_file_can_switch_it_on(project: Project, started: Started) -> None:
    settings = project.folder / ".bb3"
    settings.mkdir()
    (project.folder / ".env").write_text("EXITGATE_OTEL=1\nEXITGATE_PROMETHEUS=/tmp/x.prom\n")
    (project.folder / "exitgate.env").write_text("EXITGATE_OTEL=1\n")
    for name in ("telemetry", "otel", "prometheus"):
        (settings / "config.yaml").write_text(f"exit_decision:\n  {name}: {{enabled: true}}\n")
        with pytest.raises(ExitgateError):
            project.decide()
    (settings / "config.yaml").write_text("otel: {enabled: true}\n")
    project.decide()
    assert (started, project.spool.exists()) == ([], False)


def test_a_decision_is_spooled_and_a_process_started(project: Project, on: Started) -> None:
    checked = project.decide(cost=0.5)
    (record,) = records(project)
    assert (record["verdict"], record["run"], record["cost"]) == ("CONTINUE", "default#1", 0.5)
    assert checked.line is not None
    assert record["sequence"] == checked.line["sequence"]
    assert record["scores"] == {"score": 30, "tasks.percent": 50}
    assert on == [(str(project.state), True, None)]
    assert SECRET not in repr(record)
    assert oct(project.spool.stat().st_mode & 0o777) == "0o700"


def test_looks_and_repetitions_are_not_told(project: Project, on: Started) -> None:
    project.decide(record=False)
    assert project.waiting() == []
    first = project.decide(turn="t1")
    again = project.decide(turn="t1")
    assert again.line == first.line
    assert len(project.waiting()) == 1


def test_a_check_that_fails_is_told_and_fails_as_it_would(project: Project, on: Started) -> None:
    with pytest.raises(ExitgateError) as caught:
        project.decide(response="not-there.md")
    assert caught.value.exit_code == 66
    (record,) = records(project)
    assert record["error"] == caught.value.diagnostics[0].code
    assert "verdict" not in record
    with pytest.raises(ExitgateError):
        project.decide(response="not-there.md", record=False)
    assert len(project.waiting()) == 1


def test_without_the_sdk_the_decision_stands_and_says_what_to_install(
    project: Project, on: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instrumentation, "is_installed", lambda: False)
    for _ in range(3):
        decision = project.decide().decision
        assert decision.verdict == "CONTINUE"
        assert any(one.message.endswith(INSTALL) for one in decision.warnings)
    assert INSTALL == "pip install 'exitgate[otel]'"
    assert project.incident().endswith(INSTALL)
    assert len(project.incidents()) == 1  # not one for each decision
    assert (on, project.waiting()) == ([], [])


def test_what_cannot_be_done_is_said(project: Project, on: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_PROMETHEUS", "metrics.prom")
    decision = project.decide().decision
    fault = "EXITGATE_PROMETHEUS is not an absolute path that ends in `.prom`: `metrics.prom`"
    assert [one.message for one in decision.warnings] == [fault]
    assert project.incident() == fault
    assert not (project.folder / "metrics.prom").exists()


def spoil_by_file(project: Project) -> None:
    project.cache.mkdir(exist_ok=True)
    project.spool.write_text("no folder")


def spoil_by_link(project: Project) -> None:
    project.cache.mkdir(exist_ok=True)
    (project.folder / "elsewhere").mkdir()
    project.spool.symlink_to(project.folder / "elsewhere")


def spoil_by_mode(project: Project) -> None:
    project.spool.mkdir(parents=True)
    project.spool.chmod(0o777)


@pytest.mark.parametrize("spoil", [spoil_by_file, spoil_by_link, spoil_by_mode])
def test_a_spool_that_cannot_be_used_is_an_incident(project: Project, on: Started, spoil: object) -> None:
    project.decide(run="before")  # the cache of policies is made
    for one in project.spool.iterdir():
        one.unlink()
    project.spool.rmdir()
    on.clear()
    spoil(project)  # type: ignore[operator]
    checked = project.decide()
    assert (checked.decision.verdict, checked.decision.warnings) == ("CONTINUE", ())
    assert project.incident().startswith("a decision was not sent: ")
    assert on == []
    assert not (project.folder / "elsewhere").exists() or not any((project.folder / "elsewhere").iterdir())


@pytest.mark.parametrize(
    "why", [Refused("it cannot be written: no space left on device"), OSError(28, "No space")]
)
def test_a_full_disk_is_an_incident(
    project: Project, on: Started, monkeypatch: pytest.MonkeyPatch, why: Exception
) -> None:
    def full(*_: object) -> None:
        raise why

    monkeypatch.setattr(spool, "put", full)
    assert project.decide().decision.verdict == "CONTINUE"
    assert "no space" in project.incident()
    assert on == []


def test_a_process_that_cannot_be_started_is_an_incident(
    project: Project, on: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(send, "start_sender", refuse)
    assert project.decide().decision.verdict == "CONTINUE"
    assert "resource temporarily unavailable" in project.incident()
    assert len(project.waiting()) == 1  # the next check's process sends it


def test_the_spool_is_bounded_and_loses_the_oldest(
    project: Project, on: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "LIMIT", 5)
    for number in range(8):
        project.decide(run=f"r{number}")
    assert sorted(str(one["run"]) for one in records(project)) == [f"r{n}#1" for n in range(3, 8)]
    assert project.incident() == "decisions were dropped: 5 of them waited for a collector"


HOLD = """
import os, sys
from exitgate.surfaces.telemetry import spool
lock = spool.locked(spool.opened(os.environ), spool.destination(os.environ))
print(lock is not None, flush=True)
sys.stdin.read()
"""


def test_while_a_process_sends_no_other_is_started(project: Project, on: Started) -> None:
    other = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == b"True\n"
    project.decide()
    assert (len(project.waiting()), on) == (1, [])
    other.communicate(timeout=PATIENCE)
    project.decide(run="next")
    assert len(on) == 1


def test_reasons_are_parts_of_a_sentence() -> None:
    errors = (OSError(2, "No such file"), ValueError("OTEL_X is x"), KeyError(), ValueError("A"))
    assert [reason_lost(one) for one in errors] == ["no such file", "OTEL_X is x", "KeyError", "a"]
