"""
State files that somebody else wrote, taken into the ledger.

They tell of earlier iterations by counts. A new run begins whose first iterations are those: one line each,
with the facts that the counts stand for, decided by a policy that decides nothing. What the loop's policy
decides afterwards has them as its history (`docs/decisions/0704-ralph-shim.md`).
"""

from __future__ import annotations

import os

from exitgate.core.engine.breaker import OPEN, BreakerState
from exitgate.core.gate.overrides import NOTE
from exitgate.core.model.fact import Fact
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value
from exitgate.hosts.shim import state_files
from exitgate.hosts.shim.files import count_in
from exitgate.hosts.shim.state_files import DENIALS, ERRORS, IDLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request
    from exitgate.hosts.shim.analysis import Statements
    from exitgate.hosts.shim.state_files import Signals

    Plain = dict[str, object]


POLICY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "taken-over.yaml")

#: Iterations of one list or counter that are taken over; more change nothing.
LIMIT = 50


class ForeignState(Value):
    """
    What the files tell.

    Args:
        signals: The lists.
        said: What the last iteration said, or None.
        breaker: The breaker's file.
        latest: Whether the breaker's counters have the last iteration in them already.
    """

    __slots__ = ("breaker", "latest", "said", "signals")

    def __init__(self, signals: Signals, said: Statements | None, breaker: Plain, latest: bool) -> None:
        self.signals = signals
        self.said = said
        self.breaker = breaker
        self.latest = latest

    def iterations(self) -> tuple[dict[str, object], ...]:
        """
        Return the facts of each iteration the files tell of, newest last.

        Lists and counters end with the last iteration; an exit signal that is not in the last
        analysis was given before it.
        """
        exit_now = self.said is not None and self.said.exit
        # Entries of the signal lists that are before the last iteration where it gave no signal itself.
        gap = 0 if exit_now else 1
        tests, done, signals = (
            min(len(entries), LIMIT)
            for entries in (self.signals.test_only, self.signals.done, self.signals.indicators)
        )
        back = 0 if self.latest else 1
        counts = {name: min(count_in(self.breaker, name), LIMIT) for name in (IDLE, ERRORS, DENIALS)}
        if self.breaker.get("state") == OPEN:
            counts = dict.fromkeys(counts, 0)
        length = max(
            tests,
            done,
            signals + gap if signals else 0,
            *(count + back for count in counts.values() if count),
            1 if self.said is not None else 0,
            0,
        )
        return tuple(
            self._facts(
                test_only=at < tests,
                done=at < done,
                exit=gap <= at < signals + gap,
                idle=back <= at < counts[IDLE] + back,
                error=back <= at < counts[ERRORS] + back,
                denied=back <= at < counts[DENIALS] + back,
                last=at == 0,
            )
            for at in reversed(range(length))
        )

    def _facts(
        self, *, test_only: bool, done: bool, exit: bool, idle: bool, error: bool, denied: bool, last: bool
    ) -> dict[str, object]:
        said = self.said if last else None
        files = said is not None and said.files
        # Whether it moved is in the counters; of an iteration that they do not know yet, it said so itself.
        moved = not idle if said is None or self.latest else said.progress
        facts: dict[str, object] = {
            "loop.analysed": 1,
            "loop.exit": int(exit),
            "loop.done": int(done),
            "loop.test_only": int(test_only),
            "loop.files": int(files),
            "loop.progress": int(moved),
            "loop.asking": int(said is not None and said.asking),
            "loop.error": int(error or (said is not None and said.error)),
            "loop.denied": int(denied or (said is not None and said.denied)),
            "tests.only": test_only,
        }
        if idle or (said is not None and not self.latest):
            facts["git.changed"] = files
        if exit or said is not None:
            facts["status.exit_signal"] = said.exit if said is not None else True
        if said is not None and said.denied:
            facts |= {"denials.blocking": True, "denials.count": 1}
        return facts


