"""One record as a span and the events below it, by OpenTelemetry's API alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from opentelemetry import metrics, trace
from opentelemetry._logs import Logger, LogRecord, SeverityNumber, get_logger
from opentelemetry.context import Context, get_current
from opentelemetry.trace import (
    Span,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from exitgate import __version__
from exitgate.core.model.json_object import JsonObject, objects_of
from exitgate.core.probes.answer import ANSWERED
from exitgate.surfaces.telemetry.probes import BOUNDS

Record = Mapping[str, object]
Plain = str | int | float | bool


def parent_of(record: Record) -> Context:
    """Return the context of the span that the environment named; an empty one where it is not one."""
    carrier = {key: str(record.get(key) or "") for key in ("traceparent", "tracestate")}

    return TraceContextTextMapPropagator().extract(carrier, context=Context())


def emit(record: Record, tracer: Tracer, logger: Logger | None, parent: Context) -> None:
    """
    Make the span of a decision, one below it for each probe that was asked, and an event for each evaluation.

    As the convention asks, events belong to the span of what was evaluated, the one above; if there is
    none, to that of the decision.

    Args:
        record: See `exitgate.surfaces.telemetry.instrumentation`.
        tracer: Makes the span.
        logger: Takes the events, or None where none are wanted.
        parent: Context of the span above.
    """
    start, end = times(record)
    span = tracer.start_span(
        SPAN,
        context=parent,
        kind=SpanKind.INTERNAL,
        start_time=start,
        attributes=attributes(record, ATTRIBUTES),
    )
    _emit_probes(record, tracer, span, parent)
    if record.get("error"):
        span.set_status(Status(StatusCode.ERROR))
    elif logger is not None:
        is_known = get_current_span(parent).get_span_context().is_valid
        evaluated = parent if is_known else set_span_in_context(span, parent)
        for evaluation in _evaluations(record):
            event = {**evaluation, **attributes(record, OF_EVENTS)}
            logger.emit(
                LogRecord(
                    timestamp=end,
                    observed_timestamp=end,
                    context=evaluated,
                    severity_number=SeverityNumber.INFO,
                    event_name=EVALUATION,
                    attributes=event,
                )
            )
    span.end(end_time=end)


def probes_of(record: Record) -> list[JsonObject]:
    """Return the records of a decision's probes, see `exitgate.surfaces.telemetry.probes`."""
    return objects_of(record.get("probes"))


def _emit_probes(record: Record, tracer: Tracer, above: Span, parent: Context) -> None:
    """Make a span for each probe that was asked, and an event of the decision's span for any other answer."""
    first, last = times(record)
    below = set_span_in_context(above, parent)
    for probe in probes_of(record):
        has = attributes(probe, PROBE_ATTRIBUTES, PROBE_ATTRIBUTES)
        failing = probe.texts("failing")
        more: dict[str, Sequence[str]] = {FAILING: failing} if failing else {}
        start = probe.whole("start")
        if start is None:
            above.add_event(PROBE, {**has, **more}, last)
            continue
        start = max(first, start)
        span = tracer.start_span(
            PROBE, context=below, kind=SpanKind.INTERNAL, start_time=start, attributes={**has, **more}
        )
        if probe.get("status") != ANSWERED:
            span.set_attribute(ERROR_TYPE, str(probe.get("status")))
            span.set_status(Status(StatusCode.ERROR))
        span.end(end_time=start + int(probe.number("seconds", 0.0) * 1e9))


def times(record: Record) -> tuple[int, int]:
    """Return start and end of the decision, nanoseconds since the epoch."""
    start, duration = record.get("start"), record.get("duration")
    assert isinstance(start, int)
    assert isinstance(duration, int)
    return start, start + duration


def attributes(
    record: Record, keys: Iterable[str], names: Mapping[str, str] | None = None
) -> dict[str, Plain]:
    """Return what is known of a record under the names of attributes, `ATTRIBUTES` by default."""
    named = ATTRIBUTES if names is None else names
    found = ((named[key], record.get(key)) for key in keys)
    return {name: value for name, value in found if isinstance(value, str | int | float | bool)}


def _evaluations(record: Record) -> Iterable[dict[str, Plain]]:
    """Yield the attributes of each evaluation: the decision's own, then those of scores."""
    verdict, kind = record.get("verdict"), record.get("class")
    own: dict[str, Plain] = {
        EVALUATION_NAME: DECISION,
        SCORE_LABEL: f"{verdict} {kind}" if kind else str(verdict),
    }
    message = record.get("message")
    yield {**own, EXPLANATION: message} if isinstance(message, str) else own
    scores = record.get("scores")
    for name, value in scores.items() if isinstance(scores, dict) else ():
        yield {EVALUATION_NAME: str(name), SCORE_VALUE: float(value)}


# Decisions in a process with its own OpenTelemetry: they join the application's trace, logs and metrics.


def emit_in_host(record: Mapping[str, object]) -> bool:
    """
    Tell of a decision by the providers that the application configured; return False where it has none.

    The span that is current is its parent, else the one that the environment names. How and when
    anything is sent is the application's.
    """
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        return False
    current = trace.get_current_span().get_span_context().is_valid
    parent = get_current() if current else parent_of(record)
    emit(
        record,
        provider.get_tracer(SCOPE, __version__),
        get_logger(SCOPE, __version__),
        parent,
    )
    if not record.get("error"):
        _measure(record)
    return True


