"""Decisions in a process with its own OpenTelemetry: they join the application's trace, logs and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry import metrics, trace
from opentelemetry._logs import get_logger
from opentelemetry.context import get_current

from exitgate import __version__
from exitgate.surfaces.telemetry import names
from exitgate.surfaces.telemetry.otel.emit import attributes, emit, parent_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def tell_host(record: Mapping[str, object]) -> bool:
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
    emit(record, provider.get_tracer(names.SCOPE, __version__), get_logger(names.SCOPE, __version__), parent)
    if not record.get("error"):
        _measure(record)
    return True


def _measure(record: Mapping[str, object]) -> None:
    meter = metrics.get_meter(names.SCOPE, __version__)
    counter = meter.create_counter(names.DECISIONS, "{decision}", names.DECISIONS_DOC)
    counter.add(1, attributes(record, names.OF_DECISIONS))
    duration = record.get("duration")
    assert isinstance(duration, int)
    histogram = meter.create_histogram(
        names.DURATION, "s", names.DURATION_DOC, explicit_bucket_boundaries_advisory=names.DURATION_BOUNDS
    )
    histogram.record(duration / 1e9, attributes(record, names.OF_DURATION))
    for key, (name, unit, doc) in names.GAUGES.items():
        value = record.get(key)
        if isinstance(value, int | float):
            meter.create_gauge(name, unit, doc).set(value, attributes(record, names.OF_GAUGES))
