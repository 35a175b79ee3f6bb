"""What computed facts can say, as if they were free."""

from __future__ import annotations

from itertools import combinations

from exitgate.analysis.space.domains import UNKNOWN
from exitgate.analysis.walk.gates import ANY
from exitgate.analysis.walk.read_by import reads
from exitgate.analysis.walk.row_sums import sums_of
from exitgate.analysis.walk.unit import Unit
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Derived


#: Signals of progress of which every way to move is a choice, where a condition reads which or how many.
SIGNALS = 4


class Guesses(Value):
    """
    Units of computed facts.

    Args:
        units: The units.
        progress: Places among them of those for progress.
        called: For each policy the name under which a unit has its fact: two policies may compute facts of
            one name differently.
    """

    __slots__ = ("called", "progress", "units")

    def __init__(
        self, units: tuple[Unit, ...], progress: frozenset[int], called: tuple[Mapping[str, str], ...]
    ) -> None:
        self.units = units
        self.progress = progress
        self.called = called


def guessed_units(policies: Sequence[CompiledPolicy]) -> Guesses:
    """
    Return units for progress and for sums of points.

    Progress follows from all that its signals were in the run: a region says what it shall be, and a
    run of the region that brings it about is looked for afterwards (`realised`). A sum follows from
    its rows: a region says what it shall be, and whether the rows give that is settled last (`Sum`).
    """
    units: dict[Unit, None] = {}
    progress: set[Unit] = set()
    called: list[dict[str, str]] = []
    defined: dict[str, object] = {}
    read = {fact.name for policy in policies for fact in policy.derived if reads(policy, fact.name)}
    for number, policy in enumerate(policies):
        names: dict[str, str] = {}
        called.append(names)
        for facts in _together(policy):
            means = facts if facts[0].signals else (number, facts)
            alike = all(defined.setdefault(fact.name, means) == means for fact in facts)
            names |= {fact.name: fact.name if alike else f"{fact.name}@{number}" for fact in facts}
            unit = _progress(facts, names, read) if facts[0].signals else _sums(facts[0], names)
            if unit is None:
                names.pop(facts[0].name)
                continue
            units[unit] = None
            if facts[0].signals:
                progress.add(unit)
    every = tuple(units)
    return Guesses(every, frozenset(n for n, one in enumerate(every) if one in progress), tuple(called))


def _together(policy: CompiledPolicy) -> list[tuple[Derived, ...]]:
    """Return the facts of each progress, and each points fact by itself."""
    prefixes: dict[str, list[Derived]] = {}
    for fact in policy.derived:
        if fact.signals:
            prefixes.setdefault(fact.name.rpartition(".")[0], []).append(fact)
    points = [(fact,) for fact in policy.derived if fact.rows]
    return [*(tuple(facts) for facts in prefixes.values()), *points]


def _progress(facts: tuple[Derived, ...], called: Mapping[str, str], read: set[str]) -> Unit:
    """Return the unit of one progress; which signals move, or how many tell, only if that is in `read`."""
    signals = facts[0].signals
    told = [
        tuple(_said(fact, moved, known, fact.name in read) for fact in facts)
        for moved, known in _outcomes(signals if len(signals) <= SIGNALS else signals[:1])
    ]
    names = tuple(called[fact.name] for fact in facts)
    return Unit(names, tuple(dict.fromkeys((*told, (UNKNOWN,) * len(facts)))))


def _outcomes(signals: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield which of some signals moved, and how many could tell."""
    for known in range(len(signals) + 1):
        for count in range(known + 1):
            yield from ((moved, known) for moved in combinations(signals, count))


def _said(fact: Derived, moved: tuple[str, ...], known: int, is_read: bool) -> object:
    if fact.type.kind == "count":
        return known if is_read else min(known, 1)
    if not known:
        return UNKNOWN
    if fact.type.kind == "bool":
        return bool(moved)
    return moved if is_read or not moved else fact.signals[:1]


def beyond_choices(tree: Node, policy: CompiledPolicy, own: bool) -> bool:
    """
    Return whether a condition reads which signals moved, or how many can tell, and not all ways are choices.

    Args:
        tree: The condition.
        policy: Whose progress it reads.
        own: Whether it is one of the policy's own.
    """
    read = tree.uses().get("fact", ())
    return any(
        len(fact.signals) > (SIGNALS if own else 1) and fact.type.kind != "bool" and fact.name in read
        for fact in policy.derived
    )


def unasked(unit: Unit) -> int:
    """
    Return the choice of a unit of progress that only an iteration has which did not end, as a bit.

    There not even the number of signals that are known is known. 0 where the unit has no such number: it is
    like an iteration then in which no signal is known.
    """
    counts = any(type(value) is int for value in unit.choices[0])
    return 1 << (len(unit.choices) - 1) if counts else 0


def _sums(fact: Derived, called: Mapping[str, str]) -> Unit | None:
    found = sums_of(fact, (ANY,) * len(fact.rows))
    if found is None:
        return None  # the rows are looked at every time
    return Unit((called[fact.name],), tuple((value,) for value in found))
