"""What is written differently in two policies, as plain values."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy

ADDED, REMOVED, CHANGED, MOVED, RENAMED = "added", "removed", "changed", "moved", "renamed"

#: Sections of a policy, in the order of the file.
POLICY, PARAMETERS, PROFILES, LISTS, FACTS, CONDITIONS, CIRCUIT = (
    "policy", "parameters", "profiles", "lists", "facts", "conditions", "circuit",
)  # fmt: skip
RULES, OTHERWISE, UNDETERMINED, INVARIANTS, VIEWS, MASK = (
    "rules", "otherwise", "undetermined", "invariants", "views", "mask",
)  # fmt: skip
SECTIONS = (
    POLICY, PARAMETERS, PROFILES, LISTS, FACTS, CONDITIONS, CIRCUIT, RULES, OTHERWISE, UNDETERMINED,
    INVARIANTS, VIEWS, MASK,
)  # fmt: skip


class Side(Value):
    """
    One of the two policies.

    Args:
        label: What the user called it.
        policy: It, compiled.
        declared: What the file says beside that and no decision rests on by itself, plain data by key:
            ``doc``, ``profiles``, ``lists``; keys that are not written are missing.
    """

    __slots__ = ("declared", "label", "policy")

    def __init__(
        self, label: str, policy: CompiledPolicy, declared: Mapping[str, object] | None = None
    ) -> None:
        self.label = label
        self.policy = policy
        self.declared = declared or {}


class Detail(Value):
    """One property of a thing: its text in the first and in the second policy, None where it has none."""

    __slots__ = ("after", "before", "property")

    def __init__(self, property: str, before: str | None, after: str | None) -> None:
        self.property = property
        self.before = before
        self.after = after


class Change(Value):
    """
    One element that differs between the second policy and the first.

    Args:
        section: One of `SECTIONS`.
        name: Its name there: a parameter, a fact, the id of a rule; the section's own for what is one.
        kind: `ADDED`, `REMOVED`, `CHANGED`, `MOVED` (a rule that may have changed as well) or `RENAMED`.
        details: The differences; the whole element if it was added or removed.
        was: The former name of what was renamed; the place in the chain of what was moved, in words.
        now: For what was moved: its place now.
    """

    __slots__ = ("details", "kind", "name", "now", "section", "was")

    def __init__(
        self,
        section: str,
        name: str,
        kind: str,
        details: tuple[Detail, ...] = (),
        was: str = "",
        now: str = "",
    ) -> None:
        self.section = section
        self.name = name
        self.kind = kind
        self.details = details
        self.was = was
        self.now = now

    def of(self, property: str) -> Detail | None:
        """Return what is different in one property, or None."""
        return next((one for one in self.details if one.property == property), None)
