"""Sums of points as a region says they are, compared with their rows."""

from __future__ import annotations

from exitgate.analysis.walk.gates import FALSE, TRUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.outlook import Outlook
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.units import Region


def with_sums(judge: Judge, outlooks: Iterable[Outlook], backs: range) -> Judge:
    """
    Return a judge that says yes only where the rows of points give the sums of the region.

    Rows are looked at last: most questions are settled by what the sum is, no matter what it comes from.
    """
    sums = [one for outlook in outlooks for back in backs for one in outlook.sums(back)]
    if not sums:
        return judge

    def judged(region: Region) -> Judged:
        found = judge(region)
        if found is False:
            return False
        for one in sums:
            if one.is_free(region):
                continue
            truths = one.truths(region)
            if truths == FALSE:
                return False
            if found is True and truths != TRUE:
                return one.split(region)
        return found

    return judged
