"""Which run a check belongs to. Pure: the run's last line and the time go in."""

from __future__ import annotations

from exitgate.core.ledger.line import DECISION, EXPIRED, RESET, end_for
from exitgate.core.model.decision import EXIT, STAGES
from exitgate.core.model.json_object import JsonObject, object_or_none
from exitgate.core.model.json_object import number_of as as_number
from exitgate.core.model.value import Value, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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


def standing(name: str, last: JsonObject | None, now: float, iteration: int | None = None) -> Standing:
    """
    Return the run and iteration that a check at time `now` belongs to.

    Args:
        name: Name of the run.
        last: The newest line of any run called `name` (`Ledger.last`), or None.
        now: Seconds since the epoch.
        iteration: Number the caller gave, from 1, or None to count on. Whether it was decided on
            already is asked before (`exitgate.core.gate.idempotency`).

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


def has_ended(last: JsonObject) -> bool:
    """Return whether a run whose newest line is `last` is over: exited for good, reset or expired."""
    return bool(_ended_by(last))


def reset_for(lines: Sequence[JsonObject], now: float, reason: str) -> JsonObject | None:
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
        sources = earlier.object("sources")
        if "response" in sources:
            line |= {"iteration": iteration_of(earlier), "sources": {"response": sources["response"]}}
            break
    return line


def iteration_of(line: JsonObject) -> int:
    """Return the number of the iteration a line stands for; 0 before the first."""
    return max(0, line.whole("iteration", 0))


def decisions_of(lines: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
    """
    Return the lines that history forms count: decisions, one an iteration, in order of iterations.

    Of several on one iteration the last counts; but one made before the following iteration never
    takes the place of one made after it, whose facts speak of its work.
    """
    by_iteration: dict[int, JsonObject] = {}
    for line in lines:
        if line.get("kind") != DECISION:
            continue
        number = iteration_of(line)
        if number not in by_iteration or not _ahead(line) or _ahead(by_iteration[number]):
            by_iteration[number] = line
    return tuple(by_iteration[number] for number in sorted(by_iteration))


def _ahead(line: JsonObject) -> bool:
    """Return whether the decision was made before an iteration."""
    return line.object("decision").get("stage") == STAGES[0]


def _ended_by(line: JsonObject) -> str:
    """Return what ended the line's run, or the empty text."""
    kind = line.get("kind")
    if kind == RESET:
        return f"{line['run']} was reset"
    if kind == EXPIRED:
        return f"{line['run']} expired"
    decision = line.object("decision")
    if kind == DECISION and decision.get("verdict") == EXIT:
        return "" if decision.get("class") in SUSPENDING else f"{line['run']} had ended"
    return ""


def _expires_at(line: JsonObject) -> float:
    instants = (line.number("time"), line.number("retry_at"), line.object("decision").number("retry_at"))
    known = [instant for instant in instants if instant is not None]
    return max(known) + EXPIRY if known else float("inf")


# Ids of runs: ``name#n``.

NAME_LIMIT = 200


def run_id(name: str, number: int) -> str:
    """Return the id of the `number`-th run (from 1) called `name`."""
    return f"{name}#{number}"


def name_of(run: str) -> str:
    """Return the name in an id; an id without a number is its own name."""
    name, mark, number = run.rpartition("#")
    return name if mark and number.isdecimal() else run


def number_of(run: str) -> int:
    """Return the number in an id, 1 for an id without one."""
    _, mark, number = run.rpartition("#")
    return int(number) if mark and number.isdecimal() and len(number) < 16 else 1


def usable(name: str) -> bool:
    """Return whether a run may be called `name`: printable, not empty, at most `NAME_LIMIT` characters."""
    return 0 < len(name) <= NAME_LIMIT and name.isprintable() and name == name.strip()


# Totals of a run as lines hold them: what was used up never becomes less.
#
# A total below that of an earlier line, a negative one, or one that is not a number is damage, not a
# refund. Pure: lines go in.

