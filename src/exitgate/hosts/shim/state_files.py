"""`.circuit_breaker_state` and `.circuit_breaker_history`: the breaker in the loop's own shapes."""

from __future__ import annotations

from exitgate.core.engine.breaker import CLOSED, HALF_OPEN, OPEN, STATES, WATCH
from exitgate.core.model.decision import CONTINUE
from exitgate.core.model.json_object import JsonObject, array_of
from exitgate.core.model.value import Value
from exitgate.core.system.quick_json import dumps
from exitgate.hosts.shim.files import count_in, object_in, pretty, value_in, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.shim.analysis import Statements

    Plain = dict[str, object]
    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import Breaker


#: Counters of the file, in its order.
IDLE, ERRORS, DENIALS = "consecutive_no_progress", "consecutive_same_error", "consecutive_permission_denials"

#: Moves that are kept; the loop itself keeps all.
KEPT = 500


def closed_breaker(now: float, reason: str = "") -> Plain:
    """Return the state of a breaker that never opened."""
    return {
        "state": CLOSED,
        "last_change": written(now),
        IDLE: 0,
        ERRORS: 0,
        DENIALS: 0,
        "last_progress_loop": 0,
        "total_opens": 0,
        "reason": reason,
        "current_loop": 0,
    }


def breaker_in(text: str | None) -> Plain | None:
    """Return the state in a file, None where it is missing, no JSON object, or has no state that is one."""
    found = object_in(text)
    return found if found is not None and found.get("state") in STATES else None


def with_loop(before: Plain, said: Statements, loop: int) -> Plain:
    """
    Return the counters after a loop, the state untouched.

    Questions are neither progress nor stagnation; any error is the same error; denials count loops.
    """
    idle = 0 if said.progress else count_in(before, IDLE) + (0 if said.asking else 1)
    return {
        **before,
        IDLE: idle,
        ERRORS: count_in(before, ERRORS) + 1 if said.error else 0,
        DENIALS: count_in(before, DENIALS) + 1 if said.denied else 0,
        "last_progress_loop": loop if said.progress else count_in(before, "last_progress_loop"),
        "current_loop": loop,
    }


def with_state(before: Plain, state: str, reason: str, opened_at: float | None, now: float) -> Plain:
    """Return the state after it became `state`; `opened_at` is kept only while it is OPEN."""
    opens = state == OPEN and before.get("state") != OPEN
    after = {
        **before,
        "state": state,
        "last_change": written(now),
        "total_opens": count_in(before, "total_opens") + opens,
        "reason": reason,
    }
    after.pop("opened_at", None)
    return (
        {**after, "opened_at": written(now if opened_at is None else opened_at)} if state == OPEN else after
    )


def breaker_text(state: Plain) -> str:
    """Return the file, its members in the loop's order; what somebody else added stays behind them."""
    order = closed_breaker(0.0)
    return pretty({name: state.get(name, order[name]) for name in order} | state)


def history_after(before: str | None, move: Plain | None) -> str:
    """Return the history with a move added; one that is not a list of moves begins anew."""
    found = value_in(before)
    moves = array_of(found)
    kept = [*moves, move][-KEPT:] if move is not None else moves
    if not kept:
        return "[]\n"
    return "[\n" + ",\n".join(f"    {dumps(one)}" for one in kept) + "\n]\n"


def move_of(before: Plain, after: Plain, loop: int) -> Plain | None:
    """Return the entry of the history for a change of state, None where there was none."""
    if before.get("state") == after.get("state"):
        return None
    return {
        "timestamp": after["last_change"],
        "loop": loop,
        "from_state": before.get("state"),
        "to_state": after["state"],
        "reason": after["reason"],
    }


def opened_at(state: Plain) -> float | None:
    """Return when a breaker opened, seconds since the epoch: `opened_at`, in old files `last_change`."""
    from exitgate.hosts.shim.files import instant

    for name in ("opened_at", "last_change"):
        found = instant(state.get(name))
        if found is not None:
            return found
    return None


def is_watching(state: Plain) -> bool:
    """Return whether a file says HALF_OPEN."""
    return state.get("state") == HALF_OPEN


# `.exit_signals`: three lists of loop numbers, the newest five of each.

#: Entries of a list that are kept.
WINDOW = 5


