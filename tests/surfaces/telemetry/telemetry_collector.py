"""A collector on a port of this machine that decodes OTLP with the protocol's own package."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Event, Thread
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from patience import PATIENCE

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

FORMS = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
}


class Collector:
    """
    What it does with a request is `answer`: a status, or one of the texts below.

    ``hold``: says nothing until `release` is set; ``garbage``: answers with what is no HTTP.
    """

    def __init__(self, port: int = 0, **answers: int | str) -> None:
        self.answers = answers
        self.release = Event()
        self.bodies: list[tuple[str, bytes]] = []
        self.headers: list[dict[str, str]] = []
        self._came = Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Collector:
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait(self, requests: int) -> None:
        """Wait until so many requests have come."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.bodies) >= requests, PATIENCE), self.bodies

    def decoded(self, path: str) -> list:
        return [FORMS[path].FromString(body) for at, body in self.bodies if at == path]

    def spans(self) -> list[Span]:
        return [
            span
            for one in self.decoded("/v1/traces")
            for whole in one.resource_spans
            for scope in whole.scope_spans
            for span in scope.spans
        ]

    def events(self) -> list[LogRecord]:
        return [
            event
            for one in self.decoded("/v1/logs")
            for whole in one.resource_logs
            for scope in whole.scope_logs
            for event in scope.log_records
        ]

    def metrics(self) -> list[dict[str, Metric]]:
        """Return name -> metric for each request."""
        return [
            {
                metric.name: metric
                for whole in one.resource_metrics
                for scope in whole.scope_metrics
                for metric in scope.metrics
            }
            for one in self.decoded("/v1/metrics")
        ]

    def resources(self) -> list[dict[str, object]]:
        return [
            attributes(whole.resource) for one in self.decoded("/v1/traces") for whole in one.resource_spans
        ]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = collector.answers.get(self.path.rpartition("/")[2], 200)
                with collector._came:
                    collector.bodies.append((self.path, body))
                    collector.headers.append(dict(self.headers))
                    collector._came.notify_all()
                if answer == "hold":
                    collector.release.wait(PATIENCE)
                    answer = 200
                if isinstance(answer, str):
                    self.wfile.write(b"\x00\xff no HTTP at all \r\n" * 50)
                    self.close_connection = True
                    return
                self.send_response(answer)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Answers


def attributes(one: object) -> dict[str, object]:
    """Return the attributes of a span, an event, a point or a resource as plain values."""
    return {pair.key: plain(pair.value) for pair in one.attributes}  # type: ignore[attr-defined]


def plain(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    return None if kind is None else getattr(value, kind)
