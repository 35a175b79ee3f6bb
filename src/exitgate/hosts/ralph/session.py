"""What one step works with: the project's files as they are, the answer before, and the check to ask."""

from __future__ import annotations

from exitgate.hosts.ralph import answer, breaker_file, files
from exitgate.hosts.ralph.answer import Written
from exitgate.hosts.ralph.said import said_by
from exitgate.hosts.ralph.settings import is_set, settings_of
from exitgate.hosts.ralph.signals import signals_in
from exitgate.hosts.ralph.taken_over import Told
from exitgate.ledger.out_of_git import leave_out_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request
    from exitgate.hosts.ralph.places import Places
    from exitgate.hosts.ralph.said import Said

    Plain = dict[str, object]


class Session:
    """
    One step of the loop.

    Args:
        places: Where its files are.
        policy: Shipped name or path, None for what the project's settings choose.
        environment: Its variables.
        now: Seconds since the epoch.
    """

    def __init__(
        self, places: Places, policy: str | None, environment: Mapping[str, str], now: float
    ) -> None:
        self.places = places
        self.policy = policy
        self.environment = environment
        self.now = now
        found = answer.read(places.answer)
        self.values: dict[str, str] = found[0] if found is not None else {}
        self.ours = found[1] if found is not None else None
        self.there = Written(
            *(files.text_of(path) for path in (places.signals, places.breaker, places.analysis))
        )

    @property
    def foreign(self) -> bool:
        """Whether somebody else wrote, removed or first made a state file since the last answer."""
        return self.ours is None or self.ours.parts() != self.there.parts()

    @property
    def breaker_is_foreign(self) -> bool:
        """Whether somebody else wrote the breaker's file."""
        return self.ours is None or self.ours.breaker != self.there.breaker

    @property
    def tells(self) -> bool:
        """Whether the files tell of an iteration: by an analysis, or by a signal."""
        return self.there.analysis is not None or bool(signals_in(self.there.signals))

    @property
    def breaker(self) -> Plain:
        """The breaker's file; a new one where it is missing or cannot be read."""
        return self.breaker_in(self.there)

    def breaker_in(self, files: Written) -> Plain:
        """The breaker's file among these; a new one where it is missing or cannot be read."""
        return breaker_file.read(files.breaker) or breaker_file.closed(self.now)

    def told(self, said: Said | None = None) -> Told:
        """
        Return what the files tell of earlier iterations.

        With `said` that is the iteration under way, which the breaker's counters do not know yet.
        """
        signals = signals_in(self.there.signals)
        if said is not None:
            return Told(signals, said, self.breaker, latest=False)
        last = said_by(self.there.analysis)
        return Told(signals, last, self.breaker, latest=True)

    def request(self, **more: Any) -> Request:
        """Return a request on this project, with settings from the loop's variables that were changed."""
        from exitgate.gate.request import Request

        places = self.places
        asked: dict[str, Any] = {
            "plan": places.plan,
            "policy": self.policy,
            "state_dir": places.state_dir,
            "left_out": places.left_out(),
            "time": self.now,
            **more,
        }
        if is_set(self.environment):
            from exitgate.gate.settings import policy_of

            asked["settings"] = settings_of(self.environment, policy_of(Request(policy=self.policy)))
        return Request(**asked)

    def leave(
        self,
        checked: Checked,
        breaker: Plain,
        loop: int,
        *,
        signals: str,
        analysis: str | None,
        more: Mapping[str, object],
    ) -> None:
        """
        Write what changed of the state files, then the answer.

        Args:
            checked: The check.
            breaker: The breaker's file, its counters up to date, its state not yet.
            loop: Number of the loop it was.
            signals: Text of `.exit_signals`.
            analysis: Text of `.response_analysis`; None leaves the one that is there, or none.
            more: What else the shell wants to know.

        Raises:
            ExitgateError: 73 when a file cannot be written.
        """
        from exitgate.hosts.ralph.reasons import reason_of

        places = self.places
        after = self._moved(checked, breaker)
        move = breaker_file.move_of(breaker, after, loop)
        history = files.text_of(places.history)
        written = Written(
            signals, breaker_file.text(after), self.there.analysis if analysis is None else analysis
        )
        moved = self.breaker["state"] != after["state"]  # else the file, and with it its history, has it
        moves = breaker_file.history_after(history, move if moved else None)
        if not self.values or loop == 1:  # the shell writes the first before it starts an agent
            leave_out_files((places.begun, places.answer, places.signals, places.breaker, places.analysis))
        paths = (places.signals, places.breaker, places.analysis, places.history)
        old = (*self.there.parts(), history)
        for path, before, text in zip(paths, old, (*written.parts(), moves), strict=True):
            if text != before:
                files.replace(path, text)
        reason, halt = reason_of(checked.decision)
        values = {
            "loop": loop,
            "verdict": checked.decision.verdict,
            "reason": reason,
            "halt": halt,
            "outcome": checked.decision.outcome,
            "message": checked.decision.message,
            "advice": checked.decision.advice,
            "breaker": after["state"],
            "moved": "" if move is None else f"{move['from_state']} -> {move['to_state']}: {move['reason']}",
            "plan": places.plan or checked.iteration.source("plan").path or "",
            **more,
        }
        files.replace(places.answer, answer.text(values, written))

    def leave_again(self, loop: int) -> None:
        """Write the answer once more, for another loop: the run ended, and nothing changed since."""
        assert self.ours is not None
        files.replace(self.places.answer, answer.text({**self.values, "loop": loop}, self.ours))

    def _moved(self, checked: Checked, breaker: Plain) -> Plain:
        from exitgate.engine.breaker_state import CLOSED
        from exitgate.hosts.ralph.instants import instant
        from exitgate.hosts.ralph.reasons import breaker_told
        from exitgate.hosts.ralph.said import value_of

        state = value_of(checked.facts, "circuit.state")
        if checked.policy.breaker is None or not isinstance(state, str) or state == breaker["state"]:
            return breaker
        reason = value_of(checked.facts, "circuit.reason")
        why = str(reason) if reason else "progress" if state == CLOSED else checked.decision.message
        told = breaker_told(why, state, breaker, checked.policy.breaker)
        return breaker_file.moved(breaker, state, told, instant(breaker.get("opened_at")), self.now)
