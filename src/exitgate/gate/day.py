"""The sums of the day: what the ledger has of it, and this check's own share."""

from __future__ import annotations

from exitgate.gate.observe.local import local
from exitgate.ledger.days import Day, Sums, spent, used
from exitgate.ledger.line import DECISION
from exitgate.ledger.past import Past
from exitgate.model.iteration import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy

    Line = Mapping[str, object]

NAME = "day"
#: From the beginning of a day so many seconds lead into the next, no matter how long it is.
_INTO_NEXT = 36 * 3600


class Days:
    """
    What runs used up on the day of an instant, in each zone that a policy asks for.

    Args:
        policy: Whose entries name the zones.
        directory: The state directory.
        now: Seconds since the epoch.
        run: Id of the run that is checked.

    Raises:
        ExitgateError: 74 when the ledger cannot be read.
    """

    def __init__(self, policy: CompiledPolicy, directory: str, now: float, run: str) -> None:
        self._now = now
        self._found: dict[str, tuple[Day, Sums] | str] = {}
        entries = (entry for entry in policy.extractions if entry.extractor == NAME)
        zones = dict.fromkeys(str(entry.options.get("zone") or "") for entry in entries)
        with Past(directory) as ledger:
            newest = next(iter(ledger.newest_first()), None)
            #: Number of the ledger's newest line then, 0 without any.
            self.sequence = 0 if newest is None else int(str(newest[1]["sequence"]))
            for zone, shown in local(now, zones).items():
                self._found[zone] = _sums(ledger, zone, shown)
            lines = ledger.newest_first(run)
            self._before = next((one for _, one in lines if one.get("kind") == DECISION), None)

    def after(self, before: Mapping[str, object], totals: Mapping[str, object]) -> dict[str, Sums | str]:
        """
        Return for each zone the sums with this check's share, or why they are not known.

        Args:
            before: Totals of the run before this check.
            totals: Its totals after it.
        """
        found: dict[str, Sums | str] = {}
        for zone, one in self._found.items():
            if isinstance(one, str):
                found[zone] = one
                continue
            day, sums = one
            found[zone] = sums.plus(used(before, totals, self._now, day, not day.holds(self._before)))
        return found

    def source(self, before: Mapping[str, object], totals: Mapping[str, object]) -> Source:
        """Return the source `day`; arguments as for `after`."""
        days = {
            zone: {"reason": one} if isinstance(one, str) else one.to_plain()
            for zone, one in self.after(before, totals).items()
        }
        return Source(NAME, record={"days": days})

    def carried(self, before: Mapping[str, object], totals: Mapping[str, object]) -> list[dict[str, object]]:
        """Return what the check's line carries; arguments as for `after`."""
        found: dict[int, dict[str, object]] = {}
        for zone, sums in self.after(before, totals).items():
            one = self._found[zone]
            if not isinstance(one, str) and not isinstance(sums, str):
                found[one[0].midnight] = {"midnight": one[0].midnight, **sums.to_plain()}
        return list(found.values())


def _sums(ledger: Past, zone: str, shown: Mapping[str, object]) -> tuple[Day, Sums] | str:
    midnight = shown.get("midnight")
    if not isinstance(midnight, int):
        return str(shown.get("reason"))
    following = local(midnight + _INTO_NEXT, (zone,))[zone].get("midnight")
    if not isinstance(following, int):
        return "the instant is out of range"
    day = Day(midnight, following)
    sums = spent(ledger, day)
    return sums if isinstance(sums, str) else (day, sums)