def begin_anew(
    request: Request, told: ForeignState, now: float, *, all_of_them: bool, breaker: bool
) -> Plain | None:
    """
    Begin a run that has what the files tell as its history, and take the breaker's state over.

    Args:
        request: Of the loop's policy.
        told: What the files tell.
        now: Seconds since the epoch.
        all_of_them: False leaves the last iteration to the caller, who lets the policy decide on it.
        breaker: Whether somebody else wrote the breaker's file; else the ledger knows its state better.

    Returns:
        The facts of the last iteration where it was left to the caller, None where there is none.

    Raises:
        ExitgateError: As `exitgate.core.gate.check.check`.
    """
    from exitgate.core.gate.new_run import new_run
    from exitgate.core.state.discover import state_dir

    iterations = told.iterations()
    history = iterations if all_of_them else iterations[:-1]
    start = new_run(request)
    if history:
        _append(state_dir(request), str(start["run"]), history, now)
    if breaker:
        _take_breaker(state_dir(request), told.breaker, now)
    return None if all_of_them or not iterations else iterations[-1]


def facts_given(facts: Plain, policy: CompiledPolicy) -> dict[str, str]:
    """Return facts as `Request` takes them, those of the policy only."""
    return {
        name: (str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in facts.items()
        if name in policy.facts
    }


def _append(directory: str, run: str, history: tuple[Plain, ...], now: float) -> None:
    from exitgate.core.engine.evaluation import Evaluation
    from exitgate.core.engine.program import Program
    from exitgate.core.engine.record import Record
    from exitgate.core.gate.breaker import stored
    from exitgate.core.gate.settings import recall_settled
    from exitgate.core.ledger.append import Ledger
    from exitgate.core.ledger.line import line_for
    from exitgate.core.settings.files import SettingsRequest
    from exitgate.core.state.policy_snapshots import keep

    # No layer of the project speaks of it, and none may change what it is.
    asked = SettingsRequest(POLICY, POLICY, root=os.path.dirname(POLICY), environment=_cache_only())
    policy = recall_settled(asked).policy
    program = Program(policy)
    with Ledger(directory) as ledger:
        keep(directory, policy)
        breaker = stored(directory).kept()
        for number, plain in enumerate(history, 1):
            facts = [Fact(name, value, note=NOTE) for name, value in plain.items()]
            facts.append(Fact("run.iterations", number, note=NOTE))
            decision = Evaluation(program).step(Record({fact.name: fact.value for fact in facts}))
            totals = JsonObject(iterations=number)
            ledger.append(line_for(run, number, now, policy, facts, decision, totals=totals, breaker=breaker))


def _cache_only() -> dict[str, str]:
    """Return the variables that say where the cache is, and nothing that could be a setting."""
    names = ("EXITGATE_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
    return {name: os.environ[name] for name in names if name in os.environ}


def _take_breaker(directory: str, plain: Plain, now: float) -> None:
    """Append the state of the breaker as the file has it, where the ledger has another."""
    from exitgate.core.gate.breaker import stored
    from exitgate.core.ledger.append import Ledger
    from exitgate.core.ledger.line import breaker_for
    from exitgate.core.state.discover import BREAKER_RUN

    with Ledger(directory) as ledger:
        before = stored(directory)
        state = _state_of(plain, now)
        same = state.state == before.state.state and state.probe == before.state.probe
        if same and (state.state != OPEN or state.opened_at == before.state.opened_at):
            return
        why = f"imported: the loop's file says {state.state}"
        moved = {"from": before.state.state, "to": state.state, "why": why}
        ledger.append(breaker_for(BREAKER_RUN, 0, now, {**state.to_plain(), "moved": moved}, why))


def _state_of(plain: Plain, now: float) -> BreakerState:
    told = str(plain.get("reason") or "open in the loop's file")
    if plain.get("state") == OPEN:
        since = state_files.opened_at(plain)
        return BreakerState().opened(told, now if since is None else since)
    if state_files.is_watching(plain):
        # Its counters are in the history, so that it opens or closes as its own policy has it.
        return BreakerState().watched(told)
    return BreakerState()
