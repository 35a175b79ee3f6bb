"""An application with its own OpenTelemetry: decisions join its trace. It is a process of its own here."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from telemetry_project import Project

APPLICATION = """
import json, os, sys, time
from opentelemetry import _logs, metrics, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from exitgate.core.state.request import Request
from exitgate.surfaces.decide import decide
from exitgate.surfaces.telemetry import send
from exitgate.surfaces.telemetry.otel.emit import emit_in_host

started = []
send.start_sender = lambda *words: started.append(words)
spans, logs, reader = InMemorySpanExporter(), InMemoryLogRecordExporter(), InMemoryMetricReader()

# The API alone is loaded: nobody has configured anything, so that the decision goes the way of a command.
decide(Request(policy="./told.yaml", run="early"))
early = len(started)

tracers = TracerProvider()
tracers.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(tracers)
loggers = LoggerProvider()
loggers.add_log_record_processor(SimpleLogRecordProcessor(logs))
_logs.set_logger_provider(loggers)
metrics.set_meter_provider(MeterProvider([reader]))
tracer = trace.get_tracer("application")
count = 60
with tracer.start_as_current_span("agent") as agent:
    for number in range(count):
        decide(Request(policy="./told.yaml", run="inside"))
decide(Request(policy="./told.yaml", run="outside"))

found = spans.get_finished_spans()
own = [one for one in found if one.name == "exitgate.decide"]
below = [one for one in own if one.parent and one.parent.span_id == agent.get_span_context().span_id]
events = [one.log_record for one in logs.get_finished_logs()]
of_agent = [one for one in events if one.span_id == agent.get_span_context().span_id]
def measure():
    return {
        metric.name: [one.value if hasattr(one, "value") else one.count for one in metric.data.data_points]
        for one in reader.get_metrics_data().resource_metrics
        for scope in one.scope_metrics for metric in scope.metrics
    }

measured = measure()
spans.clear()
asked = {"name": "tests", "status": "late", "reused": False, "start": 10**18, "seconds": 2.0, "id": "ab"}
reused = {"name": "lint", "status": "answered", "passed": True, "reused": True}
record = {"start": 10**18, "duration": 3 * 10**9, "policy": "told", "verdict": "CONTINUE"}
emit_in_host({**record, "probes": [asked, reused]})
inner, outer = spans.get_finished_spans()
probes = {
    "names": [inner.name, outer.name], "is_below": inner.parent.span_id == outer.context.span_id,
    "took": inner.end_time - inner.start_time, "events": [one.name for one in outer.events],
    "counted": measure()["exitgate.probes"], "measured": measure()["exitgate.probe.duration"],
}

def refuse(*words, **more):
    raise RuntimeError("the application's tracer is broken")

tracers.get_tracer = refuse
broken = decide(Request(policy="./told.yaml", run="broken")).decision.verdict
print(json.dumps({
    "early": early, "started": len(started), "own": len(own), "below": len(below), "events": len(events),
    "of_agent": len(of_agent),
    "of_caller": sorted({format(one.span_id, "x") for one in events if one not in of_agent}),
    "outside": [format(one.parent.span_id, "x") for one in own if one not in below],
    "decisions": sum(measured["exitgate.decisions"]),
    "durations": sum(measured["exitgate.decision.duration"]),
    "iterations": measured["exitgate.run.iteration"], "broken": broken, "probes": probes,
}))
"""


def test_decisions_join_the_trace_of_the_application(project: Project) -> None:
    from patience import PATIENCE

    environment = {
        **project.environment(),
        "PATH": "/usr/bin:/bin",
        "EXITGATE_OTEL": "1",
        "TRACEPARENT": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    }
    ran = subprocess.run(
        [sys.executable, "-c", APPLICATION],
        cwd=project.folder, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "early": 1, "started": 1, "own": 61, "below": 60, "events": 61 * 3, "of_agent": 60 * 3,
        "of_caller": ["f067aa0ba902b7"],
        "outside": ["f067aa0ba902b7"], "decisions": 61, "durations": 61, "iterations": [60, 1],
        "broken": "CONTINUE",
        "probes": {
            "names": ["exitgate.probe", "exitgate.decide"], "is_below": True, "took": 2 * 10**9,
            "events": ["exitgate.probe"], "counted": [1, 1], "measured": [1],
        },
    }  # fmt: skip
    assert len(project.waiting()) == 1
    assert project.incident() == "a decision was not sent: the application's tracer is broken"
