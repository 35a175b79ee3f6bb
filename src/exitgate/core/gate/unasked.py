"""A check that asks the world nothing, as most do: what it takes to do so is not loaded."""

from __future__ import annotations

import os

from exitgate.core.facts.registry import probes_asked
from exitgate.core.model.decision import COMPLETE, EXIT
from exitgate.core.probes import CONSENTS, VARIABLE
from exitgate.core.state.history import STRENGTH
from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.asking import Asker
    from exitgate.core.gate.decision import Decided
    from exitgate.core.gate.observation import Observation
    from exitgate.core.gate.prior import Prior
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


def asker_of(request: Request, policy: CompiledPolicy) -> Asker | Unasked:
    """Return what asks the world for a check; nothing of it is loaded for a policy that names no probe."""
    for entry in policy.extractions:
        if probes_asked(entry.extractor, entry.options):
            from exitgate.core.gate.asking import Asker

            return Asker(request, policy)
    return Unasked(request, policy)


class Unasked:
    """
    A check of a policy that names no probe.

    The run may have begun with another policy, or a person may have allowed probes here: then it is looked at
    what became of them.
    """

    def __init__(self, request: Request, policy: CompiledPolicy) -> None:
        self._request = request
        self._policy = policy
        self._prior: Prior | None = None
        self.answers: dict[str, JsonObject] = {}
        self.said = ""

    def begin(self, seen: Observation, prior: Prior) -> Observation:
        """Return the observation as it is."""
        self._prior = prior
        return seen

    def next(self, *_: object) -> None:
        """Ask nothing."""

    def ask(self, name: str, *_: object) -> bool:
        """Raise an error: nothing is asked."""
        raise AssertionError(name)

    def known(self, seen: Observation) -> Observation:
        """Return the observation as it is."""
        return seen

    def settled(self, decided: Decided, seen: Observation) -> Decided:
        """Return the decision that is recorded, for review where a guard of the run is gone."""
        decision = decided.result.decision
        completes = decision.verdict == EXIT and decision.exit_class == COMPLETE
        guarded = STRENGTH in seen.texts.begun.totals or VARIABLE in os.environ or _has_consents()
        if not completes or not guarded:
            return decided
        from exitgate.core.gate.asking import Asker

        assert self._prior is not None
        with Asker(self._request, self._policy) as asker:
            asker.begin(seen, self._prior)
            decided = asker.settled(decided, seen)
            self.said = asker.said
        return decided

    def __enter__(self) -> Unasked:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""


def _has_consents() -> bool:
    """Return whether this user allowed commands of any project."""
    try:
        return os.path.lexists(os.path.join(portable.user_folder(os.environ, portable.STATES), CONSENTS))
    except LookupError:
        return False
