"""
Sums of the metrics that were sent to a collector, kept between the short processes that send them.

Each process would begin at 0, and a collector that adds nothing up would always see 1. They are kept
beside the spool, for each destination and only under its lock; where they are lost, counting begins
anew with a new start, as OpenTelemetry's data model provides for.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from exitgate.model.quick_json import dumps, loads
from exitgate.model.type import micro
from exitgate.policy import private
from exitgate.surfaces.telemetry import names
from exitgate.surfaces.telemetry.otel.emit import attributes, times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.system import Folder

    Record = Mapping[str, object]
    #: Attributes as JSON -> count of decisions; and -> count, sum, least, most, then counts of buckets.
    Counts = dict[str, int]
    Spread = dict[str, list[float]]

_SIZE = 1 << 20


class Totals:
    """
    Sums since `start`, nanoseconds since the epoch, by `instance`, the random id of who sums.

    `counts` are decisions, `spreads` their durations in seconds.
    """

    def __init__(self, instance: str, start: int, counts: Counts, spreads: Spread) -> None:
        self.instance = instance
        self.start = start
        self.counts = counts
        self.spreads = spreads

    def after(self, records: Sequence[Record]) -> Totals:
        """Return the sums with decisions added."""
        counts, spreads = dict(self.counts), {key: list(one) for key, one in self.spreads.items()}
        for record in records:
            key = _key(record, names.OF_DECISIONS)
            counts[key] = counts.get(key, 0) + 1
            start, end = times(record)
            _spread(spreads, _key(record, names.OF_DURATION), (end - start) / 1e9)
        return Totals(self.instance, self.start, counts, spreads)

    def emptied(self, start: int) -> Totals:
        """Return the same instance with nothing counted yet."""
        return Totals(self.instance, start, {}, {})


def begun(start: int) -> Totals:
    """Return new sums that begin at `start`."""
    return Totals(os.urandom(16).hex(), start, {}, {})


def kept(folder: Folder, goal: str) -> Totals | None:
    """Return the sums kept for a destination, None where there are none that can be used."""
    try:
        raw = private.read(folder, _name(goal), _SIZE)
        if raw is None:
            return None
        plain = loads(raw.decode("ascii"))
        counts = {str(key): int(value) for key, value in plain["counts"].items()}
        spreads = {str(key): [float(one) for one in value] for key, value in plain["spreads"].items()}
        if any(len(one) != _WIDTH for one in spreads.values()):
            return None
        return Totals(str(plain["instance"]), int(plain["start"]), counts, spreads)
    except (private.Refused, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def keep(folder: Folder, goal: str, totals: Totals) -> None:
    """Keep the sums of a destination. Raises `exitgate.policy.private.Refused`."""
    plain = {name: getattr(totals, name) for name in ("instance", "start", "counts", "spreads")}
    private.write(folder, _name(goal), dumps(plain).encode("ascii"))


#: Numbers of a spread in front of its buckets, and all of them.
_FRONT = 4
_WIDTH = _FRONT + len(names.DURATION_BOUNDS) + 1


def _spread(spreads: Spread, key: str, seconds: float) -> None:
    one = spreads.setdefault(key, [0.0, 0.0, seconds, seconds, *([0.0] * (_WIDTH - _FRONT))])
    one[0] += 1
    one[1] = micro(one[1] + seconds)
    one[2], one[3] = min(one[2], seconds), max(one[3], seconds)
    one[_FRONT + bisect_left(names.DURATION_BOUNDS, seconds)] += 1


def _key(record: Record, keys: Sequence[str]) -> str:
    return dumps(attributes(record, keys))


def _name(goal: str) -> str:
    return f"{goal}.totals"
