"""
A check that telemetry hears of: made, measured, then told.

Nothing here waits for a collector: a record is written to the user's own spool, and a process of its own
sends it. Whatever goes wrong is kept as an incident and changes no decision.
"""

from __future__ import annotations

import os
import sys
import time

from exitgate.gate.checked import Checked
from exitgate.gate.incidents import note
from exitgate.model.diagnostic import ExitgateError
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.record import directory_of, failure_of, record_of
from exitgate.surfaces.telemetry.switches import INSTALL, switches_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.gate.request import Request
    from exitgate.surfaces.telemetry.switches import Switches

    Record = dict[str, object]

KIND = "telemetry"


def told(request: Request, check: Callable[[Request], Checked]) -> Checked:
    """
    Make a check and tell of it; raises what `check` raises and nothing else.

    Decisions that were only looked at, or answered from the ledger, are not told: nothing happened.
    A check that comes to no decision is a span with the status of an error.
    """
    asked = switches_in(os.environ)
    if not (asked.signals or asked.prometheus or asked.faults):
        return check(request)
    start, began = time.time_ns(), time.perf_counter_ns()
    try:
        checked = check(request)
    except ExitgateError as error:
        duration = time.perf_counter_ns() - began
        failure = error
        if request.record and asked.signals:
            _tell(request, asked, lambda: failure_of(failure, request, start, duration, os.environ))
        raise
    duration = time.perf_counter_ns() - began
    if checked.line is None or checked.line.get("time") != checked.iteration.time:
        return checked
    directory = directory_of(request)
    lacking = _tell(
        request,
        asked,
        lambda: record_of(checked, directory, start, duration, os.environ, asked.messages),
    )
    if not lacking:
        return checked
    from exitgate.gate.views.update import with_warnings

    parts = {name: getattr(checked, name) for name in Checked.__slots__}
    return Checked(**{**parts, "decision": with_warnings(checked.decision, lacking)})


def _tell(request: Request, asked: Switches, made: Callable[[], Record]) -> tuple[str, ...]:
    """Tell of one check; return warnings for the user. Whatever fails is an incident."""
    directory = directory_of(request)
    try:
        for fault in asked.faults:
            note(directory, KIND, fault)
        return _sent(directory, asked, made)
    except Exception as error:  # a decision stands, whatever becomes of its telemetry
        note(directory, KIND, f"a decision was not told: {_why(error)}")
        return ()


def _sent(directory: str, asked: Switches, made: Callable[[], Record]) -> tuple[str, ...]:
    warnings: tuple[str, ...] = ()
    spooled = told_host = False
    if asked.signals:
        record = made()
        if "opentelemetry.trace" in sys.modules:
            from exitgate.surfaces.telemetry.otel.host import tell_host

            told_host = tell_host(record)
        if told_host:
            pass
        elif _is_installed():
            spooled = _spooled(directory, asked, record)
        else:
            text = f"EXITGATE_OTEL=1, but the OpenTelemetry SDK is not installed: {INSTALL}"
            warnings = (text,)
            note(directory, KIND, text)
    if spooled or asked.prometheus:
        _start(directory, asked, spooled)
    return warnings


def _spooled(directory: str, asked: Switches, record: Record) -> bool:
    """Put a record into the spool; return whether a process must be started to send it."""
    from exitgate.policy.private import Refused

    try:
        folder = spool.opened(os.environ)
    except Refused as refused:
        note(directory, KIND, f"a decision was not told: the spool cannot be used: {refused}")
        return False
    try:
        goal = spool.destination(os.environ)
        over = spool.waiting(folder, goal)[: 1 - spool.LIMIT]
        if len(over) > 0:
            spool.removed(folder, over)
            text = f"decisions that waited for a collector were given up: there were {spool.LIMIT} of them"
            note(directory, KIND, text, lost=len(over))
        spool.put(folder, goal, record, asked.signals)
        lock = spool.locked(folder, goal)
        if lock is not None:
            os.close(lock)
    except (Refused, OSError) as error:
        note(directory, KIND, f"a decision was not told: the spool cannot be written: {_why(error)}")
        return False
    finally:
        os.close(folder)
    return lock is not None


def _start(directory: str, asked: Switches, spooled: bool) -> None:
    from exitgate.surfaces.telemetry.start import start

    try:
        start(directory, spooled, asked.prometheus)
    except OSError as error:
        note(directory, KIND, f"the process that tells of decisions was not started: {_why(error)}")


def _is_installed() -> bool:
    from importlib.util import find_spec

    try:
        return all(
            find_spec(name) is not None
            for name in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
        )
    except ImportError:
        return False


def _why(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
