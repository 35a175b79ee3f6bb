"""Since when no check of a run has found that files changed: a total of the run, in seconds of it."""

from __future__ import annotations

from exitgate.ledger.totals import used_up
from exitgate.model.iteration import Source
from exitgate.model.type import micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.sources import Begun

#: Among the totals of a run: how old it was when a check last found that files had changed.
CHANGED_AT = "changed_at"
_NOT_KNOWN = "it is not known when files changed before this check"


def with_since(source: Source, begun: Begun) -> Source:
    """
    Return the source `git` with `since_change`, the seconds since a check found a change, or the reason.

    A run that has only begun has seen none; from its beginning on the time counts.
    """
    record = source.record
    if record is None:
        return source
    since, reason = _since(record, begun)
    if since is not None:
        return source.but(record={**record, "since_change": since})
    reasons = record.get("reasons")
    told = dict(reasons) if isinstance(reasons, dict) else {}
    return source.but(record={**record, "reasons": {**told, "since_change": reason}})


def _since(record: Mapping[str, object], begun: Begun) -> tuple[float | None, str]:
    elapsed, files = begun.elapsed, record.get("files_changed")
    changed = files > 0 if isinstance(files, int) else record.get("changed")
    if elapsed is None:
        return None, "the start of the run is not known"
    if changed is True or not elapsed:
        return 0, ""
    if changed is not False:
        reasons = record.get("reasons")
        return None, str(reasons.get("changed", _NOT_KNOWN)) if isinstance(reasons, dict) else _NOT_KNOWN
    before = used_up(begun.totals.get(CHANGED_AT)) if begun.totals else 0
    return (None, _NOT_KNOWN) if before is None else (micro(max(0, elapsed - before)), "")


def changed_at(source: Source | None, begun: Begun) -> dict[str, object]:
    """Return the total that the check's line keeps, nothing where it is not known."""
    since = None if source is None or source.record is None else used_up(source.record.get("since_change"))
    return {} if since is None or begun.elapsed is None else {CHANGED_AT: micro(begun.elapsed - since)}
