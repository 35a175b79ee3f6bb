"""What `doctor` says of telemetry."""

from __future__ import annotations

import os
from collections.abc import Mapping

from exitgate.core.system import portable
from exitgate.core.system.folders import Refused
from exitgate.report.doctor import ABSENT, FOUND, WARNING, Finding
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.instrumentation import is_installed
from exitgate.surfaces.telemetry.switches import (
    INSTALL,
    MESSAGES,
    OTEL,
    PROMETHEUS,
    SIGNALS,
    Switches,
    address,
    switches_in,
)

_SUBJECT = "telemetry"


def finding(environment: Mapping[str, str]) -> Finding:
    """Return whether telemetry is on, where it goes, and what keeps it from getting there."""
    asked = switches_in(environment)
    if not (asked.signals or asked.prometheus or asked.faults):
        text = "off: nothing leaves this machine"
        return Finding(_SUBJECT, ABSENT, text, f"switched on by {OTEL}=1 or {PROMETHEUS}=PATH")
    goals = _goals(asked, environment)
    origin = ", ".join(name for name in (OTEL, PROMETHEUS, MESSAGES) if environment.get(name))
    text = "; ".join(goals) or "off"
    troubles = list(_troubles(asked, environment))
    if troubles:
        return Finding(
            _SUBJECT, WARNING, "; ".join([text, *(one for one, _ in troubles)]), origin, troubles[0][1]
        )
    return Finding(_SUBJECT, FOUND, text, origin)


def _goals(asked: Switches, environment: Mapping[str, str]) -> list[str]:
    places: dict[str, list[str]] = {}
    for signal in asked.signals:
        places.setdefault(address(environment, signal), []).append(SIGNALS[signal][0].lower())
    goals = [f"{', '.join(words)} to {place}" for place, words in places.items()]
    if asked.messages and "l" in asked.signals:
        goals.append("with messages of rules")
    return [*goals, *([f"for Prometheus in {asked.prometheus}"] if asked.prometheus else [])]


def _troubles(asked: Switches, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return each problem, and what to do."""
    help = "correct the variable; decisions are made as ever"
    found = [(one, help) for one in asked.faults]
    if asked.signals and not is_installed():
        found.append(("the OpenTelemetry SDK is not installed", INSTALL))
    if asked.signals:
        try:
            folder = spool.place(environment)
            if os.path.lexists(folder):
                portable.close(spool.opened(environment))
        except Refused as refused:
            found.append(
                (f"records cannot be written: {refused}", "give the folder back to you alone: chmod 700")
            )
    if asked.prometheus and not os.access(os.path.dirname(asked.prometheus), os.W_OK):
        found.append((f"no file can be written in {os.path.dirname(asked.prometheus)}", help))
    return found
