"""One check put into the ledger: what is written is made ready before the lock is held."""

from __future__ import annotations

from exitgate.core.gate.result import CheckResult
from exitgate.core.ledger.gitignore import leave_out_folder
from exitgate.core.ledger.line import EXPIRED, end_for, line_for, start_for
from exitgate.core.observe.ignored_files import left_out, with_left_out
from exitgate.core.state import earlier, faults
from exitgate.core.state.policy_snapshots import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.decision import Decided
    from exitgate.core.gate.observation import Observation
    from exitgate.core.gate.prior import Prior
    from exitgate.core.ledger.append import Ledger
    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


class Recording:
    """
    The lines and texts of a check, ready to be written.

    The policy that decided is kept in the state directory by then, as it does not depend on the ledger.

    Args:
        request: What was asked.
        prior: What was there before.
        seen: What was observed.
        decided: The decision, and what the line needs besides.
        directory: The state directory.

    Raises:
        ExitgateError: 73 when the policy cannot be kept.
    """

    def __init__(
        self, request: Request, prior: Prior, seen: Observation, decided: Decided, directory: str
    ) -> None:
        checked = decided.result
        where, iteration, policy = prior.history.standing, checked.iteration, checked.policy
        self.request = request
        self.is_new = where.new
        self.seen = seen
        self.checked = checked
        self.texts = earlier.texts(seen.needed, iteration, policy) if seen.ended else {}
        baseline = _baseline(request, policy, seen)
        keep(directory, policy)
        self.before: list[dict[str, object]] = []
        if where.expired is not None:
            self.before.append(end_for(where.expired, prior.now, EXPIRED, where.why))
        if where.new:
            # Facts of a run's first check show how it began only when no iteration was before it.
            early = iteration.number == 0
            facts = checked.facts.values() if early else ()
            self.before.append(start_for(where.run, prior.now, policy, facts, baseline if early else None))
        self.line = line_for(
            iteration.run,
            iteration.number,
            prior.now,
            policy,
            checked.facts.values(),
            checked.decision,
            totals=decided.totals,
            breaker=decided.breaker,
            sources=iteration.sources.values(),
            baseline=baseline,
            turn=request.turn,
            days=decided.carried,
        )

    def appended(self, ledger: Ledger) -> CheckResult:
        """
        Append the check to the locked ledger, behind the lines that end an expired run and begin a new one.

        Raises:
            ExitgateError: 73 when something cannot be written.
        """
        checked, seen = self.checked, self.seen
        if seen.ended:
            earlier.keep(ledger.directory, seen.needed, checked.iteration, self.texts)
        for line in self.before:
            ledger.append(line)
        if self.is_new:  # an older version may have made these files
            leave_out_folder(ledger.directory)
            if checked.policy.views:
                from exitgate.core.views.update import leave_out_views

                leave_out_views(self.request.root, checked.policy.views)
        line = ledger.append(self.line)
        decision = self._followed(ledger.directory, line)
        return CheckResult(
            checked.policy,
            checked.iteration,
            checked.facts,
            decision,
            line,
            checked.notes,
            checked.records,
            checked.changed,
        )

    def _followed(self, directory: str, line: dict[str, object]) -> Decision:
        """Bring to the line what is derived from it; return the decision with what kept that from it."""
        checked = self.checked
        decision, policy = checked.decision, checked.policy
        trouble = earlier.forget(directory, self.seen.needed, checked.iteration.run, decision)
        if policy.views:
            from exitgate.core.views.update import update

            trouble = (
                *update(self.request.root, directory, policy.views, policy.values(), line),
                *trouble,
            )
        if trouble:
            from exitgate.core.views.update import with_warnings

            decision = with_warnings(decision, trouble)
        faults.keep(directory, (warning.message for warning in decision.warnings))
        return decision


def _baseline(request: Request, policy: CompiledPolicy, seen: Observation) -> dict[str, object] | None:
    """Return what git facts of the next iteration compare with; None where git was not looked at."""
    source = seen.iteration.sources.get("git")
    if source is None or source.record is None:
        return None
    from exitgate.core.observe.git import baseline_of

    return with_left_out(baseline_of(source.record), left_out(request, policy, seen.texts.begun))
