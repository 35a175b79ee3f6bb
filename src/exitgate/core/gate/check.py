"""One check from start to end: discover, load, observe, extract, decide, record."""

from __future__ import annotations

from exitgate.core.engine.stages import BEFORE
from exitgate.core.gate.decision import decide
from exitgate.core.gate.extract import extract
from exitgate.core.gate.observation import observe, read
from exitgate.core.gate.overrides import given_facts
from exitgate.core.gate.prior import Unlocked, look
from exitgate.core.gate.settings import policy_of
from exitgate.core.model.fact import Iteration
from exitgate.core.observe.masking import masked
from exitgate.core.observe.sources import check_given
from exitgate.core.state import discover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.observation import Texts
    from exitgate.core.gate.prior import Prior, ReadLedger
    from exitgate.core.gate.result import CheckResult
    from exitgate.core.ledger.append import Ledger
    from exitgate.core.model.fact import Fact, Source
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


class Steps:
    """The steps of a check that take time; a subclass can watch them at work."""

    read = staticmethod(read)
    observe = staticmethod(observe)
    extract = staticmethod(extract)
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
    with _opened(request, directory) as ledger:
        while True:
            prior = look(request, policy, ledger, name)
            texts = steps.read(request, policy, prior, heard)
            repeated = _repeated(request, policy, prior, texts, given, ledger)
            if repeated is not None:
                return repeated
            seen = steps.observe(request, policy, prior, texts)
            failed: list[str] = []
            found = steps.extract(policy, seen.iteration, seen.compared, failed)
            decided = steps.decide(request, policy, prior, seen, found, given, (*failed, *ledger.notes))
            if isinstance(ledger, Unlocked):
                return decided.result
            from exitgate.core.gate.recording import Recording

            recording = Recording(request, prior, seen, decided, directory)
            day = None if seen.days is None else seen.days.sequence
            if ledger.retake() or prior.holds(ledger, name, day, decided.numbered):
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
