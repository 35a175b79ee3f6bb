"""
A check that telemetry hears of: made, measured, then reported.

Nothing here waits for a collector: a record is written to the user's own spool, and a process of its own
sends it. Anything that goes wrong is kept as an incident and changes no decision.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping

from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger.runs import DEFAULT_NAME, name_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import is_number
from exitgate.core.state import discover
from exitgate.core.state.request import Request
from exitgate.core.system import portable
from exitgate.core.system.digest import hex_digest
from exitgate.core.views.update import with_warnings
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.spool import note_once, reason_lost
from exitgate.surfaces.telemetry.switches import INSTALL, OTEL, Switches, switches_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    Record = dict[str, object]


LACKING = f"{OTEL}=1, but the OpenTelemetry SDK is not installed: {INSTALL}"


def instrumented(request: Request, check: Callable[[Request], CheckResult]) -> CheckResult:
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
            _emit(place, asked, lambda: failure_of(failure, place, start, duration, os.environ), ended=False)
        raise
    duration = time.perf_counter_ns() - began
    directory = directory_of(request)
    if directory is None or checked.line is None or checked.line.get("time") != checked.iteration.time:
        return checked
    there = directory
    warnings = _emit(
        there, asked, lambda: record_of(checked, there, start, duration, os.environ, asked.messages)
    )
    if not warnings:
        return checked

    parts = {name: getattr(checked, name) for name in CheckResult.__slots__}
    return CheckResult(**{**parts, "decision": with_warnings(checked.decision, warnings)})


def _emit(directory: str, asked: Switches, made: Callable[[], Record], ended: bool = True) -> tuple[str, ...]:
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
            if not _emitted_by_application(record):
                if is_installed():
                    spooled = _spooled(directory, asked, record)
                else:
                    warnings.append(LACKING)
        textfile = asked.prometheus if ended else None
        if spooled or textfile:
            from exitgate.surfaces.telemetry.send import start_sender

            start_sender(directory, spooled, textfile)
    except Exception as error:  # the decision is, no matter what becomes of its telemetry
        note_once(directory, f"a decision was not sent: {reason_lost(error)}")
    for text in warnings:
        note_once(directory, text)
    return tuple(warnings)


def _emitted_by_application(record: Record) -> bool:
    """Tell by the providers of the application that this process is, if it has any."""
    if "opentelemetry.trace" not in sys.modules:
        return False
    from exitgate.surfaces.telemetry.otel.emit import emit_in_host

    return emit_in_host(record)


def _spooled(directory: str, asked: Switches, record: Record) -> bool:
    """Put a record into the spool; return whether a process must be started to send it."""
    folder = spool.opened(os.environ)
    try:
        goal = spool.destination(os.environ)
        over = spool.waiting(folder, goal)[: 1 - spool.LIMIT]
        if over:
            spool.removed(folder, over)
            note_once(directory, f"decisions were dropped: {spool.LIMIT} of them waited for a collector")
        spool.put(folder, goal, record, asked.signals)
        # The holder of the lock looks for what came meanwhile before it ends.
        lock = spool.locked(folder, goal)
        if lock is not None:
            os.close(lock)
        return lock is not None
    finally:
        portable.close(folder)


def is_installed() -> bool:
    """Return whether OpenTelemetry is there; nothing of it is imported, nor what `importlib` would be."""
    found = [finder.find_spec("opentelemetry", None) for finder in sys.meta_path]
    places = [place for one in found if one is not None for place in one.submodule_search_locations or ()]
    return all(
        any(os.path.isdir(os.path.join(place, *below.split("/"))) for place in places)
        for below in ("sdk", "exporter/otlp/proto/http")
    )


# A decision as the record that telemetry is made of: plain values, and no text of agent, plan or file.

#: Evaluations of one decision beside the decision itself, at most.
SCORES = 32
_MESSAGE_LIMIT = 1024
_CONTEXT_LIMIT = 512


def record_of(
    checked: CheckResult,
    directory: str,
    start: int,
    duration: int,
    environment: Mapping[str, str],
    messages: bool,
) -> Record:
    """
    Return the record of a decision that is in the ledger.

    Args:
        checked: The check; `line` is there.
        directory: The state directory.
        start: When it began, nanoseconds since the epoch.
        duration: How long it took, nanoseconds.
        environment: Says which span it belongs to: TRACEPARENT, TRACESTATE.
        messages: Whether the message is part of it.
    """
    decision, policy, line = checked.decision, checked.policy, checked.line
    assert line is not None
    totals, breaker = line.get("totals"), line.get("breaker")
    totals = totals if isinstance(totals, dict) else {}
    counted = {name: totals[name] for name in ("cost", "tokens", "elapsed") if _is_number(totals.get(name))}
    name = name_of(checked.iteration.run)
    return {
        **_opening(directory, start, duration, environment),
        "policy": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "sequence": line.get("sequence"),
        "run": checked.iteration.run,
        "iteration": checked.iteration.number,
        **counted,
        "stage": decision.stage,
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "firm": decision.firm,
        "blind": decision.blind,
        "warnings": len(decision.warnings),
        "breaker": breaker.get("state") if isinstance(breaker, dict) else None,
        # The host's session is the run's name: the agent's own telemetry calls it the conversation.
        "conversation": None if name == DEFAULT_NAME else name,
        "scores": _scores(checked),
        "message": decision.message[:_MESSAGE_LIMIT] if messages else None,
        **({"probes": _probes(checked, messages)} if checked.probes else {}),
    }


def failure_of(
    error: ExitgateError, directory: str, start: int, duration: int, environment: Mapping[str, str]
) -> Record:
    """Return the record of a check that came to no decision: the first code alone says why."""
    code = error.diagnostics[0].code if error.diagnostics else str(error.exit_code)
    return {**_opening(directory, start, duration, environment), "error": code}


def directory_of(request: Request) -> str | None:
    """Return the state directory as an absolute path; None where the gate refuses it."""
    try:
        return os.path.abspath(discover.state_dir(request))
    except ExitgateError:
        return None


def _opening(directory: str, start: int, duration: int, environment: Mapping[str, str]) -> Record:
    real = os.path.realpath(directory).encode("utf-8", "surrogateescape")
    return {
        "directory": directory,
        "trace": os.urandom(16).hex(),
        "span": os.urandom(8).hex(),
        "traceparent": environment.get("TRACEPARENT", "")[:_CONTEXT_LIMIT],
        "tracestate": environment.get("TRACESTATE", "")[:_CONTEXT_LIMIT],
        "start": start,
        "duration": duration,
        "ledger": hex_digest(real)[:12],
    }


def _probes(checked: CheckResult, messages: bool) -> list[Record]:
    from exitgate.surfaces.telemetry.probes import told_of

    return told_of(checked.probes, messages)


def _scores(checked: CheckResult) -> dict[str, object]:
    """Return name and value of what a policy counts: points, formulas, and every percentage."""
    types, facts = checked.policy.facts, checked.facts
    names = [one.name for one in checked.policy.derived if one.rows or one.formula is not None]
    names += [name for name, spec in types.items() if spec.type.kind == "percent"]
    values = ((name, facts[name].value) for name in dict.fromkeys(names) if name in facts)
    return dict([(name, value) for name, value in values if _is_number(value)][:SCORES])


def _is_number(value: object) -> bool:
    return is_number(value) and abs(value) < float("inf")
