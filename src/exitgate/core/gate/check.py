"""One check from start to end: discover, load, observe, extract, decide, record."""

from __future__ import annotations

from exitgate.core.engine.stages import BEFORE
from exitgate.core.gate.decision import CheckResult, decide
from exitgate.core.gate.extract import asked, extract
from exitgate.core.gate.observation import observe, read
from exitgate.core.gate.overrides import given_facts
from exitgate.core.gate.prior import Unlocked, look
from exitgate.core.gate.settings import policy_of
from exitgate.core.gate.unasked import asker_of
from exitgate.core.ledger.gitignore import leave_out_folder
from exitgate.core.ledger.line import EXPIRED, end_for, line_for, start_for
from exitgate.core.model.fact import Iteration
from exitgate.core.observe.ignored_files import left_out, with_left_out
from exitgate.core.observe.masking import masked
from exitgate.core.observe.sources import TAMPERING, check_given
from exitgate.core.state import discover, earlier, faults
from exitgate.core.state.began import began_in
from exitgate.core.state.policy_snapshots import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.asking import Asker
    from exitgate.core.gate.decision import Decided
    from exitgate.core.gate.observation import Observation, Texts
    from exitgate.core.gate.prior import Prior, ReadLedger
    from exitgate.core.gate.unasked import Unasked
    from exitgate.core.ledger.append import Ledger
    from exitgate.core.model.decision import Decision
    from exitgate.core.model.fact import Fact, Iteration, Source
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


class Steps:
    """The steps of a check that take time; a subclass can watch them at work."""

    read = staticmethod(read)
    observe = staticmethod(observe)
    extract = staticmethod(extract)
    ask = staticmethod(asked)
    decide = staticmethod(decide)


def check(request: Request, steps: Steps | None = None) -> CheckResult:
    """
    Decide on one iteration.

    The policy is loaded before anything is locked. The lock is held while the ledger's tail is read and
    while the line is written, never while sources are read or facts extracted: where another check of the
    run came between, all is looked at again. With `request.record` False nothing is locked or written.

    Raises:
        ExitgateError: 64 for a request that does not match the policy, 65 for a policy that cannot be
            used, 66 when a named file is missing, 73 and 74 when something cannot be written or read,
            75 when the ledger stays locked. Nothing is recorded then.
    """
    steps = steps or Steps()
    policy = policy_of(request) if request.program is None else request.program.policy
    check_given(request, policy)
    given = given_facts(request.facts, policy)
    name, directory = discover.run_name(request), discover.state_dir(request)
    heard: dict[str, Source] = {}
    with _opened(request, directory) as ledger, asker_of(request, policy) as asker:
        while True:
            prior = look(request, policy, ledger, name)
            texts = steps.read(request, policy, prior, heard)
            repeated = _repeated(request, policy, prior, texts, given, ledger)
            if repeated is not None:
                return repeated
            seen = asker.begin(steps.observe(request, policy, prior, texts), prior)
            failed: list[str] = []
            found = steps.extract(policy, seen.iteration, seen.compared, failed)
            while True:
                decided = steps.decide(request, policy, prior, seen, found, given, (*failed, *ledger.notes))
                probe = asker.next(decided, seen, prior)
                if probe is None or not asker.ask(probe, decided, seen, prior, ledger):
                    break
                seen = asker.known(seen)
                found.update(steps.ask(policy, seen.iteration))
            decided = asker.settled(decided, seen)
            if isinstance(ledger, Unlocked):
                return decided.result

            recording = Recording(request, prior, seen, decided, directory, asker)
            day = None if seen.days is None else seen.days.sequence
            same = ledger.retake() or prior.holds(ledger, name, day, decided.numbered)
            if same and probe is None:
                return recording.appended(ledger)
            ledger.look_again()


def _opened(request: Request, directory: str) -> Ledger | Unlocked:
    if not request.record:
        return Unlocked(directory)
    from exitgate.core.ledger.append import Ledger

    return Ledger(directory, window=request.window)


def _repeated(
    request: Request,
    policy: CompiledPolicy,
    prior: Prior,
    texts: Texts,
    given: dict[str, Fact],
    ledger: ReadLedger,
) -> CheckResult | None:
    """Return the recorded check on the same iteration or turn, None for a new one."""
    if request.stage == BEFORE or (request.iteration is None and request.turn is None):
        return None
    from exitgate.core.gate.idempotency import decided_before

    where = prior.history.standing
    now = Iteration(where.iteration, where.run, prior.now, texts.sources)
    shown = masked(given, texts.sources, policy)
    last, asked, turn = prior.history.last, request.iteration, request.turn
    return decided_before(policy, now, last, ledger.tail, asked, turn, shown)


# One check put into the ledger: what is written is made ready before the lock is held.


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
        asker: What probes said, and what changed of what guards the run.

    Raises:
        ExitgateError: 73 when the policy cannot be kept.
    """

    def __init__(
        self,
        request: Request,
        prior: Prior,
        seen: Observation,
        decided: Decided,
        directory: str,
        asker: Asker | Unasked,
    ) -> None:
        checked = decided.result
        where, iteration, policy = prior.history.standing, checked.iteration, checked.policy
        self.request = request
        self.is_new = where.new
        self.seen = seen
        self.checked = checked
        self.texts = earlier.texts(seen.needed, iteration, policy) if seen.ended else {}
        baseline = _baseline(request, policy, seen)
        began = began_in(directory, seen.iteration.sources.get(TAMPERING)) or seen.texts.begun.kept
        keep(directory, policy)
        self.before: list[JsonObject] = []
        if where.expired is not None:
            self.before.append(end_for(where.expired, prior.now, EXPIRED, where.why))
        if where.new:
            # Facts of a run's first check show how it began only when no iteration was before it.
            early = iteration.number == 0
            facts = checked.facts.values() if early else ()
            first = start_for(
                where.run, prior.now, policy, facts, baseline if early else None, began=began if early else ""
            )
            self.before.append(first)
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
            began=began,
            probes=asker.answers,
            gate=asker.said,
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
            checked.probes,
        )

    def _followed(self, directory: str, line: JsonObject) -> Decision:
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


def _baseline(request: Request, policy: CompiledPolicy, seen: Observation) -> JsonObject | None:
    """Return what git facts of the next iteration compare with; None where git was not looked at."""
    source = seen.iteration.sources.get("git")
    if source is None or source.record is None:
        return None
    from exitgate.core.observe.git import baseline_of

    return with_left_out(baseline_of(source.record), left_out(request, policy, seen.texts.begun))