def _measure(record: Mapping[str, object]) -> None:
    meter = metrics.get_meter(SCOPE, __version__)
    counter = meter.create_counter(DECISIONS, "{decision}", DECISIONS_DOC)
    counter.add(1, attributes(record, OF_DECISIONS))
    duration = record.get("duration")
    assert isinstance(duration, int)
    histogram = meter.create_histogram(
        DURATION,
        "s",
        DURATION_DOC,
        explicit_bucket_boundaries_advisory=DURATION_BOUNDS,
    )
    histogram.record(duration / 1e9, attributes(record, OF_DURATION))
    asked = meter.create_counter(PROBES, "{answer}", PROBES_DOC)
    took = meter.create_histogram(
        PROBE_DURATION, "s", PROBE_DURATION_DOC, explicit_bucket_boundaries_advisory=BOUNDS
    )
    for probe in probes_of(record):
        asked.add(1, attributes(probe, OF_PROBES, PROBE_ATTRIBUTES))
        if "start" in probe:
            took.record(probe.number("seconds", 0.0), attributes(probe, OF_PROBE_DURATION, PROBE_ATTRIBUTES))
    for key, (name, unit, doc) in GAUGES.items():
        value = record.get(key)
        if isinstance(value, int | float):
            meter.create_gauge(name, unit, doc).set(value, attributes(record, OF_GAUGES))


# Every name that leaves the program: of the span, its attributes, the events and the metrics.
#
# `gen_ai.*` are names of OpenTelemetry's conventions for generative AI (repository open-telemetry/semantic-
# conventions-genai, `model/gen-ai/events.yaml`), which are in development: when they change, this file
# does. All others begin with `exitgate.`.

SCOPE = "exitgate"
SERVICE = "exitgate"

SPAN = "exitgate.decide"
#: The span of a probe, and the event of a decision's span for an answer that was taken again or refused.
PROBE = "exitgate.probe"

#: The event, and its attributes.
EVALUATION = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
SCORE_VALUE = "gen_ai.evaluation.score.value"
SCORE_LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
#: The evaluation that is the decision itself; every other one has the name of its fact.
DECISION = "exitgate.decision"

CONVERSATION = "gen_ai.conversation.id"
ERROR_TYPE = "error.type"

#: Key of a record (`exitgate.surfaces.telemetry.instrumentation`) -> attribute of the span.
ATTRIBUTES = {
    "policy": "exitgate.policy.name",
    "version": "exitgate.policy.version",
    "digest": "exitgate.policy.digest",
    "ledger": "exitgate.ledger.id",
    "sequence": "exitgate.ledger.sequence",
    "run": "exitgate.run.id",
    "iteration": "exitgate.run.iteration",
    "cost": "exitgate.run.cost",
    "tokens": "exitgate.run.tokens",
    "elapsed": "exitgate.run.elapsed",
    "stage": "exitgate.decision.stage",
    "verdict": "exitgate.decision.verdict",
    "class": "exitgate.decision.class",
    "outcome": "exitgate.decision.outcome",
    "rule": "exitgate.decision.rule",
    "firm": "exitgate.decision.firm",
    "blind": "exitgate.decision.blind",
    "warnings": "exitgate.decision.warnings",
    "breaker": "exitgate.circuit.state",
    "conversation": CONVERSATION,
    "error": ERROR_TYPE,
}
#: Key of a probe's record (`exitgate.surfaces.telemetry.probes`) -> attribute of its span or event.
PROBE_ATTRIBUTES = {
    "name": "exitgate.probe.name",
    "status": "exitgate.probe.status",
    "passed": "exitgate.probe.passed",
    "reused": "exitgate.probe.reused",
    "judged": "exitgate.probe.judged",
    "exit_status": "exitgate.probe.exit_status",
    "total": "exitgate.probe.total",
    "failed": "exitgate.probe.failed",
    "skipped": "exitgate.probe.skipped",
    "coverage": "exitgate.probe.coverage",
    "cost": "exitgate.probe.cost",
    "reason": "exitgate.probe.reason",
}
FAILING = "exitgate.probe.failing"
#: Keys whose attributes an event carries beside those of the evaluation.
OF_EVENTS = ("policy", "run", "iteration", "verdict", "class", "outcome", "conversation")

DECISIONS = "exitgate.decisions"
DECISIONS_DOC = "Decisions made."
DURATION = "exitgate.decision.duration"
DURATION_DOC = "Time that a decision took."
#: Keys that a point of these two has as attributes.
OF_DECISIONS = ("policy", "verdict", "class", "outcome")
OF_DURATION = ("policy", "verdict")
#: Bounds of the histogram of durations, seconds: a warm check takes some 0.03, a cold one some 0.3.
DURATION_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

PROBES = "exitgate.probes"
PROBES_DOC = "Answers of probes that decisions rest on."
PROBE_DURATION = "exitgate.probe.duration"
PROBE_DURATION_DOC = "Time that a probe took."
OF_PROBES = ("name", "status", "passed", "reused")
OF_PROBE_DURATION = ("name", "status")

#: Key of a record -> gauge, its unit, and what it is.
GAUGES = {
    "iteration": ("exitgate.run.iteration", "{iteration}", "Iterations of the run so far."),
    "cost": ("exitgate.run.cost", "{USD}", "Cost of the run so far."),
    "tokens": ("exitgate.run.tokens", "{token}", "Tokens that the run has used so far."),
    "elapsed": ("exitgate.run.elapsed", "s", "Time since the run began."),
}
OF_GAUGES = ("policy", "run", "ledger")
