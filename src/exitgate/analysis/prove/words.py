"""How answers are put in words."""

from __future__ import annotations

from exitgate.analysis.prove.proof import HELD, PROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.walk.answer import Answer

#: From so many digits on a number of points is known from its size.
DIGITS = 7


def status_of(none: Answer) -> str:
    """Return how sure it is that there is no such input."""
    return PROVED if none.exact else HELD


def held(none: Answer) -> str:
    """Return how sure it is that there is no such input, in words."""
    return "" if none.exact else f"at every one of {points(none.points)} points; no proof"


def points(count: int) -> str:
    """Return a number of points as people read it; a large one by its power of ten."""
    digits = len(str(count))
    return f"{count:,}" if digits < DIGITS else f"about 10^{digits - 1}"
