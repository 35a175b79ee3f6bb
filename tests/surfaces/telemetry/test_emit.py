"""Records as spans and events, made by the SDK in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from telemetry_project import SECRET

from exitgate.surfaces.telemetry.instrumentation import failure_of, record_of
from exitgate.surfaces.telemetry.otel import emit
from exitgate.surfaces.telemetry.otel.export import Made, resource

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
        emit.SPAN,
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
