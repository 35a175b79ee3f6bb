"""What each policy did over all runs of a dry run."""

from __future__ import annotations

from exitgate.model.type import micro
from exitgate.model.value import Value
from exitgate.model.verdict import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.dryrun.result import DryRun


class Sum(Value):
    """
    One policy over all runs.

    Args:
        policy: As it is called in the dry run.
        version: Of it.
        runs: How many there are.
        stops: How many it stops.
        tentative: How many of the stops some value for what is unknown could change.
        classes: Class of exit -> how many stops have it, in the order of the classes.
        after: Iterations after its stops.
        cost_after: USD after its stops, None where no run tells costs.
    """

    __slots__ = ("after", "classes", "cost_after", "policy", "runs", "stops", "tentative", "version")

    def __init__(
        self,
        policy: str,
        version: str,
        runs: int,
        stops: int,
        tentative: int,
        classes: Mapping[str, int],
        after: int,
        cost_after: float | None,
    ) -> None:
        self.policy = policy
        self.version = version
        self.runs = runs
        self.stops = stops
        self.tentative = tentative
        self.classes = classes
        self.after = after
        self.cost_after = cost_after


def sums(found: DryRun) -> tuple[Sum, ...]:
    """Return the sum of each policy, in order."""
    return tuple(_sum(found, policy) for policy in found.policies)


def _sum(found: DryRun, policy: str) -> Sum:
    results = [result for result in found.results if result.policy == policy]
    stops = [result.stop for result in results if result.stop is not None]
    counts = {name: sum(stop.exit_class == name for stop in stops) for name in CLASSES}
    costs = [result.cost_after for result in results if result.cost_after is not None]
    told = any(result.run.cost is not None for result in results)
    return Sum(
        policy,
        results[0].version,
        len(results),
        len(stops),
        sum(not stop.firm for stop in stops),
        {name: count for name, count in counts.items() if count},
        sum(result.after or 0 for result in results),
        micro(sum(costs)) if told else None,
    )
