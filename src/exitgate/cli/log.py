"""
Diagnostics of a command on stderr, through structlog; loaded only when `--log-level` is given.

JSON lines where stderr is not a terminal, the console form where it is. Nothing is configured for the
process: the logger made here is the only one.
"""

from __future__ import annotations

import logging
import sys

import structlog

from exitgate.cli.answer import Answer
from exitgate.model.diagnostic import ExitgateError
from exitgate.model.verdict import CANNOT_WRITE, OK, USAGE
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger, Processor

    from exitgate.cli.declared import Run
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def logged(level: str, path: str, run: Run, given: Given, terminal: Terminal) -> Answer:
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
        from exitgate.cli.main import write

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
