"""The one finding of `doctor`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from exitgate.report.doctor import ABSENT, FOUND, WARNING
from exitgate.surfaces.telemetry import status
from exitgate.surfaces.telemetry.status import finding

if TYPE_CHECKING:
    from telemetry_project import Project

ON = {"EXITGATE_OTEL": "1"}


def seen(**more: str) -> tuple[str, str, str]:
    one = finding({**os.environ, **more})
    return one.state, one.text, one.help


def test_off(project: Project) -> None:
    assert seen()[:2] == (ABSENT, "off: nothing leaves this machine")


def test_on_and_where_to(project: Project) -> None:
    base = {
        **ON,
        "OTEL_EXPORTER_OTLP_ENDPOINT": "https://key:secret@c.example/",
        "OTEL_METRICS_EXPORTER": "none",
    }
    state, text, _ = seen(**base, EXITGATE_OTEL_MESSAGES="1", EXITGATE_PROMETHEUS=f"{project.folder}/x.prom")
    assert state == FOUND
    assert text == (
        "traces to https://c.example/v1/traces; logs to https://c.example/v1/logs; with messages of rules; "
        f"for Prometheus in {project.folder}/x.prom"
    )


def test_what_keeps_it_from_getting_there(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    state, text, _ = seen(EXITGATE_OTEL="please")
    assert (state, text) == (WARNING, "off; EXITGATE_OTEL is `please`; it is switched on by `1`")
    state, text, _ = seen(EXITGATE_PROMETHEUS=f"{project.folder}/none/x.prom")
    assert state == WARNING
    assert f"no file can be written in {project.folder}/none" in text
    project.spool.mkdir(parents=True)
    project.spool.chmod(0o777)
    state, text, _ = seen(**ON)
    assert state == WARNING
    assert "records cannot be written: other users can write to" in text
    monkeypatch.setattr(status, "is_installed", lambda: False)
    state, text, help = seen(**ON)
    assert (state, help) == (WARNING, "pip install 'exitgate[otel]'")
    assert "the OpenTelemetry SDK is not installed" in text
