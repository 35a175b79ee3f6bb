"""Which run a check belongs to. Pure: the run's last line and the time go in."""

from __future__ import annotations

from exitgate.ledger.line import DECISION, EXPIRED, RESET, end_for
from exitgate.ledger.names import name_of, number_of, run_id
from exitgate.model.value import Value
from exitgate.model.verdict import EXIT, STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_NAME = "default"

#: Seconds after its last line, or after its retry time if that is later, at which a run expires.
EXPIRY = 24 * 60 * 60

#: Classes of exit that only suspend a run: same run, same budgets.
SUSPENDING = ("wait", "interrupted")


class Standing(Value):
    """
    Where a check is.

    Args:
        run: Id of the run it belongs to.
        iteration: Number of the iteration it decides on.
        new: The run has no line yet: it begins with a `run_start`.
        expired: Id of a run that expired on the way and must be closed by a line, or None.
        why: Why a new run begins, as a sentence part for people; the empty text for a run that continues.
    """

    __slots__ = ("expired", "iteration", "new", "run", "why")

    def __init__(
        self, run: str, iteration: int, new: bool, expired: str | None = None, why: str = ""
    ) -> None:
        self.run = run
        self.iteration = iteration
        self.new = new
        self.expired = expired
        self.why = why


def standing(
    name: str, last: Mapping[str, object] | None, now: float, iteration: int | None = None
) -> Standing:
    """
    Return the run and iteration that a check at time `now` belongs to.

    Args:
        name: Name of the run.
        last: The newest line of any run called `name` (`Ledger.last`), or None.
        now: Seconds since the epoch.
        iteration: Number the caller gave, from 1, or None to count on. Whether it was decided on
            already is asked before (`exitgate.ledger.again`).

    A new run begins after an EXIT that does not suspend, after a reset, after expiry, and when the
    caller counts from the start again. A clock that was set back never expires a run.
    """
    first = 1 if iteration is None else iteration
    if last is None:
        return Standing(run_id(name, 1), first, True, why="there was none")
    run = str(last["run"])
    following = run_id(name_of(run), number_of(run) + 1)
    ended = _ended_by(last)
    if ended:
        return Standing(following, first, True, why=ended)
    if now > _expires_at(last):
        return Standing(following, first, True, expired=run, why=f"{run} expired")
    reached = iteration_of(last)
    if iteration is None or iteration > reached:
        return Standing(run, reached + 1 if iteration is None else iteration, False)
    return Standing(following, first, True, why=f"{run} had already reached iteration {reached}")


def has_ended(last: Mapping[str, object]) -> bool:
    """Return whether a run whose newest line is `last` is over: exited for good, reset or expired."""
    return bool(_ended_by(last))


def reset_for(lines: Sequence[Mapping[str, object]], now: float, reason: str) -> dict[str, object] | None:
    """
    Return the line that resets a run, or None when there is nothing to reset.

    Args:
        lines: The newest lines of the run that the name's last line belongs to, newest last.
        now: Seconds since the epoch.
        reason: Why, for people.

    It remembers the response that was decided on last, so that the next run still notices it when
    it is offered again.
    """
    if not lines or lines[-1].get("kind") == RESET:
        return None
    line = end_for(str(lines[-1]["run"]), now, RESET, reason)
    line["iteration"] = iteration_of(lines[-1])
    for earlier in reversed(lines):
        sources = earlier.get("sources")
        if isinstance(sources, dict) and "response" in sources:
            line |= {"iteration": iteration_of(earlier), "sources": {"response": sources["response"]}}
            break
    return line


def iteration_of(line: Mapping[str, object]) -> int:
    """Return the number of the iteration a line stands for; 0 before the first."""
    number = line.get("iteration")
    return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0


def decisions_of(lines: Sequence[Mapping[str, object]]) -> tuple[Mapping[str, object], ...]:
    """
    Return the lines that history forms count: decisions, one an iteration, in order of iterations.

    Of several on one iteration the last counts; but one made before the following iteration never
    takes the place of one made after it, whose facts speak of its work.
    """
    by_iteration: dict[int, Mapping[str, object]] = {}
    for line in lines:
        if line.get("kind") != DECISION:
            continue
        number = iteration_of(line)
        if number not in by_iteration or not _ahead(line) or _ahead(by_iteration[number]):
            by_iteration[number] = line
    return tuple(by_iteration[number] for number in sorted(by_iteration))


def _ahead(line: Mapping[str, object]) -> bool:
    """Return whether the decision was made before an iteration."""
    decision = line.get("decision")
    return isinstance(decision, dict) and decision.get("stage") == STAGES[0]


def _ended_by(line: Mapping[str, object]) -> str:
    """Return what ended the line's run, or the empty text."""
    kind = line.get("kind")
    if kind == RESET:
        return f"{line['run']} was reset"
    if kind == EXPIRED:
        return f"{line['run']} expired"
    decision = line.get("decision")
    if kind == DECISION and isinstance(decision, dict) and decision.get("verdict") == EXIT:
        return "" if decision.get("class") in SUSPENDING else f"{line['run']} had ended"
    return ""


def _expires_at(line: Mapping[str, object]) -> float:
    instants = [line.get("time"), line.get("retry_at")]
    decision = line.get("decision")
    if isinstance(decision, dict):
        instants.append(decision.get("retry_at"))
    known = [instant for instant in instants if isinstance(instant, int | float)]
    return max(known) + EXPIRY if known else float("inf")
