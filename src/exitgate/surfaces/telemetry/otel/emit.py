"""One record as a span and the events below it, by OpenTelemetry's API alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from opentelemetry import metrics, trace
from opentelemetry._logs import Logger, LogRecord, SeverityNumber, get_logger
from opentelemetry.context import Context, get_current
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from exitgate import __version__
from exitgate.surfaces.telemetry.otel import conventions

Record = Mapping[str, object]
Plain = str | int | float | bool


def parent_of(record: Record) -> Context:
    """Return the context of the span that the environment named; an empty one where it is not one."""
    carrier = {key: str(record.get(key) or "") for key in ("traceparent", "tracestate")}

    return TraceContextTextMapPropagator().extract(carrier, context=Context())


def emit(record: Record, tracer: Tracer, logger: Logger | None, parent: Context) -> None:
    """
    Make the span of a decision, and an event for each evaluation that was part of it.

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
        conventions.SPAN,
        context=parent,
        kind=SpanKind.INTERNAL,
        start_time=start,
        attributes=attributes(record, conventions.ATTRIBUTES),
    )
    if record.get("error"):
        span.set_status(Status(StatusCode.ERROR))
    elif logger is not None:
        is_known = get_current_span(parent).get_span_context().is_valid
        evaluated = parent if is_known else set_span_in_context(span, parent)
        for evaluation in _evaluations(record):
            event = {**evaluation, **attributes(record, conventions.OF_EVENTS)}
            logger.emit(
                LogRecord(
                    timestamp=end,
                    observed_timestamp=end,
                    context=evaluated,
                    severity_number=SeverityNumber.INFO,
                    event_name=conventions.EVALUATION,
                    attributes=event,
                )
            )
    span.end(end_time=end)


def times(record: Record) -> tuple[int, int]:
    """Return start and end of the decision, nanoseconds since the epoch."""
    start, duration = record.get("start"), record.get("duration")
    assert isinstance(start, int)
    assert isinstance(duration, int)
    return start, start + duration


def attributes(record: Record, keys: Iterable[str]) -> dict[str, Plain]:
    """Return what is known of a record under the names of attributes."""
    found = ((conventions.ATTRIBUTES[key], record.get(key)) for key in keys)
    return {name: value for name, value in found if isinstance(value, str | int | float | bool)}


def _evaluations(record: Record) -> Iterable[dict[str, Plain]]:
    """Yield the attributes of each evaluation: the decision's own, then those of scores."""
    verdict, kind = record.get("verdict"), record.get("class")
    own: dict[str, Plain] = {
        conventions.EVALUATION_NAME: conventions.DECISION,
        conventions.SCORE_LABEL: f"{verdict} {kind}" if kind else str(verdict),
    }
    message = record.get("message")
    yield {**own, conventions.EXPLANATION: message} if isinstance(message, str) else own
    scores = record.get("scores")
    for name, value in scores.items() if isinstance(scores, dict) else ():
        yield {conventions.EVALUATION_NAME: str(name), conventions.SCORE_VALUE: float(value)}


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
        provider.get_tracer(conventions.SCOPE, __version__),
        get_logger(conventions.SCOPE, __version__),
        parent,
    )
    if not record.get("error"):
        _measure(record)
    return True


def _measure(record: Mapping[str, object]) -> None:
    meter = metrics.get_meter(conventions.SCOPE, __version__)
    counter = meter.create_counter(conventions.DECISIONS, "{decision}", conventions.DECISIONS_DOC)
    counter.add(1, attributes(record, conventions.OF_DECISIONS))
    duration = record.get("duration")
    assert isinstance(duration, int)
    histogram = meter.create_histogram(
        conventions.DURATION,
        "s",
        conventions.DURATION_DOC,
        explicit_bucket_boundaries_advisory=conventions.DURATION_BOUNDS,
    )
    histogram.record(duration / 1e9, attributes(record, conventions.OF_DURATION))
    for key, (name, unit, doc) in conventions.GAUGES.items():
        value = record.get(key)
        if isinstance(value, int | float):
            meter.create_gauge(name, unit, doc).set(value, attributes(record, conventions.OF_GAUGES))
