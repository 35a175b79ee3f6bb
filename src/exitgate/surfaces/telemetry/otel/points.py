"""Sums and records as the metrics that OpenTelemetry's exporter takes."""

from __future__ import annotations

from json import loads
from typing import TYPE_CHECKING

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)

from exitgate.surfaces.telemetry import names
from exitgate.surfaces.telemetry.otel.emit import attributes, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    from exitgate.surfaces.telemetry.otel.totals import Totals

    Record = Mapping[str, object]

_FRONT = 4


def metrics_of(
    totals: Totals,
    records: Sequence[Record],
    temporality: AggregationTemporality,
    resource: Resource,
    scope: InstrumentationScope,
) -> MetricsData:
    """
    Return the metrics to send.

    Args:
        totals: What is counted: everything so far, or these records alone, as `temporality` says.
        records: In the order of decisions; the last of a run says where its gauges are.
        temporality: Cumulative or delta.
        resource: Who sends.
        scope: Name and version of the program.
    """
    now = max(times(record)[1] for record in records)
    found = [_decisions(totals, now, temporality), _durations(totals, now, temporality), *_gauges(records)]
    url = ""
    return MetricsData([ResourceMetrics(resource, [ScopeMetrics(scope, found, url)], url)])


def _decisions(totals: Totals, now: int, temporality: AggregationTemporality) -> Metric:
    points = [
        NumberDataPoint(loads(key), totals.start, now, count) for key, count in sorted(totals.counts.items())
    ]
    return Metric(names.DECISIONS, names.DECISIONS_DOC, "{decision}", Sum(points, temporality, True))


def _durations(totals: Totals, now: int, temporality: AggregationTemporality) -> Metric:
    points = [
        HistogramDataPoint(
            loads(key),
            totals.start,
            now,
            int(one[0]),
            one[1],
            [int(count) for count in one[_FRONT:]],
            names.DURATION_BOUNDS,
            one[2],
            one[3],
        )
        for key, one in sorted(totals.spreads.items())
    ]
    return Metric(names.DURATION, names.DURATION_DOC, "s", Histogram(points, temporality))


def _gauges(records: Sequence[Record]) -> Iterator[Metric]:
    for key, (name, unit, doc) in names.GAUGES.items():
        latest: dict[tuple[tuple[str, object], ...], NumberDataPoint] = {}
        for record in records:
            value = record.get(key)
            if isinstance(value, int | float):
                own = attributes(record, names.OF_GAUGES)
                start, end = times(record)
                latest[tuple(own.items())] = NumberDataPoint(own, start, end, value)
        if latest:
            yield Metric(name, doc, unit, Gauge(list(latest.values())))
