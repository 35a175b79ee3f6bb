"""The cases of one file together with the policy they are for."""

from __future__ import annotations

from exitgate.engine.program import Program
from exitgate.model.value import Value
from exitgate.policy.compile import load_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.document import Document
    from exitgate.testing.case import Case


class Under(Value):
    """Name of a profile, or None, and texts for parameters, by name."""

    __slots__ = ("profile", "settings")

    def __init__(self, profile: str | None = None, settings: Mapping[str, str] | None = None) -> None:
        self.profile = profile
        self.settings = settings or {}


NOTHING = Under()


class Suite:
    """
    The cases of one file with the policy they are for; programs are compiled once for each setting.

    Args:
        reference: Path or name of the policy.
        policy: It, compiled under `under`.
        cases: In the order written, tables and grids spread.
        document: The file.
        under: Profile and settings that hold where a case says nothing else.
    """

    def __init__(
        self,
        reference: str,
        policy: CompiledPolicy,
        cases: tuple[Case, ...],
        document: Document,
        under: Under,
    ) -> None:
        self.policy = policy
        self.cases = cases
        self.document = document
        self.under = under
        self.reference = reference
        self._programs: dict[object, Program] = {_key(under): Program(policy)}

    @property
    def unset(self) -> Program:
        """The policy's program without settings of a case."""
        return self._programs[_key(self.under)]

    def program(self, case: Case) -> Program:
        """Return the policy's program under the case's profile and settings. Raises `ExitgateError`."""
        under = Under(case.profile or self.under.profile, {**self.under.settings, **case.settings})
        key = _key(under)
        found = self._programs.get(key)
        if found is None:
            policy = load_policy(self.reference, settings=under.settings, profile=under.profile)
            found = self._programs[key] = Program(policy)
        return found


def _key(under: Under) -> object:
    return under.profile, tuple(sorted(under.settings.items()))
