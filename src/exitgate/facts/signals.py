"""Signals of progress: facts whose movement counts, and what a run has seen of them."""

from __future__ import annotations

from exitgate.facts.record_values import amount
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Record = Mapping[str, object]

#: How a signal can move: see `Signal`.
RISES, FALLS = "rises", "falls"
CHANGES, TRUE = "changes", "true"
WAYS = (RISES, FALLS, CHANGES, TRUE)

#: Values of one signal that are remembered; the oldest is forgotten first.
SEEN_LIMIT = 256

_NOTHING_EARLIER = "nothing earlier in the run to compare with"
_AT_THE_END = "it is 0 and cannot fall"


class Signal(Value):
    """
    One signal of progress.

    Args:
        name: Full name of a fact.
        moves: ``rises``: above every earlier value of the run; ``falls``: below every one;
            ``changes``: to a value the run has not seen; ``true``: whenever it is true. Empty: by the
            value, a number rises, a bool is true, anything else changes.
    """

    __slots__ = ("moves", "name")

    def __init__(self, name: str, moves: str = "") -> None:
        self.name = name
        self.moves = moves

    def way(self, value: object) -> str:
        """Return how the signal moves, going by one of its values."""
        if self.moves:
            return self.moves
        if isinstance(value, bool):
            return TRUE
        return CHANGES if amount(value) is None else RISES


class Remembered(Value):
    """
    What a run has seen of its signals before an iteration.

    `best` holds the largest value of each number that is to rise, `least` the smallest of each that
    is to fall, since it was last 0, `seen` the digests of the values of all others, oldest first, at
    most `SEEN_LIMIT` each.
    """

    __slots__ = ("best", "least", "seen")

    def __init__(
        self,
        best: Mapping[str, float] | None = None,
        seen: Mapping[str, tuple[str, ...]] | None = None,
        least: Mapping[str, float] | None = None,
    ) -> None:
        self.best = best or {}
        self.seen = seen or {}
        self.least = least or {}

    def after(self, signals: Iterable[Signal], record: Record) -> Remembered:
        """Return what is remembered once `record` was seen, too."""
        best, seen, least = dict(self.best), dict(self.seen), dict(self.least)
        for signal in signals:
            name, value = signal.name, record.get(signal.name)
            if value is None or isinstance(value, Unknown):
                continue
            way, number = signal.way(value), amount(value)
            if way == RISES and number is not None:
                best[name] = max(best.get(name, number), number)
            elif way == FALLS and number is not None:
                # from 0 it can only rise, and falls anew from there
                least[name] = min(least.get(name) or number, number)
            elif way == CHANGES:
                mark = digest(value)
                others = tuple(other for other in seen.get(name, ()) if other != mark)
                seen[name] = (*others, mark)[-SEEN_LIMIT:]
        return Remembered(best, seen, least)

    def to_plain(self) -> dict[str, object]:
        """Return it as JSON, for the totals of a run."""
        plain: dict[str, object] = {
            "best": dict(self.best),
            "seen": {name: list(marks) for name, marks in self.seen.items()},
        }
        return plain | ({"least": dict(self.least)} if self.least else {})

    @staticmethod
    def from_plain(totals: Mapping[str, object]) -> Remembered:
        """Return what `to_plain` put into totals; what is not well formed is not remembered."""
        seen = totals.get("seen")
        marks = seen.items() if isinstance(seen, dict) else ()
        return Remembered(
            _numbers(totals.get("best")),
            {
                name: tuple(str(mark) for mark in known[-SEEN_LIMIT:])
                for name, known in marks
                if isinstance(known, list)
            },
            _numbers(totals.get("least")),
        )


class Movement(Value):
    """
    How the signals of one iteration came out, each in one of three, in their order.

    Args:
        moved: Names of those that moved.
        flat: Names of those that are known not to have moved.
        unknown: Of those that cannot tell: name and why.
    """

    __slots__ = ("flat", "moved", "unknown")

    def __init__(
        self, moved: tuple[str, ...], flat: tuple[str, ...], unknown: tuple[tuple[str, str], ...]
    ) -> None:
        self.moved = moved
        self.flat = flat
        self.unknown = unknown

    @property
    def known(self) -> int:
        """How many signals could tell."""
        return len(self.moved) + len(self.flat)

    def __str__(self) -> str:
        parts = [f"moved: {', '.join(self.moved)}"] if self.moved else []
        parts += [f"flat: {', '.join(self.flat)}"] if self.flat else []
        unknown = ", ".join(f"{name} ({reason})" for name, reason in self.unknown)
        return "; ".join([*parts, *([f"unknown: {unknown}"] if unknown else [])])


def movement(signals: Sequence[Signal], now: Record, before: Remembered) -> Movement:
    """
    Return how each signal moved in an iteration.

    Args:
        signals: What is watched.
        now: The values of the iteration.
        before: What the run had seen of them when the iteration began.
    """
    told: dict[bool, list[str]] = {True: [], False: []}
    unknown = []
    for signal in signals:
        value = now.get(signal.name, Unknown("not recorded", signal.name))
        found = value if isinstance(value, Unknown) else _has_moved(signal, value, before)
        if isinstance(found, Unknown):
            unknown.append((signal.name, found.reason))
        else:
            told[found].append(signal.name)
    return Movement(tuple(told[True]), tuple(told[False]), tuple(unknown))


def surely_moved(
    signal: Signal, now: Record, before: Remembered, doubt: Unknown | None
) -> bool | Unknown | None:
    """
    Return whether a signal moved in an iteration, for all values of what is unknown of it.

    None where nothing earlier can be compared with it, and nothing is unknown. An earlier value that is
    unknown (`doubt`) could have been higher than all others, or the one that is there now; one that falls
    could have been 0.
    """
    value = now.get(signal.name, Unknown("not recorded", signal.name))
    if isinstance(value, Unknown):
        return value
    found = _has_moved(signal, value, before)
    way = signal.way(value)
    if way == TRUE or doubt is None or (found is False and way != FALLS):
        return None if isinstance(found, Unknown) else found
    return doubt


def digest(value: object) -> str:
    """Return twelve hex digits that stand for a value of a signal; equal numbers have equal ones."""
    from exitgate.model.digest import blake2b

    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _has_moved(signal: Signal, value: object, before: Remembered) -> bool | Unknown:
    way, number = signal.way(value), amount(value)
    if way == TRUE:
        return value if isinstance(value, bool) else Unknown("not a bool", signal.name)
    if way == CHANGES:
        seen = before.seen.get(signal.name)
        return digest(value) not in seen if seen else Unknown(_NOTHING_EARLIER, signal.name)
    if number is None:
        return Unknown("not a number", signal.name)
    mark = (before.best if way == RISES else before.least).get(signal.name)
    if mark is None:
        return Unknown(_NOTHING_EARLIER, signal.name)
    if way == FALLS and number == mark == 0:
        return Unknown(_AT_THE_END, signal.name)
    return number > mark if way == RISES else number < mark


def _numbers(plain: object) -> dict[str, float]:
    found = plain.items() if isinstance(plain, dict) else ()
    return {name: number for name, value in found if (number := amount(value)) is not None}
