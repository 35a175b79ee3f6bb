"""The smallest changes that would have given another decision, as sentences."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report.summary import verdict_text
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from exitgate.model.decision import Decision
    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy

    class Edit(Protocol):
        """A value in the place of another: `name` is a fact, or a parameter with its ``$``."""

        @property
        def name(self) -> str:
            """What is changed."""

        @property
        def before(self) -> object:
            """The value it has."""

        @property
        def after(self) -> object:
            """The value tried."""

    class Change(Protocol):
        """What analysis found: edits, and the decision they lead to."""

        @property
        def edits(self) -> tuple[Edit, ...]:
            """All it takes."""

        @property
        def decision(self) -> Decision:
            """Where it leads."""


SHOWN = 3


def change_sentences(
    changes: Iterable[Change], policy: CompiledPolicy, shown: int = SHOWN
) -> tuple[str, ...]:
    """
    Return ``would have been EXIT complete · id if tasks.percent had been 80%, not 66.7%`` for each change.

    Only the first for each verdict and class is kept, at most `shown` of them; changes come smallest first.
    """
    kept: dict[tuple[str, str | None], str] = {}
    for change in changes:
        decision = change.decision
        result = (decision.verdict, decision.exit_class)
        if result not in kept:
            edits = " and ".join(_edit(edit, policy) for edit in change.edits)
            outcome = f"{verdict_text(*result)} · {decision.outcome}"
            kept[result] = f"would have been {outcome} if {edits}"
    return tuple(kept.values())[:shown]


def _edit(edit: Edit, policy: CompiledPolicy) -> str:
    kind = _type(edit.name, policy)
    after = "unknown" if isinstance(edit.after, Unknown) else value_text(edit.after, kind)
    before = "unknown" if isinstance(edit.before, Unknown) else value_text(edit.before, kind)
    return f"{edit.name} had been {after}, not {before}"


def _type(name: str, policy: CompiledPolicy) -> Type | None:
    if name.startswith("$"):
        parameter = policy.parameters.get(name[1:])
        return parameter.type if parameter is not None else None
    spec = policy.facts.get(name)
    return spec.type if spec is not None else None
