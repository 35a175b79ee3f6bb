"""Whether a ledger is whole: every line there, none changed, each tied to the ones before."""

from __future__ import annotations

from exitgate.ledger.file import hash_of, parse
from exitgate.ledger.names import name_of
from exitgate.ledger.read import Damage, raw_lines
from exitgate.model.value import Value


class Verified(Value):
    """What `verify` found: how many good lines, and every damage, in order."""

    __slots__ = ("damages", "lines")

    def __init__(self, lines: int, damages: tuple[Damage, ...]) -> None:
        self.lines = lines
        self.damages = damages

    @property
    def whole(self) -> bool:
        """Whether there is no damage."""
        return not self.damages


def verify(directory: str) -> Verified:
    """
    Check every line of the ledger in `directory`; one pass, memory by the number of names.

    Raises:
        ExitgateError: 74 when the ledger cannot be read.
    """
    damages: list[Damage] = []
    good = 0
    before = ""
    sequence = 0
    newest: dict[str, tuple[int, str]] = {}  # name -> offset and run of its newest line
    for number, (offset, raw, whole) in enumerate(raw_lines(directory), 1):
        line = parse(raw) if whole else None
        if line is None:
            damages.append(Damage(number, offset, "it is damaged" if whole else "it is unfinished"))
        else:
            good += 1
            name = name_of(str(line["run"]))
            problems = _problems(line, before, sequence, newest.get(name))
            damages.extend(Damage(number, offset, problem) for problem in problems)
            sequence = int(str(line["sequence"]))
            newest[name] = (offset, str(line["run"]))
        before = hash_of(raw)
    return Verified(good, tuple(damages))


def _problems(line: dict[str, object], before: str, sequence: int, own: tuple[int, str] | None) -> list[str]:
    """Return what is wrong between a line and those before it."""
    problems = []
    if line.get("prev") != before:
        problems.append("the line before it was changed, removed or put in")
    if line["sequence"] != sequence + 1:
        problems.append(f"its sequence is {line['sequence']} after {sequence}")
    same = own is not None and own[1] == line["run"]
    if line.get("run_prev") != (own[0] if own is not None and same else None):
        problems.append("it does not point to the line before in its run")
    if line.get("name_prev") != (own[0] if own is not None and not same else None):
        problems.append("it does not point to the run before")
    return problems
