"""
What views need of the latest lines, kept beside the ledger so that 50 lines need not be read again.

It is worth nothing by itself: where it does not end at the line before the newest one, the lines are
read from the ledger. No decision is made by it.
"""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.ledger import read
from exitgate.ledger.line import DECISION, RESET
from exitgate.ledger.names import name_of
from exitgate.model.digest import hex_digest
from exitgate.model.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Line = Mapping[str, object]

FOLDER = "views"

#: Raised by one whenever the form below changes.
FORM = 1

#: Bytes of the largest file that was written here.
LARGEST = 32_000_000

_KEPT = ("run", "kind", "iteration", "at", "counts")
_KEPT_OF_DECISION = ("verdict", "class", "outcome", "message")
_KEPT_OF_TOTALS = ("started_at", "sums")


def latest(directory: str, line: Line, facts: Iterable[str], limit: int) -> tuple[Line, ...]:
    """
    Return the newest lines of the line's name since its last reset, at most `limit` decisions, slim.

    Args:
        directory: The state directory.
        line: The newest line of the ledger.
        facts: The facts that views read.
        limit: Decisions to go back.

    Raises:
        OSError: What is remembered cannot be written.
        ExitgateError: 74 when the ledger cannot be read.
    """
    wanted = sorted(facts)
    path = _path(directory, line)
    before = _recall(path, line, wanted)
    if line.get("kind") == RESET:
        lines = [_slim(line, wanted)]
    elif before is None:
        found = read.recent(directory, name_of(str(line["run"])), limit)
        lines = [_slim(one, wanted) for one in found]
    else:
        lines = _bounded([*before, _slim(line, wanted)], limit)
    _remember(path, directory, lines, wanted)
    return tuple(lines)


def _recall(path: str, line: Line, facts: list[str]) -> list[dict[str, object]] | None:
    """Return the lines remembered up to the one before `line`, None when they are not those."""
    try:
        digest, _, raw = opening.content_in(*os.path.split(path), LARGEST).partition(b"\n")
        found = loads(raw) if digest == hex_digest(raw).encode() else None
    except (OSError, ValueError, RecursionError):
        return None
    place = line["run_prev"] if line["run_prev"] is not None else line["name_prev"]
    if not isinstance(found, dict) or found.get("form") != FORM or found.get("facts") != facts:
        return None
    lines = found.get("lines")
    fits = isinstance(lines, list) and all(isinstance(one, dict) for one in lines)
    return lines if fits and place is not None and found.get("offset") == place else None


def _remember(path: str, directory: str, lines: list[dict[str, object]], facts: list[str]) -> None:
    """
    Write the lines over those of before.

    In place, with a digest in front: what is torn is read from the ledger again, and putting a new
    file instead of the old would make the disk wait for it at every check.
    """
    kept = {"form": FORM, "facts": facts, "offset": read.newest_offset(directory), "lines": lines}
    raw = dumps(kept).encode("ascii")
    whole = b"%s\n%s" % (hex_digest(raw).encode(), raw)
    opening.make_folder(os.path.dirname(path))
    folder = opening.open_folder(os.path.dirname(path))
    try:
        descriptor = opening.writing(os.path.basename(path), folder=folder)
        try:
            os.ftruncate(descriptor, system.pwrite(descriptor, whole, 0))
        finally:
            os.close(descriptor)
    finally:
        system.close(folder)


def _path(directory: str, line: Line) -> str:
    name = name_of(str(line["run"])).encode("utf-8", "surrogatepass")
    return os.path.join(directory, FOLDER, f"{hex_digest(name)}.json")


def _slim(line: Line, facts: list[str]) -> dict[str, object]:
    kept = {key: line[key] for key in _KEPT if key in line}
    for key, keys in (("decision", _KEPT_OF_DECISION), ("totals", _KEPT_OF_TOTALS), ("facts", facts)):
        found = line.get(key)
        if isinstance(found, dict):
            kept[key] = {name: found[name] for name in keys if name in found}
    return kept


def _bounded(lines: list[dict[str, object]], limit: int) -> list[dict[str, object]]:
    """Return the lines without those before the newest `limit` decisions."""
    places = [place for place, line in enumerate(lines) if line.get("kind") == DECISION]
    return lines if len(places) <= limit else lines[places[-limit - 1] + 1 :]
