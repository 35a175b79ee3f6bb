"""Records as spans and events, made by the SDK in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from telemetry_project import SECRET

from exitgate.core.model.json_object import JsonObject, objects_of
from exitgate.core.system.quick_json import loads
from exitgate.surfaces.telemetry.instrumentation import failure_of, record_of
from exitgate.surfaces.telemetry.otel import emit, metrics
from exitgate.surfaces.telemetry.otel.export import Made, resource
from exitgate.surfaces.telemetry.probes import MOST, OTHER

if TYPE_CHECKING:
    from telemetry_project import Project

    from exitgate.surfaces.telemetry.instrumentation import Record

TRACE, AGENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def a_record(project: Project, messages: bool = False, **environment: str) -> Record:
    return record_of(project.decide(), str(project.state), 10**18, 250 * 10**6, environment, messages)


def test_ids_and_times_are_those_of_the_record(project: Project) -> None:
    record = a_record(project)
    (span,) = Made([record], "one").spans
    again = Made([record], "two").spans[0]
    assert span.context is not None
    assert format(span.context.trace_id, "032x") == record["trace"]
    assert format(span.context.span_id, "016x") == record["span"]
    assert again.context is not None
    assert (again.context.trace_id, again.context.span_id) == (span.context.trace_id, span.context.span_id)
    assert (span.start_time, span.end_time) == (10**18, 10**18 + 250 * 10**6)
    assert span.status.is_unset


@pytest.mark.parametrize(
    "parent",
    [
        "",
        "00-junk",
        f"00-{'0' * 32}-{AGENT}-01",
        f"ff-{TRACE}-{AGENT}-01",
        "x" * 100_000,
        "\udcff\n00-",
        "00-" * 9,
    ],
)
def test_a_context_that_is_none_begins_a_trace(project: Project, parent: str) -> None:
    record = a_record(project, TRACEPARENT=parent, TRACESTATE="a=b," * 1000)
    made = Made([record], "one")
    (span,) = made.spans
    assert span.parent is None
    assert span.context is not None
    assert {one.log_record.span_id for one in made.events} == {span.context.span_id}
    assert len(str(record["traceparent"])) <= 512


def test_an_agents_span_is_the_parent_and_its_sampling_counts(project: Project) -> None:
    sampled = a_record(project, TRACEPARENT=f"00-{TRACE}-{AGENT}-01", TRACESTATE="vendor=1")
    (span,) = Made([sampled], "one").spans
    assert span.parent is not None
    assert (format(span.parent.trace_id, "032x"), format(span.parent.span_id, "016x")) == (TRACE, AGENT)
    assert span.parent.trace_state.get("vendor") == "1"
    unsampled = a_record(project, TRACEPARENT=f"00-{TRACE}-{AGENT}-00")
    made = Made([unsampled], "one")
    assert made.spans == []
    assert made.events  # they are logs, which nobody samples


def test_messages_leave_only_when_asked_for(project: Project) -> None:
    project.plan(2, 2)
    for messages in (False, True):
        record = a_record(project, messages=messages)
        assert SECRET not in repr(record)
        said = [dict(e.log_record.attributes or {}).get(emit.EXPLANATION) for e in Made([record], "").events]
        assert [one for one in said if one] == (["2 of 2 done"] if messages else [])


def test_a_check_without_a_decision_is_an_error_without_words(project: Project) -> None:
    from exitgate.core.model.diagnostic import ExitgateError

    (project.folder / "told.yaml").write_text(f"policy: {SECRET}\nrules: 7\n")
    with pytest.raises(ExitgateError) as caught:
        project.decide()
    record = failure_of(caught.value, str(project.state), 10**18, 5, {})
    assert SECRET not in repr(record)
    made = Made([record], "one")
    (span,) = made.spans
    assert not span.status.is_ok
    assert dict(span.attributes or {})[emit.ERROR_TYPE] == caught.value.diagnostics[0].code
    assert made.events == []


ANSWERS = {
    "tests": JsonObject(
        status="answered", passed=False, exit_status=2, total=9, failed=2, skipped=1, seconds=4.25,
        at=10**9 + 0.125, reason=SECRET, failing=[f"test_{SECRET}"], evidence=[["output", 1, SECRET]],
        notes=[SECRET], values={"/a": SECRET}, why={"rule": SECRET, "facts": []},
    ),
    "lint": JsonObject(status="late", reason=f"it {SECRET}", seconds=60.0, at=10**9 + 5, cost=0.01),
    "build": JsonObject(status="answered", passed=True, seconds=3.0, at=7, reused=12),
    "deploy": JsonObject(status="refused", reason=SECRET, seconds=0.0, at=0.0),
}  # fmt: skip


def asked_record(project: Project, messages: bool = False, **environment: str) -> Record:
    """Return the record of a decision that rests on `ANSWERS`."""
    checked = project.decide().but(probes=ANSWERS)
    return record_of(checked, str(project.state), 10**18, 70 * 10**9, environment, messages)


def test_a_probe_that_was_asked_is_a_span_below_the_decisions(project: Project) -> None:
    record = asked_record(project)
    above, tests, lint = sorted(Made([record], "one").spans, key=lambda one: one.start_time or 0)
    assert above.context is not None
    assert [one.name for one in (above, tests, lint)] == [emit.SPAN, emit.PROBE, emit.PROBE]
    for one in (tests, lint):
        assert one.parent is not None
        assert one.context is not None
        assert one.parent.span_id == above.context.span_id
        assert one.context.trace_id == above.context.trace_id
    assert len({one.context.span_id for one in (above, tests, lint) if one.context}) == 3
    begun = 10**18 + 125 * 10**6
    assert (tests.start_time, tests.end_time) == (begun, begun + 4250 * 10**6)
    assert dict(tests.attributes or {}) == {
        "exitgate.probe.name": "tests", "exitgate.probe.status": "answered", "exitgate.probe.passed": False,
        "exitgate.probe.reused": False, "exitgate.probe.exit_status": 2, "exitgate.probe.total": 9,
        "exitgate.probe.failed": 2, "exitgate.probe.skipped": 1,
    }  # fmt: skip
    assert tests.status.is_unset  # tests that fail are an answer
    assert (lint.status.status_code.name, dict(lint.attributes or {})[emit.ERROR_TYPE]) == ("ERROR", "late")
    assert dict(lint.attributes or {})["exitgate.probe.cost"] == 0.01
    events = [(one.name, dict(one.attributes or {})) for one in above.events]
    assert [name for name, _ in events] == [emit.PROBE, emit.PROBE]
    assert events[0][1] == {
        "exitgate.probe.name": "build", "exitgate.probe.status": "answered", "exitgate.probe.passed": True,
        "exitgate.probe.reused": True,
    }  # fmt: skip
    assert (events[1][1]["exitgate.probe.status"], SECRET in repr(record)) == ("refused", False)


def test_spans_of_probes_that_are_sent_again_are_the_same(project: Project) -> None:
    records = [asked_record(project), a_record(project), asked_record(project)]

    def ids() -> list[tuple[int, int]]:
        spans = Made(records, "one").spans
        return [(one.context.trace_id, one.context.span_id) for one in spans if one.context is not None]

    assert len(set(ids())) == 7
    assert ids() == ids()


def test_an_unsampled_agent_has_no_probes_either(project: Project) -> None:
    assert Made([asked_record(project, TRACEPARENT=f"00-{TRACE}-{AGENT}-00")], "one").spans == []


def test_reasons_and_names_of_tests_are_messages(project: Project) -> None:
    record = asked_record(project, messages=True)
    tests = next(
        dict(one.attributes or {})
        for one in Made([record], "one").spans
        if dict(one.attributes or {}).get("exitgate.probe.name") == "tests"
    )
    assert tests["exitgate.probe.reason"] == SECRET
    assert tests[emit.FAILING] == (f"test_{SECRET}",)
    assert not {"evidence", "notes", "values", "why"} & set(objects_of(record["probes"])[0])


def test_answers_that_no_check_wrote_are_bounded(project: Project) -> None:
    huge = JsonObject(
        status="x" * 10_000,
        passed="yes",
        total=10**400,
        seconds=-1,
        cost=float("inf"),
        at=1e300,
        coverage=True,
    )
    checked = project.decide().but(probes={f"{n}" * 9_000: huge for n in range(90)})
    record = record_of(checked, str(project.state), 10**18, 5, {}, True)
    told = objects_of(record["probes"])
    assert (len(told), len(str(record)) < 20_000) == (MOST, True)
    assert {one.text("status") for one in told} == {OTHER}
    assert not {"passed", "total", "seconds", "cost", "coverage", "start"} & set(told[0])
    Made([record], "one")


def test_metrics_of_probes_are_bounded_and_add_up(project: Project) -> None:
    record = asked_record(project)
    totals = metrics.new_totals(1).after([record, record, a_record(project)])
    points = {
        (found["exitgate.probe.name"], found["exitgate.probe.reused"]): count
        for key, count in totals.probes.items()
        for found in (loads(key),)
    }
    assert points == {("tests", False): 2, ("lint", False): 2, ("build", True): 2, ("deploy", False): 2}
    took = {loads(key)["exitgate.probe.name"]: one[:2] for key, one in totals.took.items()}
    assert took == {"tests": [2, 8.5], "lint": [2, 120]}
    many = [
        {**record, "probes": [{"name": f"p{n}", "status": "answered"}]} for n in range(metrics.POINTS + 50)
    ]
    counted = metrics.new_totals(1).after(many).probes
    assert len(counted) == metrics.POINTS + 1
    assert counted['{"otel.metric.overflow":true}'] == 50


def test_who_sends_is_what_the_environment_says_first(
    monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    own = resource("abc").attributes
    assert (own["service.name"], own["service.instance.id"]) == ("exitgate", "abc")
    assert own["telemetry.sdk.language"] == "python"
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=mine,team=a")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "nightly")
    told = resource("abc").attributes
    assert (told["service.name"], told["service.instance.id"], told["team"]) == ("nightly", "mine", "a")


def test_names_are_of_the_conventions_or_our_own() -> None:
    ours = [
        *emit.ATTRIBUTES.values(),
        *emit.PROBE_ATTRIBUTES.values(),
        emit.SPAN,
        emit.PROBE,
        emit.PROBES,
        emit.PROBE_DURATION,
        emit.FAILING,
        emit.DECISIONS,
        emit.DURATION,
        emit.DECISION,
    ]
    ours += [one[0] for one in emit.GAUGES.values()]
    assert {one for one in ours if not one.startswith("exitgate.")} == {
        emit.CONVERSATION,
        emit.ERROR_TYPE,
    }
    evaluation = (
        emit.EVALUATION_NAME,
        emit.SCORE_VALUE,
        emit.SCORE_LABEL,
        emit.EXPLANATION,
    )
    assert emit.EVALUATION == "gen_ai.evaluation.result"
    assert [one.removeprefix("gen_ai.evaluation.") for one in evaluation] == [
        "name", "score.value", "score.label", "explanation",
    ]  # fmt: skip
