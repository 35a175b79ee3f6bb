"""One record as a span and the events below it, by OpenTelemetry's API alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from exitgate.surfaces.telemetry import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from opentelemetry._logs import Logger
    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer

    Record = Mapping[str, object]
    Plain = str | int | float | bool


def parent_of(record: Record) -> Context:
    """Return the context of the span that the environment named; an empty one where it is not one."""
    carrier = {key: str(record.get(key) or "") for key in ("traceparent", "tracestate")}
    from opentelemetry.context import Context

    return TraceContextTextMapPropagator().extract(carrier, context=Context())


def emit(record: Record, tracer: Tracer, logger: Logger | None, parent: Context) -> None:
    """
    Make the span of a decision, and an event for each evaluation that was part of it.

    As the convention asks, events belong to the span of what was evaluated, the one above; if there is
    none, to that of the decision.

    Args:
        record: See `exitgate.surfaces.telemetry.record`.
        tracer: Makes the span.
        logger: Takes the events, or None where none are wanted.
        parent: Context of the span above.
    """
    start, end = times(record)
    span = tracer.start_span(
        names.SPAN,
        context=parent,
        kind=SpanKind.INTERNAL,
        start_time=start,
        attributes=attributes(record, names.ATTRIBUTES),
    )
    if record.get("error"):
        span.set_status(Status(StatusCode.ERROR))
    elif logger is not None:
        is_known = get_current_span(parent).get_span_context().is_valid
        evaluated = parent if is_known else set_span_in_context(span, parent)
        for evaluation in _evaluations(record):
            event = {**evaluation, **attributes(record, names.OF_EVENTS)}
            logger.emit(
                LogRecord(
                    timestamp=end,
                    observed_timestamp=end,
                    context=evaluated,
                    severity_number=SeverityNumber.INFO,
                    event_name=names.EVALUATION,
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
    found = ((names.ATTRIBUTES[key], record.get(key)) for key in keys)
    return {name: value for name, value in found if isinstance(value, str | int | float | bool)}


def _evaluations(record: Record) -> Iterable[dict[str, Plain]]:
    """Yield the attributes of each evaluation: the decision's own, then those of scores."""
    verdict, kind = record.get("verdict"), record.get("class")
    own: dict[str, Plain] = {
        names.EVALUATION_NAME: names.DECISION,
        names.SCORE_LABEL: f"{verdict} {kind}" if kind else str(verdict),
    }
    message = record.get("message")
    yield {**own, names.EXPLANATION: message} if isinstance(message, str) else own
    scores = record.get("scores")
    for name, value in scores.items() if isinstance(scores, dict) else ():
        yield {names.EVALUATION_NAME: str(name), names.SCORE_VALUE: float(value)}
