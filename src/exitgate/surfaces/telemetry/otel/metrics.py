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
from typing import Any

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
from exitgate.surfaces.telemetry.probes import BOUNDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.system.portable import Folder

    Record = Mapping[str, object]
    #: Attributes as JSON -> a count; and -> count, sum, least, most, then counts of buckets.
    Counts = dict[str, int]
    Spread = dict[str, list[float]]

    #: When counting began, when the last decision was made, and what is known of the time between.
    Of = tuple[int, int, AggregationTemporality]

    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope


_SIZE = 1 << 20


class Totals(Struct, eq=False):
    """
    Sums since `start`, nanoseconds since the epoch, by `instance`, the random id of who sums.

    `counts` are decisions, `spreads` their durations in seconds; `probes` and `took` the same of probes.
    """

    instance: str
    start: int
    counts: Counts
    spreads: Spread
    probes: Counts = {}
    took: Spread = {}

    def after(self, records: Sequence[Record]) -> Totals:
        """Return the sums with decisions added."""
        counts, spreads = dict(self.counts), {key: list(one) for key, one in self.spreads.items()}
        probes, took = dict(self.probes), {key: list(one) for key, one in self.took.items()}
        for record in records:
            key = _key(record, emit.OF_DECISIONS)
            counts[key] = counts.get(key, 0) + 1
            start, end = times(record)
            _spread(spreads, _key(record, emit.OF_DURATION), (end - start) / 1e9, emit.DURATION_BOUNDS)
            for probe in emit.probes_of(record):
                key = _key_of_probe(probe, emit.OF_PROBES, probes)
                probes[key] = probes.get(key, 0) + 1
                if "start" in probe:
                    key = _key_of_probe(probe, emit.OF_PROBE_DURATION, took)
                    _spread(took, key, probe.number("seconds", 0.0), BOUNDS)
        return Totals(self.instance, self.start, counts, spreads, probes, took)

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
        none: dict[str, object] = {}  # sums of earlier versions have none of probes
        counts, probes = _counts(plain["counts"]), _counts(plain.get("probes", none))
        spreads, took = _spreads(plain["spreads"]), _spreads(plain.get("took", none))
        pairs = ((spreads, emit.DURATION_BOUNDS), (took, BOUNDS))
        if any(len(one) != _width(bounds) for found, bounds in pairs for one in found.values()):
            return None
        return Totals(str(plain["instance"]), int(plain["start"]), counts, spreads, probes, took)
    except (folders.Refused, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _counts(plain: Mapping[str, Any]) -> Counts:
    return {str(key): int(value) for key, value in plain.items()}


def _spreads(plain: Mapping[str, Any]) -> Spread:
    return {str(key): [float(one) for one in value] for key, value in plain.items()}


def save_totals(folder: Folder, goal: str, totals: Totals) -> None:
    """Keep the sums of a destination. Raises `exitgate.core.system.folders.Refused`."""
    names = ("instance", "start", "counts", "spreads", "probes", "took")
    plain = {name: getattr(totals, name) for name in names}
    folders.write(folder, _name(goal), dumps(plain).encode("ascii"))


#: Numbers of a spread in front of its buckets.
_SPREAD_HEAD = 4
#: Combinations of attributes under which probes are counted; what is beyond them is counted together, as
#: OpenTelemetry's SDKs do.
POINTS = 200
_OVERFLOW = dumps({"otel.metric.overflow": True})


def _width(bounds: Sequence[float]) -> int:
    """Return how many numbers a spread has."""
    return _SPREAD_HEAD + len(bounds) + 1


def _spread(spreads: Spread, key: str, seconds: float, bounds: Sequence[float]) -> None:
    one = spreads.setdefault(key, [0.0, 0.0, seconds, seconds, *([0.0] * (len(bounds) + 1))])
    one[0] += 1
    one[1] = micro(one[1] + seconds)
    one[2], one[3] = min(one[2], seconds), max(one[3], seconds)
    one[_SPREAD_HEAD + bisect_left(bounds, seconds)] += 1


def _key(record: Record, keys: Sequence[str]) -> str:
    return dumps(attributes(record, keys))


def _key_of_probe(probe: JsonObject, keys: Sequence[str], known: Mapping[str, object]) -> str:
    key = dumps(attributes(probe, keys, emit.PROBE_ATTRIBUTES))
    return key if key in known or len(known) < POINTS else _OVERFLOW


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
    of = (totals.start, max(times(record)[1] for record in records), temporality)
    found = [
        _sum(emit.DECISIONS, emit.DECISIONS_DOC, "{decision}", totals.counts, of),
        _histogram(emit.DURATION, emit.DURATION_DOC, totals.spreads, emit.DURATION_BOUNDS, of),
    ]
    if totals.probes:
        found.append(_sum(emit.PROBES, emit.PROBES_DOC, "{answer}", totals.probes, of))
    if totals.took:
        found.append(_histogram(emit.PROBE_DURATION, emit.PROBE_DURATION_DOC, totals.took, BOUNDS, of))
    found += _gauges(records)
    url = ""
    return MetricsData([ResourceMetrics(resource, [ScopeMetrics(scope, found, url)], url)])


def _sum(
    name: str, doc: str, unit: str, counts: Counts, of: tuple[int, int, AggregationTemporality]
) -> Metric:
    start, now, temporality = of
    points = [NumberDataPoint(json.loads(key), start, now, count) for key, count in sorted(counts.items())]
    return Metric(name, doc, unit, Sum(points, temporality, True))


def _histogram(name: str, doc: str, spreads: Spread, bounds: Sequence[float], of: Of) -> Metric:
    start, now, temporality = of
    points = [
        HistogramDataPoint(
            json.loads(key),
            start,
            now,
            int(one[0]),
            one[1],
            [int(count) for count in one[_POINT_HEAD:]],
            bounds,
            one[2],
            one[3],
        )
        for key, one in sorted(spreads.items())
    ]
    return Metric(name, doc, "s", Histogram(points, temporality))


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
