"""
Sums of the metrics that were sent to a collector, kept between the short processes that send them.

Each process would begin at 0, and a collector that adds nothing up would always see 1. They are kept
beside the spool, for each destination and only under its lock; where they are lost, counting begins
anew with a new start, as OpenTelemetry's data model provides for.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
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

from exitgate.core.model.value import micro
from exitgate.core.system import folders
from exitgate.core.system.quick_json import dumps, loads
from exitgate.surfaces.telemetry.otel import emit
from exitgate.surfaces.telemetry.otel.emit import attributes, times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.system.portable import Folder

    Record = Mapping[str, object]
    #: Attributes as JSON -> count of decisions; and -> count, sum, least, most, then counts of buckets.
    Counts = dict[str, int]
    Spread = dict[str, list[float]]

    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope


_SIZE = 1 << 20


class Totals(Struct, eq=False):
    """
    Sums since `start`, nanoseconds since the epoch, by `instance`, the random id of who sums.

    `counts` are decisions, `spreads` their durations in seconds.
    """

    instance: str
    start: int
    counts: Counts
    spreads: Spread

    def after(self, records: Sequence[Record]) -> Totals:
        """Return the sums with decisions added."""
        counts, spreads = dict(self.counts), {key: list(one) for key, one in self.spreads.items()}
        for record in records:
            key = _key(record, emit.OF_DECISIONS)
            counts[key] = counts.get(key, 0) + 1
            start, end = times(record)
            _spread(spreads, _key(record, emit.OF_DURATION), (end - start) / 1e9)
        return Totals(self.instance, self.start, counts, spreads)

    def emptied(self, start: int) -> Totals:
        """Return the same instance with nothing counted yet."""
        return Totals(self.instance, start, {}, {})


def new_totals(start: int) -> Totals:
    """Return new sums that begin at `start`."""
    return Totals(os.urandom(16).hex(), start, {}, {})


def load_totals(folder: Folder, goal: str) -> Totals | None:
    """Return the sums kept for a destination, None where there are none that can be used."""
    try:
        raw = folders.read(folder, _name(goal), _SIZE)
        if raw is None:
            return None
        plain = loads(raw.decode("ascii"))
        counts = {str(key): int(value) for key, value in plain["counts"].items()}
        spreads = {str(key): [float(one) for one in value] for key, value in plain["spreads"].items()}
        if any(len(one) != _WIDTH for one in spreads.values()):
            return None
        return Totals(str(plain["instance"]), int(plain["start"]), counts, spreads)
    except (folders.Refused, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save_totals(folder: Folder, goal: str, totals: Totals) -> None:
    """Keep the sums of a destination. Raises `exitgate.core.system.folders.Refused`."""
    plain = {name: getattr(totals, name) for name in ("instance", "start", "counts", "spreads")}
    folders.write(folder, _name(goal), dumps(plain).encode("ascii"))


#: Numbers of a spread in front of its buckets, and all of them.
_SPREAD_HEAD = 4
_WIDTH = _SPREAD_HEAD + len(emit.DURATION_BOUNDS) + 1


def _spread(spreads: Spread, key: str, seconds: float) -> None:
    one = spreads.setdefault(key, [0.0, 0.0, seconds, seconds, *([0.0] * (_WIDTH - _SPREAD_HEAD))])
    one[0] += 1
    one[1] = micro(one[1] + seconds)
    one[2], one[3] = min(one[2], seconds), max(one[3], seconds)
    one[_SPREAD_HEAD + bisect_left(emit.DURATION_BOUNDS, seconds)] += 1


def _key(record: Record, keys: Sequence[str]) -> str:
    return dumps(attributes(record, keys))


def _name(goal: str) -> str:
    return f"{goal}.totals"


# Sums and records as the metrics that OpenTelemetry's exporter takes.

_POINT_HEAD = 4


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
        NumberDataPoint(json.loads(key), totals.start, now, count)
        for key, count in sorted(totals.counts.items())
    ]
    return Metric(emit.DECISIONS, emit.DECISIONS_DOC, "{decision}", Sum(points, temporality, True))


def _durations(totals: Totals, now: int, temporality: AggregationTemporality) -> Metric:
    points = [
        HistogramDataPoint(
            json.loads(key),
            totals.start,
            now,
            int(one[0]),
            one[1],
            [int(count) for count in one[_POINT_HEAD:]],
            emit.DURATION_BOUNDS,
            one[2],
            one[3],
        )
        for key, one in sorted(totals.spreads.items())
    ]
    return Metric(emit.DURATION, emit.DURATION_DOC, "s", Histogram(points, temporality))


def _gauges(records: Sequence[Record]) -> Iterator[Metric]:
    for key, (name, unit, doc) in emit.GAUGES.items():
        latest: dict[tuple[tuple[str, object], ...], NumberDataPoint] = {}
        for record in records:
            value = record.get(key)
            if isinstance(value, int | float):
                own = attributes(record, emit.OF_GAUGES)
                start, end = times(record)
                latest[tuple(own.items())] = NumberDataPoint(own, start, end, value)
        if latest:
            yield Metric(name, doc, unit, Gauge(list(latest.values())))
