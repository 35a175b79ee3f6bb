"""Whether a ledger is whole: every line there, none changed, each tied to the ones before."""

from __future__ import annotations

from exitgate.core.ledger.file import RefusingNewer, hash_of, parse, path_in
from exitgate.core.ledger.head import UNKNOWN, Anchor, look
from exitgate.core.ledger.read import Damage, raw_lines
from exitgate.core.ledger.runs import counts_after, faults, name_of
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value

#: What is kept of the newest line of each name.
_KEPT = ("run", "counts", "totals", "iteration", "kind")


class Verified(Value):
    """What `verify` found: how many good lines, every damage, in order, and how the ledger is anchored."""

    __slots__ = ("anchor", "damages", "lines")

    def __init__(self, lines: int, damages: tuple[Damage, ...], anchor: Anchor | None = None) -> None:
        self.lines = lines
        self.damages = damages
        self.anchor = Anchor(UNKNOWN) if anchor is None else anchor

    @property
    def whole(self) -> bool:
        """Whether there is no damage."""
        return not self.damages


def verify(directory: str) -> Verified:
    """
    Check every line of the ledger in `directory`; one pass, memory by the number of names.

    Raises:
        ExitgateError: 74 when the ledger cannot be read or holds a line of a newer version.
    """
    anchor = look(directory)  # first: lines may come meanwhile, and the head is behind the ledger
    damages: list[Damage] = []
    good = 0
    before = ""
    known = _Known()
    for number, (offset, raw, whole) in enumerate(raw_lines(directory), 1):
        with RefusingNewer(path_in(directory)):
            line = parse(raw) if whole else None
        if line is None:
            damages.append(Damage(number, offset, "it is damaged" if whole else "it is unfinished"))
            known.lost(offset)
        else:
            good += 1
            problems = known.problems(line, before, derived=not damages)
            damages.extend(Damage(number, offset, problem) for problem in problems)
            known.add(offset, line)
        before = hash_of(raw)
    damages.extend(Damage(one.number, one.end, one.reason) for one in anchor.breaches)
    return Verified(good, tuple(damages), anchor)


class _Known:
    """What a line is compared with: the number of the line before, and the newest one of each name."""

    def __init__(self) -> None:
        self.sequence = 0
        self.places: dict[str, int] = {}
        self.lines: dict[int, JsonObject] = {}
        self.holes: set[int] = set()
        self.missing = 0

    def lost(self, offset: int) -> None:
        """Note a damaged line: whose it was is not known, so lines may point to it."""
        self.holes.add(offset)
        self.missing += 1

    def add(self, offset: int, line: JsonObject) -> None:
        """Take a good line for the newest one."""
        name = name_of(str(line["run"]))
        self.lines.pop(self.places.get(name, -1), None)
        self.sequence = int(str(line["sequence"]))
        self.missing = 0
        self.places[name] = offset
        self.lines[offset] = JsonObject({key: line.get(key) for key in _KEPT})

    def problems(self, line: JsonObject, before: str, *, derived: bool) -> list[str]:
        """
        Return what is wrong between a line and those before it.

        Args:
            line: A good line.
            before: Hash of the line before.
            derived: Whether counts are looked at too: behind a damage, those that were written before
                it happened cannot be known from wrong ones.
        """
        name = name_of(str(line["run"]))
        place = self.places.get(name)
        own = None if place is None else self.lines[place]
        same = own is not None and own["run"] == line["run"]
        wrong = []
        if line.get("prev") != before:
            wrong.append("the line before it was changed, removed or inserted")
        # A line behind a damaged one was written before the damage and counts on, or after it and not.
        if not 1 <= int(str(line["sequence"])) - self.sequence <= self.missing + 1:
            wrong.append(f"its sequence is {line['sequence']} after {self.sequence}")
        points = {line.get("run_prev"), line.get("name_prev")}
        if points.isdisjoint(self.holes):
            if line.get("run_prev") != (place if same else None):
                wrong.append("it does not point to the line before in its run")
            if line.get("name_prev") != (None if same else place):
                wrong.append("it does not point to the run before")
        wrong += faults(own if same else None, line)
        if derived and not wrong and line.get("counts") != counts_after(own, line):
            wrong.append("its counts do not follow from the earlier ones")
        return wrong
