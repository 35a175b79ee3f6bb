"""What a run used up over its iterations, and where each policy would have ended that."""

from __future__ import annotations

from itertools import accumulate

from exitgate.dryrun.page.charts import chart
from exitgate.dryrun.page.moments import counted, usd
from exitgate.dryrun.page.verdicts import stop_of
from exitgate.dryrun.page.view import Spending
from exitgate.model.type import COUNT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.dryrun.result import RunResult
    from exitgate.model.type import Type as ValueType

USD = Type("money", currency="USD")


def spending(results: Sequence[RunResult], columns: Sequence[int]) -> Spending | None:
    """Return the curve of cost, of tokens where no cost is reported, or None where neither is."""
    name, unit, used = _used(results[0])
    if not any(used):
        return None
    total = list(accumulate(used))
    line = chart(name, [total[number - 1] for number in columns], unit, {})
    stops = []
    for result in results:
        stop = stop_of(result)
        if stop is not None and total[-1] > 0:
            at = total[stop - 1]
            stops.append((result.policy, stop, amount(at, unit), f"{100 * at / total[-1]:.0f}%"))
    words = "; ".join(f"{policy} stops at iteration {stop}, {at}" for policy, stop, at, _ in stops)
    return Spending(line._replace(words=f"{line.words}; {words}" if words else line.words), tuple(stops))


def amount(value: float, unit: ValueType) -> str:
    """Return an amount of money or of tokens."""
    return usd(value) if unit.kind == "money" else counted(int(value), "token")


def _used(result: RunResult) -> tuple[str, ValueType, list[float]]:
    """Return what is counted, its type, and how much of it each iteration took."""
    costs = [cost or 0.0 for cost in result.costs]
    if any(costs):
        return "cost so far", USD, costs
    told = {row.iteration: float(row.tokens or 0) for row in result.rows}
    return "tokens so far", COUNT, [told.get(number, 0.0) for number in range(1, len(costs) + 1)]
