"""What the user's environment asks for. Nothing else is looked at: no file can switch telemetry on."""

from __future__ import annotations

import os
from collections.abc import Mapping

from exitgate.core.model.value import Value

OTEL, PROMETHEUS, MESSAGES = "EXITGATE_OTEL", "EXITGATE_PROMETHEUS", "EXITGATE_OTEL_MESSAGES"
RETRY = "EXITGATE_OTEL_RETRY"
#: Seconds that a collector which is away is tried again, after a decision: by default, at most.
RETRIES, LONGEST_RETRIES = 600, 24 * 3600
ENDING = ".prom"
INSTALL = "pip install 'exitgate[otel]'"

#: Signal -> what stands for it in names of OpenTelemetry's variables, and the end of its address.
SIGNALS = {"t": ("TRACES", "v1/traces"), "l": ("LOGS", "v1/logs"), "m": ("METRICS", "v1/metrics")}
_ADDRESS = "http://localhost:4318"
_SPOKEN = "http/protobuf"


class Switches(Value):
    """
    What is asked for.

    Args:
        signals: Letters of `SIGNALS` that are to be sent, in their order; empty where none is.
        prometheus: Absolute path of the textfile, or None.
        messages: Whether messages of rules may leave the machine.
        retry: Seconds for which what was not taken is tried again.
        faults: What is asked for in a way that cannot be done, for people; that part is off.
    """

    __slots__ = ("faults", "messages", "prometheus", "retry", "signals")

    def __init__(
        self,
        signals: str,
        prometheus: str | None,
        messages: bool,
        faults: tuple[str, ...] = (),
        retry: int = RETRIES,
    ) -> None:
        self.signals = signals
        self.prometheus = prometheus
        self.messages = messages
        self.faults = faults
        self.retry = retry


def switches_in(environment: Mapping[str, str]) -> Switches:
    """Return what the variables of a process ask for."""
    faults: list[str] = []
    signals = _signals(environment, faults)
    path: str | None = environment.get(PROMETHEUS) or None
    if path is not None and not (os.path.isabs(path) and path.endswith(ENDING)):
        faults.append(f"{PROMETHEUS} is not an absolute path that ends in `{ENDING}`: `{path}`")
        path = None
    messages = _is_on(environment, MESSAGES, faults)
    retry = _seconds(environment, faults)
    return Switches(signals, path, messages, tuple(dict.fromkeys(faults)), retry)


def address(environment: Mapping[str, str], signal: str) -> str:
    """Return where a signal is sent to, without a user, a password or a query that may be in it."""
    word, path = SIGNALS[signal]
    own = environment.get(f"OTEL_EXPORTER_OTLP_{word}_ENDPOINT")
    whole = own or (environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or _ADDRESS).removesuffix("/") + f"/{path}"
    scheme, mark, rest = whole.partition("://")
    if not mark:
        scheme, rest = "", whole
    place, slash, below = rest.partition("/")
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{below.partition('?')[0]}"


def _signals(environment: Mapping[str, str], faults: list[str]) -> str:
    if not _is_on(environment, OTEL, faults) or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ""
    asked = ""
    for letter, (word, _) in SIGNALS.items():
        exporters = environment.get(f"OTEL_{word}_EXPORTER") or "otlp"
        # Names of OpenTelemetry's variables have no case, and lists of them may have blanks.
        listed = [one.strip().lower() for one in exporters.split(",")]
        if listed == ["none"]:
            continue
        if "otlp" not in listed:
            faults.append(f"OTEL_{word}_EXPORTER is `{exporters}`; only `otlp` and `none` are supported")
            continue
        name = f"OTEL_EXPORTER_OTLP_{word}_PROTOCOL"
        name = name if environment.get(name) else "OTEL_EXPORTER_OTLP_PROTOCOL"
        protocol = environment.get(name) or _SPOKEN
        if protocol.strip().lower() != _SPOKEN:
            faults.append(f"{name} is `{protocol}`; only `{_SPOKEN}` is supported")
            continue
        asked += letter
    return asked


def _is_on(environment: Mapping[str, str], name: str, faults: list[str]) -> bool:
    value = environment.get(name, "")
    if value not in {"", "0", "1"}:
        faults.append(f"{name} is `{value}`; it is switched on by `1`")
    return value == "1"


def _seconds(environment: Mapping[str, str], faults: list[str]) -> int:
    """Return for how long is tried again."""
    value = environment.get(RETRY, "")
    if not value:
        return RETRIES
    if not (value.isascii() and value.isdecimal() and len(value) < 9 and int(value) <= LONGEST_RETRIES):
        faults.append(f"{RETRY} is `{value}`; it is a number of seconds, 0 to {LONGEST_RETRIES}")
        return RETRIES
    return int(value)