class Signals(Value):
    """
    The loops in which something was said.

    Args:
        test_only: Loops that ran tests and did nothing else.
        done: Loops that said that the work is done.
        indicators: Loops that gave the exit signal.
    """

    __slots__ = ("done", "indicators", "test_only")

    def __init__(
        self,
        test_only: tuple[object, ...] = (),
        done: tuple[object, ...] = (),
        indicators: tuple[object, ...] = (),
    ) -> None:
        self.test_only = test_only
        self.done = done
        self.indicators = indicators

    def __bool__(self) -> bool:
        return bool(self.test_only or self.done or self.indicators)

    def after(self, said: Statements, loop: int) -> Signals:
        """Return the lists after a loop that said this: tests alone add, changed files clear the first."""
        tests = (*self.test_only, loop) if said.test_only else () if said.files else self.test_only
        done = (*self.done, loop) if said.done else self.done
        indicators = (*self.indicators, loop) if said.exit else self.indicators
        return Signals(tests[-WINDOW:], done[-WINDOW:], indicators[-WINDOW:])

    def text(self) -> str:
        """Return the file: one line, as the loop writes it when it starts."""
        lists = [
            f"{dumps(name)}: [{', '.join(dumps(entry) for entry in entries)}]"
            for name, entries in (
                ("test_only_loops", self.test_only),
                ("done_signals", self.done),
                ("completion_indicators", self.indicators),
            )
        ]
        return "{" + ", ".join(lists) + "}\n"


def signals_in(text: str | None) -> Signals:
    """Return the lists in a file; what is missing or no list is empty, as it counts for nothing."""
    found = object_in(text) or JsonObject()
    names = ("test_only_loops", "done_signals", "completion_indicators")
    return Signals(*(tuple(found.array(name)) for name in names))


def loop_in(text: str | None) -> int:
    """Return the loop number of an analysis, 0 where it has none."""
    return count_in(object_in(text), "loop_number")


# A decision in the words of the loop: the reason it ends with, or what halts it.

#: Reasons that the loop knows. The first makes it say that a tool was refused, all others that the project is
#: completed.
REASONS = (
    "permission_denied", "test_saturation", "completion_signals", "safety_circuit_breaker",
    "project_complete", "plan_complete",
)  # fmt: skip

#: Class of exit -> the reason for an outcome that the loop does not know.
CALLED = {"complete": "project_complete"}


def reason_of(decision: Decision) -> tuple[str, str]:
    """
    Return the reason to end with, and what halts the loop; both are empty its destination on.

    An EXIT that is not a success and that the loop has no word for must not be reported as a completed
    project, nor an agent that asks or is blocked as one that was refused a tool: it halts, as an open
    breaker does, and the second text says why.
    """
    if decision.verdict == CONTINUE:
        return "", ""
    if decision.outcome in REASONS:
        return decision.outcome, ""
    reason = CALLED.get(str(decision.exit_class), "")
    return (reason, "") if reason else ("", f"{decision.outcome}: {decision.message}")


#: Why a breaker moved -> the counter of its file that says how often, and what people read.
TOLD = {
    WATCH: (IDLE, "no progress"),
    "no_progress": (IDLE, "no progress"),
    "same_error": (ERRORS, "the same error"),
    "permission_denials": (DENIALS, "permission denied"),
}


def breaker_in_words(why: str, state: str, counters: dict[str, object], breaker: Breaker) -> str:
    """
    Return why a breaker came to its state, for a reader of the loop's file.

    Args:
        why: Ids of the openings that were true, `watch`, or any other text, which stays as it is.
        state: The one that it came to.
        counters: The breaker's file, with this iteration counted.
        breaker: Of the policy, for openings that the loop has no counter for.
    """
    if state == CLOSED:
        return "progress was made; the breaker is closed" if why == "progress" else why
    ids = why.split(", ")
    if not all(one in TOLD or any(opening.id == one for opening in breaker.openings) for one in ids):
        return why
    return "; ".join(_sentence(one, state, counters, breaker) for one in ids)


def _sentence(one: str, state: str, counters: dict[str, object], breaker: Breaker) -> str:
    counter, told = TOLD.get(one, ("", ""))
    loops = count_in(counters, counter) if counter else 0
    if loops:
        rest = ", the breaker watches" if state == HALF_OPEN else ""
        return f"{told} in {loops} loop{'s' * (loops != 1)} running{rest}"
    condition = next((opening.text for opening in breaker.openings if opening.id == one), "")
    return f"{told or one.replace('_', ' ')}: {condition}" if condition else told or one
