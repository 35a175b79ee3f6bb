"""
Diagnostics of a command on stderr, through structlog; loaded only when `--log-level` is given.

JSON lines where stderr is not a terminal, the console form where it is. Nothing is configured for the
process: the logger made here is the only one.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

import structlog

from exitgate.cli.command import Answer, Event
from exitgate.cli.terminal import Terminal, write
from exitgate.core.model.decision import CANNOT_WRITE, OK, USAGE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.core.probes.answer import ANSWERED
from exitgate.core.state.request import Request
from exitgate.report.terminal import safe
from exitgate.surfaces.resident import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger, Processor

    from exitgate.cli.command import ParsedArguments, Run
    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.model.json_object import JsonObject


LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def run_logged(level: str, path: str, run: Run, given: ParsedArguments, terminal: Terminal) -> Answer:
    """
    Run a command and tell what it does.

    Args:
        level: The least level that is reported, one of `LEVELS`.
        path: The command as typed, ``exitgate check``.
        run: The command.
        given: What it was given.
        terminal: Styles; the one for stderr says whether the console form is coloured.

    Returns:
        The command's own answer; with exit code 73 instead of a decision when stderr cannot take
        what is reported.

    Raises:
        ExitgateError: What the command raises; reported before.
    """
    sink = Sink()
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    log = logger(level, sink, console=on_terminal, color=terminal.err.color)
    log.debug("command_started", command=path)
    if place.note:
        log.info("resident_process", note=place.note)
    try:
        answer = run(given, terminal)
    except ExitgateError as error:
        codes = [diagnostic.code for diagnostic in error.diagnostics]
        log.warning("command_failed", command=path, exit_code=error.exit_code, diagnostics=codes)
        raise
    for event in answer.events:
        log.log(LEVELS[event.level], event.name, **event.keys)
    log.debug("command_ended", command=path, exit_code=answer.code)
    if sink.code and answer.code < USAGE:
        return Answer(answer.out, answer.err, sink.code)
    return answer


def logger(level: str, sink: Sink, *, console: bool, color: bool) -> FilteringBoundLogger:
    """Return a logger that writes to `sink` what has at least `level`, in the console form or as JSON."""
    last: list[Processor]
    if console:
        last = [_made_safe, structlog.dev.ConsoleRenderer(colors=color)]
    else:
        last = [structlog.processors.JSONRenderer(ensure_ascii=True)]
    made: FilteringBoundLogger = structlog.wrap_logger(
        sink,
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        context_class=dict,
    )
    return made


class Sink:
    """Writes each line to stderr as the program writes everything; `code` is 73 once it could not."""

    def __init__(self) -> None:
        self.code = OK

    def msg(self, line: str) -> None:
        """Write one line."""
        if write(Answer(err=line + "\n")) == CANNOT_WRITE:
            self.code = CANNOT_WRITE

    debug = info = warning = msg


def _made_safe(_: object, __: str, event: EventDict) -> EventDict:
    """Make every text of an event fit for a terminal; the console form writes some as they are."""
    return {key: _safe(value) for key, value in event.items()}


def _safe(value: object) -> object:
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {str(_safe(key)): _safe(inner) for key, inner in value.items()}
    return [_safe(inner) for inner in value] if isinstance(value, list | tuple) else value


# What a command did, as events for `--log-level`: derived from what the gate returned.

DEBUG, INFO, WARNING = "debug", "info", "warning"


def cache_event(request: Request) -> tuple[Event, ...]:
    """
    Load the policy of a request, and return whether the user's cache had it.

    The check that follows finds it there. Raises `ExitgateError` as the check would.
    """
    from exitgate.core.gate.settings import asked_of, recall_settled

    loaded = recall_settled(asked_of(request))
    if loaded.recalled:
        return (Event(DEBUG, "cache_hit", {"digest": loaded.policy.digest}),)
    return (Event(INFO, "cache_missed", {"digest": loaded.policy.digest, "note": loaded.note}),)


def events_of(checked: CheckResult) -> tuple[Event, ...]:
    """Return the stages of one check in order, then its remarks."""
    policy, iteration, decision = checked.policy, checked.iteration, checked.decision
    sources = {
        name: source.reason
        or {"path": source.path, "length": None if source.text is None else len(source.text)}
        for name, source in iteration.sources.items()
    }
    unknown = sorted(name for name, fact in checked.facts.items() if isinstance(fact.value, Unknown))
    loaded = {
        "policy": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "path": policy.path,
        "rules": len(policy.rules),
        "layers": policy.layers.get("read", []),
    }
    observed = {"run": iteration.run, "iteration": iteration.number, "sources": sources}
    answer = {
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "stage": decision.stage,
        "firm": decision.firm,
        "blind": decision.blind,
    }
    asked = [Event(INFO, "probe_answered", _probe(name, one)) for name, one in checked.probes.items()]
    events = [
        Event(INFO, "policy_loaded", loaded),
        Event(INFO, "sources_observed", observed),
        Event(DEBUG, "facts_extracted", {"known": len(checked.facts) - len(unknown), "unknown": unknown}),
        *asked,
        Event(INFO, "decided", answer),
    ]
    if checked.line is not None:
        events.append(ledger_event(checked.line))
    events += [
        Event(WARNING, "remarked", {"rule": one.rule, "message": one.message}) for one in decision.warnings
    ]
    return tuple(events)


#: What the log has of an answer: no output, no names of tests, no reason that a model gave.
_OF_ANSWER = (
    "status", "passed", "exit_status", "total", "failed", "skipped", "coverage", "seconds", "cost", "judged",
    "reused", "why",
)  # fmt: skip


def _probe(name: str, answer: JsonObject) -> dict[str, object]:
    told = {key: answer[key] for key in _OF_ANSWER if key in answer}
    why_not = {} if answer.get("status") == ANSWERED else {"reason": answer.get("reason")}
    return {"probe": name, **told, **why_not}


def ledger_event(line: Mapping[str, object]) -> Event:
    """Return the event for a line that was appended to the ledger."""
    return Event(INFO, "recorded", {key: line.get(key) for key in ("sequence", "kind", "run", "iteration")})