#: Totals that only grow.
GROWING = ("cost", "tokens", "iterations", "elapsed")
#: Beyond this a number is a mistake; also keeps sums finite.
LARGEST = 1e15


def used_up(value: object) -> float | int | None:
    """Return what was used up, a number from 0, or None for anything else."""
    number = as_number(value)
    return number if number is not None and 0 <= number <= LARGEST else None


def highest(lines: Sequence[JsonObject]) -> dict[str, float | int]:
    """Return the highest of each growing total in lines of one run; those that no line has are left out."""
    found: dict[str, float | int] = {}
    for line in lines:
        totals = line.object("totals")
        for name in GROWING:
            value = used_up(totals.get(name))
            if value is not None:
                found[name] = max(value, found.get(name, value))
    return found


def longest(lines: Sequence[JsonObject], now: float) -> float:
    """Return the seconds that a run has taken at time `now`: no line of it may make them fewer."""
    return max((elapsed_at(line, now) for line in lines), default=0.0)


def faults(before: JsonObject | None, line: JsonObject) -> Iterator[str]:
    """
    Yield what is wrong with the totals of a line.

    Args:
        before: The line before in the same run that holds totals, or None.
        line: The line.
    """
    totals, earlier = line.object("totals"), JsonObject() if before is None else before.object("totals")
    for name in GROWING:
        value, least = used_up(totals.get(name)), used_up(earlier.get(name))
        if name in totals and value is None:
            yield f"its total `{name}` is not a number from 0"
        elif least is not None and value is not None and value < least:
            yield f"its total `{name}` is less than in the line before"


# Time within a run, from a clock that may be set back. Pure: lines and the time go in.

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def elapsed_at(last: JsonObject | None, now: float) -> float:
    """
    Return the seconds that a run has taken at time `now`: never negative, never fewer than before.

    Args:
        last: The run's newest line, or None before the first. Its `totals.elapsed` is what the run
            had taken by then; from there on the clock counts. A clock that was set back adds
            nothing until the next line, so a budget is never refilled by it.
        now: Seconds since the epoch.
    """
    if last is None:
        return 0.0
    taken = max(0.0, _finite(last.object("totals"), "elapsed") or 0.0)
    at = _finite(last, "time")
    return micro(taken if at is None else taken + max(0.0, now - at))


def set_back(last: JsonObject | None, now: float) -> str:
    """
    Return a remark when `now` lies before the newest line, else the empty text.

    Lines keep the time as the clock told it; their order is their sequence.
    """
    at = None if last is None else _finite(last, "time")
    if last is None or at is None or at <= now:
        return ""
    return f"the clock is {_span(at - now)} behind the last line of `{last['run']}`"


def _finite(members: JsonObject, name: str) -> float | None:
    number = members.number(name)
    return number if number is not None and number - number == 0 else None


def _span(seconds: float) -> str:
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if seconds >= size:
            return f"{seconds / size:.1f}{unit}"
    return f"{seconds:.1f}s"


# How many decisions were made under a name since it was last reset: carried from line to line.

_KEYS = ("decisions", "continue", "exit")


def counts_in(line: JsonObject | None) -> dict[str, int]:
    """Return the counts a line carries: `decisions`, `continue` and `exit`, each from 0."""
    known = JsonObject() if line is None else line.object("counts")
    return {key: max(0, known.whole(key, 0)) for key in _KEYS}


def counts_after(before: JsonObject | None, line: JsonObject) -> dict[str, int]:
    """
    Return the counts that `line` is to carry.

    Args:
        before: The newest line of any run of the same name, or None.
        line: The new one; of kind `decision` it counts, of kind `reset` all begins again.
    """
    counts = counts_in(before if line.get("kind") != "reset" else None)
    decision = object_or_none(line.get("decision"))
    if line.get("kind") == "decision" and decision is not None:
        counts["decisions"] += 1
        counts["exit" if decision.get("verdict") == EXIT else "continue"] += 1
    return counts
