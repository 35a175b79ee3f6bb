"""How well stated chances agree with what came of them: reliability, calibration error, Brier score, AUC."""

from __future__ import annotations

from math import sqrt

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: What was stated (a chance from 0 to 1, or any number where only ranks count), and what came of it.
    Pair = tuple[float, bool]

#: The normal quantile of a 95 % interval.
Z = 1.959964


class Bin(Value):
    """
    Statements of about the same chance.

    Args:
        low, high: Bounds of the bin, from 0 to 1.
        count: How many statements.
        stated: Their mean.
        observed: Share of them that came true.
        interval: Its 95 % interval after Wilson, as if the statements were independent.
    """

    __slots__ = ("count", "high", "interval", "low", "observed", "stated")

    def __init__(
        self,
        low: float,
        high: float,
        count: int,
        stated: float,
        observed: float,
        interval: tuple[float, float],
    ) -> None:
        self.low = low
        self.high = high
        self.count = count
        self.stated = stated
        self.observed = observed
        self.interval = interval


def bins(pairs: Sequence[Pair], wanted: int = 10) -> tuple[Bin, ...]:
    """
    Return statements in bins of equal width, empty ones left out.

    Args:
        pairs: Chances from 0 to 1, and what came of them.
        wanted: Into how many bins 0 to 1 is cut; the last one has 1 in it.
    """
    found: dict[int, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(min(int(pair[0] * wanted), wanted - 1), []).append(pair)
    return tuple(_bin(at / wanted, (at + 1) / wanted, found[at]) for at in sorted(found))


def _bin(low: float, high: float, pairs: Sequence[Pair]) -> Bin:
    true = sum(came for _, came in pairs)
    count = len(pairs)
    stated = sum(chance for chance, _ in pairs) / count
    return Bin(low, high, count, stated, true / count, wilson(true, count))


def wilson(true: int, count: int) -> tuple[float, float]:
    """
    Return the 95 % score interval of a share (Wilson, Probable Inference, JASA 22, 1927).

    `count` is at least 1.
    """
    share = true / count
    middle = share + Z * Z / (2 * count)
    half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    scale = 1 + Z * Z / count
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def calibration_error(found: Sequence[Bin]) -> float:
    """Return the expected calibration error (Guo et al., Calibration of Modern Neural Networks, 2017)."""
    count = sum(one.count for one in found)
    return sum(one.count * abs(one.stated - one.observed) for one in found) / count


def brier(pairs: Sequence[Pair]) -> float:
    """Return the mean squared error of chances (Brier, Verification of Forecasts, 1950); 0 is best."""
    return sum((chance - came) ** 2 for chance, came in pairs) / len(pairs)


def base_rate(pairs: Sequence[Pair]) -> float:
    """Return the share that came true. Who always states it has a Brier score of ``rate * (1 - rate)``."""
    return sum(came for _, came in pairs) / len(pairs)


def auc(pairs: Sequence[Pair]) -> float | None:
    """
    Return the chance that something stated of what came true is above that of what did not, ties half.

    The area under the ROC curve by ranks (Hanley and McNeil, Radiology 143, 1982). None where all came true
    or nothing did.
    """
    true = sum(came for _, came in pairs)
    false = len(pairs) - true
    if not true or not false:
        return None
    ordered = sorted(pairs)
    above = 0.0
    false_below = at = 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        true_here = sum(came for _, came in ordered[at:end])
        false_here = end - at - true_here
        above += true_here * (false_below + false_here / 2)
        false_below += false_here
        at = end
    return above / (true * false)
