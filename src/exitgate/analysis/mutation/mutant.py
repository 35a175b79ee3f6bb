"""One mistake made in a policy on purpose."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.mutation.changes import Change
    from exitgate.model.place import Place
    from exitgate.policy.compiled import CompiledPolicy


class Mutant(Value):
    """
    One small mistake in a policy.

    Args:
        id: `SUBJECT:KIND:NUMBER`, for example ``low_confidence:comparison:1``: the same in every run
            over the same policy. Numbers count the mutants of one kind in one subject, from 1.
        kind: One of `exitgate.analysis.mutation.registry.KINDS`.
        subject: What was changed: a rule's id, ``@condition``, a computed fact, ``$parameter``,
            ``circuit.OPENING``, ``circuit.watch`` or ``circuit.close``.
        before, after: What was there and what is there now, as the language writes it; an empty
            `after` for what is dropped.
        change: Makes the mutant of the policy, also of the policy with other values of its parameters.
        place: Where the rule or the opening is, or None for what has no place in a compiled policy.
    """

    __slots__ = ("after", "before", "change", "id", "kind", "place", "subject")

    def __init__(
        self,
        id: str,
        kind: str,
        subject: str,
        before: str,
        after: str,
        change: Change,
        place: Place | None = None,
    ) -> None:
        self.id = id
        self.kind = kind
        self.subject = subject
        self.before = before
        self.after = after
        self.change = change
        self.place = place

    def of(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy with the mistake in it. Its digest is another one, as its text would be."""
        return self.change.made(policy).but(digest=f"{policy.digest}+{self.id}")
