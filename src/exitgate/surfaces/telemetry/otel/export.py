"""Records sent to a collector over OTLP, as the standard variables of OpenTelemetry say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LogRecordProcessor, ReadableLogRecord, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.environment_variables import OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE
from opentelemetry.sdk.metrics.export import AggregationTemporality, MetricExportResult
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from exitgate import __version__
from exitgate.surfaces.telemetry.otel import emit as emit_module
from exitgate.surfaces.telemetry.otel.emit import emit, parent_of, probes_of, times
from exitgate.surfaces.telemetry.otel.metrics import Totals, metrics_of

Record = Mapping[str, object]


class Made:
    """Spans and events of some records, made by the SDK and not sent yet."""

    def __init__(self, records: Sequence[Record], instance: str) -> None:
        self.records = records
        self.resource = resource(instance)
        spans, events, ids = _Spans(), _Events(), _Ids()
        tracers = TracerProvider(resource=self.resource, id_generator=ids, shutdown_on_exit=False)
        tracers.add_span_processor(spans)
        loggers = LoggerProvider(resource=self.resource, shutdown_on_exit=False)
        loggers.add_log_record_processor(events)
        tracer = tracers.get_tracer(emit_module.SCOPE, __version__)
        logger = loggers.get_logger(emit_module.SCOPE, __version__)
        for record in records:
            ids.take(record)
            emit(record, tracer, logger, parent_of(record))
        self.spans: list[ReadableSpan] = spans.ended
        self.events: list[ReadableLogRecord] = events.emitted


def send_spans(made: Made) -> bool:
    """Send spans; return whether the collector took them."""
    if not made.spans:
        return True
    exporter = OTLPSpanExporter()
    try:
        return exporter.export(made.spans) is SpanExportResult.SUCCESS
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]


def send_events(made: Made) -> bool:
    """Send events; return whether the collector took them."""
    if not made.events:
        return True
    exporter = OTLPLogExporter()
    try:
        return exporter.export(made.events) is LogRecordExportResult.SUCCESS
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]


def send_metrics(made: Made, records: Sequence[Record], before: Totals) -> Totals | None:
    """Send metrics of decisions; return the sums with them, or None where the collector did not take them."""
    after = before.after(records)
    preferred = os.environ.get(OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE, "").upper()
    told, temporality = after, AggregationTemporality.CUMULATIVE
    if preferred in {"DELTA", "LOWMEMORY"}:
        # What one batch counts began with its first decision.
        told = before.emptied(times(records[0])[0]).after(records)
        temporality = AggregationTemporality.DELTA
    scope = InstrumentationScope(emit_module.SCOPE, __version__)
    found = metrics_of(told, records, temporality, made.resource, scope)
    exporter = OTLPMetricExporter()
    try:
        return after if exporter.export(found) is MetricExportResult.SUCCESS else None
    finally:
        exporter.shutdown()


def resource(instance: str) -> Resource:
    """Return who sends: what the environment says counts before our own name and id."""
    own = Resource({"service.name": emit_module.SERVICE, "service.version": __version__})
    told = OTELResourceDetector().detect()
    identity = Resource({"service.instance.id": instance})
    return identity.merge(_sdk()).merge(own).merge(told)


def _sdk() -> Resource:
    """Return what the SDK says of itself."""
    whole = Resource.create({}).attributes
    return Resource({name: value for name, value in whole.items() if name.startswith("telemetry.")})


class _Ids(IdGenerator):
    """Gives spans the ids of their record, the decision's first: one that is sent twice is the same span."""

    def take(self, record: Record) -> None:
        self._trace = int(str(record["trace"]), 16)
        below = (one["id"] for one in probes_of(record) if "start" in one)
        self._spans = iter([int(str(id), 16) for id in (record["span"], *below)])

    def generate_trace_id(self) -> int:
        return self._trace

    def generate_span_id(self) -> int:
        return next(self._spans)


class _Spans(SpanProcessor):
    def __init__(self) -> None:
        self.ended: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        if span.context.trace_flags.sampled:
            self.ended.append(span)


class _Events(LogRecordProcessor):
    def __init__(self) -> None:
        self.emitted: list[ReadableLogRecord] = []

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        self.emitted.append(
            ReadableLogRecord(
                log_record.log_record,
                log_record.resource or Resource.get_empty(),
                log_record.instrumentation_scope,
            )
        )

    def shutdown(self) -> None:
        """Nothing is open."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:  # noqa: ARG002
        """Nothing waits."""
        return True
