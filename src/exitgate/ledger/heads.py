"""Where the newest line of each recent run is: carried in every line, so that nobody has to search."""

from __future__ import annotations

from exitgate.ledger.names import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Names that a line knows of at most.
HEADS_LIMIT = 64


def heads_after(line: Mapping[str, object], offset: int) -> tuple[dict[str, int], bool]:
    """
    Return the heads for the line that follows `line`, which stands at `offset`, and whether some fell out.

    Oldest first; what falls out is found by walking back (`exitgate.ledger.tail.last_of`).
    """
    if not line:
        return {}, False
    before = line.get("heads")
    heads: dict[str, int] = dict(before) if isinstance(before, dict) else {}
    name = name_of(str(line["run"]))
    heads.pop(name, None)
    heads[name] = offset
    cut = bool(line.get("heads_cut")) or len(heads) > HEADS_LIMIT
    kept = list(heads.items())[-HEADS_LIMIT:]
    return dict(kept), cut
