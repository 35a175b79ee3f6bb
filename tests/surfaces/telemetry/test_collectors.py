"""Collectors that do not do what they should: a check neither waits for them nor decides otherwise."""

from __future__ import annotations

import os
import re
import socket
from typing import TYPE_CHECKING

import pytest
from patience import wait_for
from telemetry_collector import Collector

if TYPE_CHECKING:
    from telemetry_project import Project, Ran


def told(address: str, **more: str) -> dict[str, str]:
    return {"EXITGATE_OTEL": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": address, **more}


def same(project: Project, ran: Ran) -> None:
    """Hold a check against one that nobody heard of."""
    alone = project.check("--no-record")
    assert (ran.code, ran.err) == (alone.code, "")
    assert ran.out.splitlines()[0] == alone.out.splitlines()[0]


def test_a_collector_that_is_not_there_is_an_incident_and_tried_again(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        number = taken.getsockname()[1]
        quick = {"OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
        dead = told(f"http://127.0.0.1:{number}", **quick)
        same(project, project.check(**dead))
        said = project.incident()
        assert said.startswith(f"traces, logs, metrics not sent to http://127.0.0.1:{number}/v1/traces: ")
        wait_for(lambda: [one for one in project.waiting() if ".tlm.1." in one] != [], "the end of a try")
        # The collector comes up under its old address: both decisions arrive, each once.
    with Collector(number) as server:
        project.check(**dead)
        server.wait(3)
        wait_for(lambda: not project.waiting(), "the end of the spool")
        assert len({one.span_id for one in server.spans()}) == len(server.spans()) == 2
    assert len(project.incidents()) == 1


def test_the_last_decision_of_a_run_waits_for_no_other(project: Project) -> None:
    with Collector() as first:
        number = first.port
    project.check(
        **told(f"http://127.0.0.1:{number}", OTEL_EXPORTER_OTLP_TIMEOUT="1", EXITGATE_OTEL_RETRY="60")
    )
    wait_for(lambda: [one for one in project.waiting() if ".tlm.1." in one] != [], "the end of a try")
    with Collector(number) as server:
        server.wait(3)
        wait_for(lambda: not project.waiting(), "the end of the spool")
    assert len(server.spans()) == 1
    assert len(project.incidents()) == 1


def test_one_that_says_nothing_holds_nobody(project: Project) -> None:
    reading, writing = os.pipe()
    with Collector(traces="hold", logs="hold", metrics="hold") as hole:
        # A check that waited for an answer would not end before its collector does.
        patient = told(hole.address, OTEL_EXPORTER_OTLP_TIMEOUT="3600")
        same(project, project.check(keep=(writing,), **patient))
        hole.wait(1)
        # The sender hangs now, and has nothing of the caller's: not even a pipe that the check was given.
        os.close(writing)
        os.set_blocking(reading, False)
        assert os.read(reading, 1) == b""
        os.close(reading)
        same(project, project.check(**patient))
        assert len(project.waiting()) == 2
        assert len(hole.bodies) <= 3  # one process sends, whatever number decides
        hole.release.set()
        wait_for(lambda: not project.waiting(), "the end of the spool")
    assert {one.span_id for one in hole.spans()} != set()


@pytest.mark.parametrize(("answer", "why"), [("garbage", ""), (503, ""), (404, "404")])
def test_one_that_answers_nonsense_is_an_incident(project: Project, answer: int | str, why: str) -> None:
    with Collector(traces=200, logs=answer, metrics=200) as collector:
        only = told(collector.address, OTEL_EXPORTER_OTLP_TIMEOUT="1")
        same(project, project.check(**only))
        said = project.incident()
        assert re.match(r"logs not sent to http://127.0.0.1:\d+/v1/logs: .", said)
        assert why in said
        wait_for(lambda: [one for one in project.waiting() if ".l.1." in one] != [], "what is left")
        assert len(collector.spans()) == len(collector.metrics()) == 1


def test_many_checks_at_once_lose_nothing(project: Project, collector: Collector) -> None:
    from concurrent.futures import ThreadPoolExecutor

    names = [f"run-{number}" for number in range(6)]
    project.compile()
    with ThreadPoolExecutor(3) as pool:
        ran = list(pool.map(lambda name: project.check("--run", name, **told(collector.address)), names))
    assert {one.code for one in ran} == {0}
    wait_for(lambda: len(collector.spans()) >= len(names), "every span")
    wait_for(lambda: not project.waiting(), "the end of the spool")
    runs = [
        a.value.string_value for one in collector.spans() for a in one.attributes if a.key.endswith("run.id")
    ]
    assert sorted(runs) == [f"{name}#1" for name in names]
    counted = [m["exitgate.decisions"].sum.data_points[0].as_int for m in collector.metrics()]
    assert max(counted) == len(names)
