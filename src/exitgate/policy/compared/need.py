"""A reason to raise the version of a policy."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.compared.decision import Kind

PATCH, MINOR, MAJOR = "patch", "minor", "major"


class Need(Value):
    """
    A reason to raise a version.

    Args:
        level: `PATCH`, `MINOR` or `MAJOR`.
        why: The reason, a sentence part.
        section, name: What it is about, as in `Change`; both empty for a decision.
        kind: The input that is decided differently, where that is the reason.
    """

    __slots__ = ("kind", "level", "name", "section", "why")

    def __init__(
        self, level: str, why: str, section: str = "", name: str = "", kind: Kind | None = None
    ) -> None:
        self.level = level
        self.why = why
        self.section = section
        self.name = name
        self.kind = kind
