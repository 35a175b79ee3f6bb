"""A setting as another project's file says it."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.place import Place


class Found(Value):
    """
    One setting.

    Args:
        name: As that project calls it, `CB_COOLDOWN_MINUTES`, `circuit_breaker.enabled`.
        value: Its text; None where it cannot be determined without running the file.
        place: Where it is.
        written: The words of the file, `CB_COOLDOWN_MINUTES="45"`.
        why: Why the value is None, or the empty text.
        source: The line it is on, as far as a diagnostic may quote it: what else a line of the shell sets
            may be a secret.
    """

    __slots__ = ("name", "place", "source", "value", "why", "written")

    def __init__(
        self,
        name: str,
        value: str | None,
        place: Place,
        written: str,
        why: str,
        source: str,
    ) -> None:
        self.name = name
        self.value = value
        self.place = place
        self.written = written
        self.why = why
        self.source = source
