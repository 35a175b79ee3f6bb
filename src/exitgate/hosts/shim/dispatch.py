"""The step that a function of the shell asks for, by its name."""

from __future__ import annotations

import os
import sys

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.discover import STATE_DIR, planted_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.hosts.shim.session import Session


#: Exit code of a step whose answer is no.
NO = 1
#: Characters of a text that is asked about.
TEXT_LIMIT = 4_000_000


def perform(step: str, words: Sequence[str], policy: str | None) -> tuple[str, int]:
    """
    Do one step and return what it prints and its exit code: 0, or 1 where the answer is no.

    Args:
        step: One of `STEPS`.
        words: What follows it.
        policy: Shipped name or path, None for what the project's settings choose.

    Raises:
        ExitgateError: 64 for words that do not fit, else as `exitgate.core.gate.check.check`; 73 when a
            state file cannot be written.
    """
    from time import time

    from exitgate.hosts.shim.session import Session, places_of

    known = STEPS.get(step)
    if known is None or len(words) != known[0]:
        raise _does_not_fit(step, words)
    session = Session(places_of(os.environ), policy, os.environ, time())
    try:
        return known[1](session, words)
    except ExitgateError as error:
        _keep(session, step, error)
        raise


def _keep(session: Session, step: str, error: ExitgateError) -> None:
    """Keep what went wrong for `exitgate doctor`: a loop's terminal is seldom looked at."""
    from exitgate.core.state.incidents import note

    directory = session.places.state_dir or STATE_DIR
    told = "; ".join(found.message for found in error.diagnostics)
    if os.path.isdir(directory) and not planted_link(os.curdir, session.places.state_dir):
        note(directory, "shim", told, step=step, code=error.exit_code)


def _analyze(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.step import analyze

    analyze(session, words[0], _number(words[1]))
    return "", 0


def _ask(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.step import ask

    ask(session, _number(words[0]))
    return "", 0


def _failed(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.step import failed

    failed(session, _number(words[0]))
    return "", 0


def _record(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.step import record

    record(session, _number(words[0]), _number(words[1]), words[2] == "true")
    return "", 0


def _questions(session: Session, _: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.queries import questions

    count = questions(session, sys.stdin.read(TEXT_LIMIT))
    return f"{count}\n", 0 if count else NO


def _format(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.queries import output_format

    return f"{output_format(session, words[0])}\n", 0


def _parse(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.queries import parse

    return "", 0 if parse(session, words[0], words[1]) else NO


def _signals(_: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.queries import update_signals

    return "", 0 if update_signals(words[0], words[1]) else NO


def _stuck(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.queries import is_stuck

    return "", 0 if is_stuck(session, words[0], words[1]) else NO


def _reset(session: Session, words: Sequence[str]) -> tuple[str, int]:
    from exitgate.hosts.shim.step import reset_breaker

    reset_breaker(session, words[0])
    return "", 0


#: Step -> how many words it takes, and what does it.
STEPS: dict[str, tuple[int, Callable[[Session, Sequence[str]], tuple[str, int]]]] = {
    "analyze": (2, _analyze),
    "ask": (1, _ask),
    "failed": (1, _failed),
    "record": (3, _record),
    "reset": (1, _reset),
    "signals": (2, _signals),
    "questions": (0, _questions),
    "format": (1, _format),
    "parse": (2, _parse),
    "stuck": (2, _stuck),
}


def _number(word: str) -> int:
    """Return a whole number, below 0 as 0: a count of files that went wrong is none."""
    digits = word.strip()
    digits = digits[1:] if digits.startswith("-") else digits
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise _does_not_fit(word, ())
    return 0 if word.strip().startswith("-") else int(digits)


def _does_not_fit(step: str, words: Sequence[str]) -> ExitgateError:
    from exitgate.hosts.shim.files import NO_STEP, problem

    told = " ".join((step, *words))[:100]
    help = "steps are called by the functions that `exitgate shim ralph` prints; print them again"
    return problem(NO_STEP, f"not a step of the loop: `{told}`", help, USAGE)
