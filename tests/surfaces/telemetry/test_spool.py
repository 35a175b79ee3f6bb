"""The spool and the sums beside it, without any collector."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from exitgate.core.system.quick_json import dumps
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.otel import emit, metrics
from exitgate.surfaces.telemetry.otel.sender import Sender

if TYPE_CHECKING:
    from collections.abc import Iterator

    from telemetry_project import Project

RECORD: dict[str, object] = {"trace": "ab" * 16, "span": "cd" * 8, "start": 10**18, "duration": 3 * 10**8}


@pytest.fixture
def folder(project: Project) -> Iterator[int]:
    opened = spool.opened(os.environ)
    yield opened
    os.close(opened)


def test_destinations_differ_by_what_decides_where_things_go() -> None:
    one = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "HOME": "/x", "OTEL_SERVICE_NAME": "s"}
    assert spool.destination(one) == spool.destination({**one, "HOME": "/y", "TRACEPARENT": "z"})
    assert spool.destination(one) == spool.destination(dict(reversed(one.items())))
    others = [
        {**one, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://b"},
        {**one, "OTEL_EXPORTER_OTLP_HEADERS": "a=\udcff"},
    ]
    assert len({spool.destination(each) for each in (one, *others)}) == 3


def test_records_keep_their_order_and_what_is_left(folder: int) -> None:
    for number in range(3):
        spool.put(folder, "a" * 16, {**RECORD, "n": number}, "tlm")
    spool.put(folder, "b" * 16, RECORD, "t")
    found = spool.waiting(folder, "a" * 16)
    assert [(spool.taken(folder, one) or {})["n"] for one in found] == [0, 1, 2]
    less = spool.moved(folder, found[0], "l", 4)
    assert spool.waiting(folder, "a" * 16)[0] == less
    assert (less.left, less.tries) == ("l", 4)
    spool.moved(folder, less, "", 4)
    assert len(spool.waiting(folder, "a" * 16)) == 2
    # A check that finds too many of them gives some up while they are sent.
    spool.removed(folder, found[:2])
    spool.moved(folder, found[1], "tl", 1)
    assert [one.key for one in spool.waiting(folder, "a" * 16)] == [found[2].key]


def test_what_is_no_record_is_none(folder: int, project: Project) -> None:
    for name in (
        "x",
        "a.b.c.json",
        f"{'a' * 16}.12.t.0.json",
        f"{'a' * 16}.{'1' * 28}.t.x.json",
        f"{'a' * 16}.{'1' * 28}..0.json",
    ):
        (project.spool / name).write_text("{}")
    assert spool.waiting(folder, "a" * 16) == []
    for number, content in enumerate((
        b"", b"[]", b"{", b"\xff", b"[" * 5000, dumps({**RECORD, "trace": "zz" * 16}).encode(),
        dumps({**RECORD, "start": "now"}).encode(), b" " * (1 << 17),
    )):  # fmt: skip
        path = project.spool / f"{'a' * 16}.{number:028}.t.0.json"
        path.write_bytes(content)
        path.chmod(0o600)
    found = spool.waiting(folder, "a" * 16)
    assert len(found) == 8
    assert [spool.taken(folder, one) for one in found] == [None] * 8
    Sender(folder, "a" * 16).send()  # they are cleared away, and nothing is sent
    assert spool.waiting(folder, "a" * 16) == []


def test_a_record_ends_by_age_or_by_tries() -> None:
    now = time.time_ns()
    fresh = spool.Waiting("g", f"{now:020}00", "t", spool.TRIES - 1)
    assert not fresh.is_over(now)
    assert spool.Waiting("g", fresh.key, "t", spool.TRIES).is_over(now)
    assert fresh.is_over(now + (spool.AGE + 1) * 10**9)


def test_what_no_collector_took_is_given_up_and_said(folder: int, project: Project) -> None:
    project.decide()  # makes the state directory
    old = spool.Waiting("a" * 16, f"{time.time_ns():020}00", "t", spool.TRIES)
    (project.spool / old.name).write_text(dumps({**RECORD, "directory": str(project.state)}))
    (project.spool / old.name).chmod(0o600)
    Sender(folder, "a" * 16).send()
    assert project.incident() == "decisions that no collector accepted were dropped"
    assert spool.waiting(folder, "a" * 16) == []


def test_sums_are_kept_and_spoilt_ones_begin_anew(folder: int, project: Project) -> None:
    assert metrics.load_totals(folder, "g") is None
    first = metrics.new_totals(5)
    record = {**RECORD, "policy": "p", "verdict": "EXIT", "class": "stuck", "outcome": "o"}
    after = first.after([record, {**record, "duration": 20 * 10**9}])
    metrics.save_totals(folder, "g", after)
    again = metrics.load_totals(folder, "g")
    assert again is not None
    assert (again.instance, again.start, again.counts) == (first.instance, 5, after.counts)
    (spread,) = again.spreads.values()
    assert spread[:4] == [2, 20.3, 0.3, 20]
    assert len(spread) == 4 + len(emit.DURATION_BOUNDS) + 1
    assert [at for at, count in enumerate(spread[4:]) if count] == [6, 11]  # at most 0.5 s; more than 10 s
    assert first.counts == {}
    for spoilt in (
        b"",
        b"7",
        b"{}",
        dumps({"instance": "i", "start": 1, "counts": {}, "spreads": {"x": [1]}}).encode(),
    ):
        (project.spool / "g.totals").write_bytes(spoilt)
        assert metrics.load_totals(folder, "g") is None


def test_delta_counts_one_batch_and_cumulative_all(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import MetricExportResult

    from exitgate.surfaces.telemetry.otel.export import Made, send_metrics

    sent = []

    def export(_self: object, found: object) -> MetricExportResult:
        sent.append(found)
        return MetricExportResult.SUCCESS

    monkeypatch.setattr(OTLPMetricExporter, "export", export)
    record = {**RECORD, "policy": "p", "verdict": "CONTINUE", "outcome": "o"}
    sums = metrics.new_totals(7)
    for preference in ("cumulative", "delta"):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", preference)
        after = send_metrics(Made([record], "i"), [record], sums)
        assert after is not None
        sums = after
    points = [one.resource_metrics[0].scope_metrics[0].metrics[0].data.data_points[0] for one in sent]
    assert [(one.value, one.start_time_unix_nano) for one in points] == [(1, 7), (1, 10**18)]
    assert list(sums.counts.values()) == [2]
