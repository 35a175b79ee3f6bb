"""A real `exitgate check` and a real collector: what arrives there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patience import wait_for
from telemetry_collector import attributes
from telemetry_project import SECRET

from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

if TYPE_CHECKING:
    from telemetry_collector import Collector
    from telemetry_project import Project

TRACE, AGENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def asked(collector: Collector, **more: str) -> dict[str, str]:
    return {"EXITGATE_OTEL": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address, **more}


def test_span_events_and_metrics_of_a_decision_arrive(project: Project, collector: Collector) -> None:
    told = asked(
        collector,
        TRACEPARENT=f"00-{TRACE}-{AGENT}-01",
        OTEL_RESOURCE_ATTRIBUTES="deployment.environment=night,service.name=loops",
        OTEL_EXPORTER_OTLP_HEADERS="x-key=opensesame",
        EXITGATE_RUN="session-7",
    )
    ran = project.check("--cost", "0.25", "--tokens", "1200", **told)
    assert (ran.code, ran.err) == (0, "")
    collector.wait(3)
    (span,) = collector.spans()
    assert (span.name, span.trace_id.hex(), span.parent_span_id.hex()) == ("exitgate.decide", TRACE, AGENT)
    found = attributes(span)
    digest, ledger = found.pop("exitgate.policy.digest"), found.pop("exitgate.ledger.id")
    assert len(str(digest)) == 32
    assert len(str(ledger)) == 12
    assert found.pop("exitgate.run.elapsed", 0) == 0
    assert found == {
        "exitgate.policy.name": "told", "exitgate.policy.version": "2.1.0", "exitgate.ledger.sequence": 2,
        "exitgate.run.id": "session-7#1", "exitgate.run.iteration": 1, "exitgate.run.cost": 0.25,
        "exitgate.run.tokens": 1200, "exitgate.decision.stage": "after_iteration",
        "exitgate.decision.verdict": "CONTINUE", "exitgate.decision.outcome": "otherwise",
        "exitgate.decision.firm": True, "exitgate.decision.blind": False, "exitgate.decision.warnings": 0,
        "gen_ai.conversation.id": "session-7",
    }  # fmt: skip
    assert 0 < span.end_time_unix_nano - span.start_time_unix_nano < 60e9
    (resource,) = collector.resources()
    assert resource["service.name"] == "loops"
    assert resource["deployment.environment"] == "night"
    events(collector)
    metrics(collector)
    assert {one["x-key"] for one in collector.headers} == {"opensesame"}
    # Nothing that the agent or its task list says goes along; nor does a secret of the variables stay.
    assert not [body for _, body in collector.bodies if SECRET.encode() in body]
    wait_for(lambda: not project.waiting(), "the end of the spool")
    assert not [one for one in project.spool.iterdir() if b"opensesame" in one.read_bytes()]
    assert project.incidents() == []


def events(collector: Collector) -> None:
    """They belong to the span of what was evaluated."""
    found = collector.events()
    assert {(one.event_name, one.trace_id.hex(), one.span_id.hex()) for one in found} == {
        ("gen_ai.evaluation.result", TRACE, AGENT)
    }
    own = {str(attributes(one)["gen_ai.evaluation.name"]): attributes(one) for one in found}
    assert own["exitgate.decision"]["gen_ai.evaluation.score.label"] == "CONTINUE"
    assert "gen_ai.evaluation.explanation" not in own["exitgate.decision"]
    assert own["score"]["gen_ai.evaluation.score.value"] == 30.0
    assert own["tasks.percent"]["gen_ai.evaluation.score.value"] == 50.0
    assert {one["exitgate.run.id"] for one in own.values()} == {"session-7#1"}


def metrics(collector: Collector) -> None:
    (found,) = collector.metrics()
    (point,) = found["exitgate.decisions"].sum.data_points
    assert found["exitgate.decisions"].sum.is_monotonic
    assert point.as_int == 1
    assert attributes(point) == {
        "exitgate.policy.name": "told",
        "exitgate.decision.verdict": "CONTINUE",
        "exitgate.decision.outcome": "otherwise",
    }
    (spread,) = found["exitgate.decision.duration"].histogram.data_points
    assert (found["exitgate.decision.duration"].unit, spread.count, sum(spread.bucket_counts)) == ("s", 1, 1)
    assert 0 < spread.sum < 60
    for name, value in (("iteration", 1), ("cost", 0.25), ("tokens", 1200)):
        (gauge,) = found[f"exitgate.run.{name}"].gauge.data_points
        assert value in (gauge.as_int, gauge.as_double)
        assert attributes(gauge)["exitgate.run.id"] == "session-7#1"


def test_decisions_add_up_over_processes_and_arrive_once(project: Project, collector: Collector) -> None:
    project.check(**asked(collector))
    collector.wait(3)
    wait_for(lambda: not project.waiting(), "the end of the spool")
    project.plan(2, 2)
    ran = project.check(**asked(collector, EXITGATE_OTEL_MESSAGES="1"))
    assert ran.code == 10
    collector.wait(6)
    first, second = collector.spans()
    assert first.trace_id != second.trace_id
    own = attributes(second)
    assert (own["exitgate.decision.class"], own["exitgate.decision.rule"]) == ("complete", "all_done")
    label, said = (f"gen_ai.evaluation.{name}" for name in ("score.label", "explanation"))
    told = [one for one in map(attributes, collector.events()) if one.get(label) == "EXIT complete"]
    assert [one[said] for one in told] == ["2 of 2 done"]
    one, both = collector.metrics()
    points = {
        attributes(p)["exitgate.decision.verdict"]: p for p in both["exitgate.decisions"].sum.data_points
    }
    assert {name: point.as_int for name, point in points.items()} == {"CONTINUE": 1, "EXIT": 1}
    starts = {p.start_time_unix_nano for p in points.values()}
    assert starts == {p.start_time_unix_nano for p in one["exitgate.decisions"].sum.data_points}
    assert len({str(one["service.instance.id"]) for one in collector.resources()}) == 1


def test_a_probe_arrives_as_a_span_of_its_own(project: Project, collector: Collector) -> None:
    policy = (project.folder / "told.yaml").read_text()
    policy = policy.replace("facts:\n", "facts:\n  build: {extract: probe, name: build}\n")
    policy = policy.replace("rules:\n", "rules:\n  - {id: built, when: build.passed, exit: complete}\n")
    (project.folder / "told.yaml").write_text(policy)
    (project.folder / ".bb3").mkdir()
    (project.folder / ".bb3" / "config.yaml").write_text(
        "exit_decision:\n  policy: ../told.yaml\n"
        f"  probes: {{build: {{command: [sh, -c, 'echo {SECRET}; exit 1']}}}}\n"
    )
    digest = trust.digest_of(trust.covered(policy_of(Request())))
    ran = project.check(**asked(collector, EXITGATE_TRUST=digest))
    assert (ran.code, ran.err) == (0, "")
    collector.wait(3)
    below, above = sorted(collector.spans(), key=lambda one: one.name, reverse=True)
    assert (above.name, below.name, below.trace_id) == ("exitgate.decide", "exitgate.probe", above.trace_id)
    assert below.parent_span_id == above.span_id
    assert attributes(below) == {
        "exitgate.probe.name": "build", "exitgate.probe.status": "answered", "exitgate.probe.passed": False,
        "exitgate.probe.reused": False, "exitgate.probe.exit_status": 1,
    }  # fmt: skip
    assert above.start_time_unix_nano <= below.start_time_unix_nano < below.end_time_unix_nano
    assert below.end_time_unix_nano <= above.end_time_unix_nano
    (found,) = collector.metrics()
    (point,) = found["exitgate.probes"].sum.data_points
    assert (point.as_int, attributes(point)["exitgate.probe.passed"]) == (1, False)
    (spread,) = found["exitgate.probe.duration"].histogram.data_points
    assert (spread.count, attributes(spread)["exitgate.probe.name"]) == (1, "build")
    assert not [body for _, body in collector.bodies if SECRET.encode() in body]
