"""What an earlier loop of the same run left behind, however it ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping

from msgspec import Struct

from exitgate.core.gate.idempotency import LOOKED_AT
from exitgate.core.ledger import read
from exitgate.core.ledger.line import EXPIRED, RESET
from exitgate.core.ledger.runs import SUSPENDING, decisions_of, iteration_of, standing
from exitgate.core.ledger.typed import typed
from exitgate.core.model.json_object import object_of, object_or_none, whole_of
from exitgate.core.system import process_group
from exitgate.hosts.loop.codes import still_there
from exitgate.hosts.loop.transcript import BEGIN, DECIDED, ITERATION, START, lines

Line = Mapping[str, object]


_LOOK, _KILLED = 0.02, 5.0


class Leftover(Struct, frozen=True):
    """
    What is left of the last run of a name.

    Args:
        run: Its id, None where there was none.
        advice: What its last decision has for the agent; the empty text where the run is over.
        untold: Line of an iteration that was kept whole, and of which the transcript tells no decision.
        cut: Line of a start of an agent whose end was not seen, and that the ledger has no decision on.
        started: Line of the last start, or None.
        prompt: What the agent was given then, or None.
    """

    run: str | None = None
    advice: str = ""
    untold: Line | None = None
    cut: Line | None = None
    started: Line | None = None
    prompt: str | None = None


def find_leftover(directory: str, name: str, now: float) -> Leftover:
    """
    Return what the last run called `name` left behind. Raises `ExitgateError` (74) for what cannot be read.

    The ledger alone says how far the run has come; the transcript only has what was not decided on yet.
    """
    last = read.last(directory, name)
    if last is None:
        return Leftover()
    run, reached = str(last["run"]), iteration_of(last)
    started = whole = told = None
    prompt: str | None = None
    for line in lines(directory, run):
        kind = line.get("kind")
        if kind == BEGIN:  # a loop begins only once it has dealt with all that is before
            started = whole = told = None
        elif kind == START:
            started = line if "pid" in line else None
            prompt = _prompt(line, prompt)
        elif kind == ITERATION:
            whole = line
        elif kind == DECIDED:
            told = line
    where = standing(name, last, now)
    if last.get("kind") in (RESET, EXPIRED) or where.expired is not None:
        return Leftover(run, started=started)
    advice = "" if where.new else _advice(directory, run)
    at, come, decided = (iteration_of(object_of(line)) for line in (whole, started, told))
    untold = whole if at > decided and at >= reached else None
    cut = started if come > at and come > reached and not where.new else None
    return Leftover(run, advice, untold, cut, started, prompt)


def end_survivor(started: Line, grace: float) -> int:
    """
    End what is left of the agent that a killed loop had started, and return how many processes that were.

    Raises `ExitgateError` (75) where it does not end.
    """
    pid, known = whole_of(started.get("pid")), started.get("process")
    if pid is None or not isinstance(known, str) or not process_group.is_left(pid, known):
        return 0
    found = len(process_group.members(pid))
    process_group.send(pid, signal.SIGTERM)
    if not _gone(pid, grace):
        process_group.send(pid, signal.SIGKILL)
        if not _gone(pid, _KILLED):
            raise still_there(pid)
    return found


def _prompt(line: Line, before: str | None) -> str | None:
    """Return the prompt of a start: a text that was the same as the one before is there only once."""
    written = object_or_none(line.get("prompt"))
    return None if written is None else written.text("text", before)


def _gone(pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while process_group.members(pid):
        if time.monotonic() >= until:
            return False
        time.sleep(_LOOK)
    return True


def _advice(directory: str, run: str) -> str:
    """Return the advice of the run's last decision; of the one before where the last only suspended it."""
    for line in reversed(decisions_of(read.tail(directory, run, LOOKED_AT))):
        decision = typed(line).decided
        if decision.advice or decision.exit_class not in SUSPENDING:
            return decision.advice or ""
    return ""
