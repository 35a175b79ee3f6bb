"""
A check that telemetry hears of: made, measured, then reported.

Nothing here waits for a collector: a record is written to the user's own spool, and a process of its own
sends it. Anything that goes wrong is kept as an incident and changes no decision.
"""

from __future__ import annotations

import os
import sys
import time

from exitgate import system
from exitgate.gate.checked import Checked
from exitgate.model.diagnostic import ExitgateError
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.lost import once, why
from exitgate.surfaces.telemetry.record import directory_of, failure_of, record_of
from exitgate.surfaces.telemetry.switches import INSTALL, OTEL, switches_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.gate.request import Request
    from exitgate.surfaces.telemetry.record import Record
    from exitgate.surfaces.telemetry.switches import Switches

LACKING = f"{OTEL}=1, but the OpenTelemetry SDK is not installed: {INSTALL}"


def told(request: Request, check: Callable[[Request], Checked]) -> Checked:
    """
    Make a check and tell of it; raises what `check` raises and nothing else.

    Decisions that were only looked at, or answered from the ledger, are not reported: nothing happened.
    A check that comes to no decision is a span with the status of an error.
    """
    asked = switches_in(os.environ)
    if not (asked.signals or asked.prometheus or asked.faults):
        return check(request)
    start, began = time.time_ns(), time.perf_counter_ns()
    try:
        checked = check(request)
    except ExitgateError as error:
        failure, duration = error, time.perf_counter_ns() - began
        directory = directory_of(request)
        if request.record and asked.signals and directory is not None:
            place = directory
            _tell(place, asked, lambda: failure_of(failure, place, start, duration, os.environ), ended=False)
        raise
    duration = time.perf_counter_ns() - began
    directory = directory_of(request)
    if directory is None or checked.line is None or checked.line.get("time") != checked.iteration.time:
        return checked
    there = directory
    warnings = _tell(
        there, asked, lambda: record_of(checked, there, start, duration, os.environ, asked.messages)
    )
    if not warnings:
        return checked
    from exitgate.gate.views.update import with_warnings

    parts = {name: getattr(checked, name) for name in Checked.__slots__}
    return Checked(**{**parts, "decision": with_warnings(checked.decision, warnings)})


def _tell(directory: str, asked: Switches, made: Callable[[], Record], ended: bool = True) -> tuple[str, ...]:
    """
    Tell of one check; return warnings for the user.

    Args:
        directory: The state directory.
        asked: What must be reported.
        made: Makes the record.
        ended: Whether there is a decision: only then has the textfile anything new.
    """
    warnings = list(asked.faults)
    try:
        spooled = False
        if asked.signals:
            record = made()
            if not _host_told(record):
                if is_installed():
                    spooled = _spooled(directory, asked, record)
                else:
                    warnings.append(LACKING)
        textfile = asked.prometheus if ended else None
        if spooled or textfile:
            from exitgate.surfaces.telemetry.start import start

            start(directory, spooled, textfile)
    except Exception as error:  # the decision is, no matter what becomes of its telemetry
        once(directory, f"a decision was not sent: {why(error)}")
    for text in warnings:
        once(directory, text)
    return tuple(warnings)


def _host_told(record: Record) -> bool:
    """Tell by the providers of the application that this process is, if it has any."""
    if "opentelemetry.trace" not in sys.modules:
        return False
    from exitgate.surfaces.telemetry.otel.host import tell_host

    return tell_host(record)


def _spooled(directory: str, asked: Switches, record: Record) -> bool:
    """Put a record into the spool; return whether a process must be started to send it."""
    folder = spool.opened(os.environ)
    try:
        goal = spool.destination(os.environ)
        over = spool.waiting(folder, goal)[: 1 - spool.LIMIT]
        if over:
            spool.removed(folder, over)
            once(directory, f"decisions were dropped: {spool.LIMIT} of them waited for a collector")
        spool.put(folder, goal, record, asked.signals)
        # The holder of the lock looks for what came meanwhile before it ends.
        lock = spool.locked(folder, goal)
        if lock is not None:
            os.close(lock)
        return lock is not None
    finally:
        system.close(folder)


def is_installed() -> bool:
    """Return whether OpenTelemetry is there; nothing of it is imported, nor what `importlib` would be."""
    found = [finder.find_spec("opentelemetry", None) for finder in sys.meta_path]
    places = [place for one in found if one is not None for place in one.submodule_search_locations or ()]
    return all(
        any(os.path.isdir(os.path.join(place, *below.split("/"))) for place in places)
        for below in ("sdk", "exporter/otlp/proto/http")
    )
