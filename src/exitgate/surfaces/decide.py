"""One check as every surface makes it."""

from __future__ import annotations

from exitgate.gate.check import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request


def decide(request: Request) -> Checked:
    """Decide on one iteration; raises as `exitgate.gate.check.check` does."""
    return check(request)
