"""What the variables of a user ask for."""

from __future__ import annotations

import pytest
from cases import each

from exitgate.surfaces.telemetry.switches import address, switches_in

ON = {"EXITGATE_OTEL": "1"}


@each(
    ("environment", "signals"),
    [
        ({}, ""), ({"EXITGATE_OTEL": "0"}, ""), ({"EXITGATE_OTEL": ""}, ""), (ON, "tlm"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, ""),
        ({**ON, "OTEL_SDK_DISABLED": "True"}, ""), ({**ON, "OTEL_SDK_DISABLED": "no"}, "tlm"),
        ({**ON, "OTEL_LOGS_EXPORTER": "none"}, "tm"),
        ({**ON, "OTEL_METRICS_EXPORTER": "console, OTLP"}, "tlm"),
        ({**ON, "OTEL_TRACES_EXPORTER": "None"}, "lm"),
        ({**ON, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "tlm"),
    ],
)  # fmt: skip
def test_signals(environment: dict[str, str], signals: str) -> None:
    asked = switches_in(environment)
    assert (asked.signals, asked.prometheus, asked.messages, asked.faults) == (signals, None, False, ())


@pytest.mark.parametrize(
    ("environment", "signals", "fault"),
    [
        ({"EXITGATE_OTEL": "yes"}, "", "EXITGATE_OTEL is `yes`; it is switched on by `1`"),
        ({**ON, "OTEL_TRACES_EXPORTER": "zipkin"}, "lm", "OTEL_TRACES_EXPORTER is `zipkin`"),
        (
            {**ON, "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": "grpc"},
            "tm",
            "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL is `grpc`",
        ),
        ({**ON, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "", "OTEL_EXPORTER_OTLP_PROTOCOL is `grpc`"),
        ({**ON, "EXITGATE_OTEL_RETRY": "-1"}, "tlm", "EXITGATE_OTEL_RETRY is `-1`"),
        ({**ON, "EXITGATE_OTEL_RETRY": "86401"}, "tlm", "EXITGATE_OTEL_RETRY is `86401`"),
        ({**ON, "EXITGATE_OTEL_MESSAGES": "true"}, "tlm", "EXITGATE_OTEL_MESSAGES is `true`"),
        ({"EXITGATE_PROMETHEUS": "x.prom"}, "", "is not an absolute path"),
        ({"EXITGATE_PROMETHEUS": "/x.txt"}, "", "is not an absolute path that ends in `.prom`"),
    ],
)
def test_what_cannot_be_done_is_off_and_said(environment: dict[str, str], signals: str, fault: str) -> None:
    asked = switches_in(environment)
    assert (asked.signals, asked.prometheus, asked.messages) == (signals, None, False)
    assert [fault in one for one in asked.faults] == [True]


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({}, "http://localhost:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "https://u:secret@c:9/"}, "https://c:9/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/in?key=secret"}, "http://c/in"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "secret@nonsense"}, "nonsense"),
    ],
)
def test_addresses_are_shown_without_secrets(environment: dict[str, str], shown: str) -> None:
    assert address(environment, "t") == shown


def test_for_how_long_is_tried_again() -> None:
    told = [switches_in({"EXITGATE_OTEL_RETRY": text}).retry for text in ("", "0", "86400", "soon")]
    assert told == [600, 0, 86400, 600]
