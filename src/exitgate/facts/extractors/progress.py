"""
Whether an iteration moved anything: named signals held against what the run has seen of them.

Progress rests on other facts, not on a text: the engine computes it once those are there
(`exitgate.engine.derive`), from the records of the run and from what its totals remember.
"""

from __future__ import annotations

from exitgate.facts.record_values import amount
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, TEXT, Type
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.model.iteration import Iteration

    Record = Mapping[str, object]

NAME = "progress"
SOURCE = "history"
OPTIONS: dict[str, object] = {
    "signals": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "minItems": 1,
        "uniqueItems": True,
        "description": "Facts whose movement is progress. A number moves when it exceeds every earlier"
        " value of the run, a bool when it is true, anything else when it takes a value not seen before"
        " in the run.",
    },
}

MADE, MOVED = "made", "signals"

_SPECS = (
    FactSpec(
        MADE,
        BOOL,
        "At least one signal moved in this iteration; false when every known signal is flat.",
        "when no signal is known, or nothing earlier in the run is",
        read=False,
    ),
    FactSpec(
        MOVED,
        Type("list", item=TEXT),
        "The signals that moved.",
        "when no signal is known, or nothing earlier in the run is",
        read=False,
    ),
)

#: Values of one signal that are remembered; the oldest is forgotten first.
SEEN_LIMIT = 256

_NOTHING_EARLIER = "nothing earlier in the run to compare with"


class Remembered(Value):
    """
    What a run has seen of its signals before an iteration.

    `best` holds the largest value of each number, `seen` the digests of all other values, oldest
    first, at most `SEEN_LIMIT` each.
    """

    __slots__ = ("best", "seen")

    def __init__(
        self, best: Mapping[str, float] | None = None, seen: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.best = best or {}
        self.seen = seen or {}

    def after(self, signals: Iterable[str], record: Record) -> Remembered:
        """Return what is remembered once `record` was seen, too."""
        best, seen = dict(self.best), dict(self.seen)
        for name in signals:
            value = record.get(name)
            number = amount(value)
            if number is not None:
                best[name] = max(best.get(name, number), number)
            elif _is_told(value) and not isinstance(value, bool):
                mark = digest(value)
                others = tuple(other for other in seen.get(name, ()) if other != mark)
                seen[name] = (*others, mark)[-SEEN_LIMIT:]
        return Remembered(best, seen)

    def to_plain(self) -> dict[str, object]:
        """Return it as JSON, for the totals of a run."""
        return {"best": dict(self.best), "seen": {name: list(marks) for name, marks in self.seen.items()}}

    @staticmethod
    def from_plain(totals: Mapping[str, object]) -> Remembered:
        """Return what `to_plain` put into totals; what is not well formed is not remembered."""
        best, seen = totals.get("best"), totals.get("seen")
        numbers = best.items() if isinstance(best, dict) else ()
        marks = seen.items() if isinstance(seen, dict) else ()
        return Remembered(
            {name: number for name, value in numbers if (number := amount(value)) is not None},
            {
                name: tuple(str(mark) for mark in known[-SEEN_LIMIT:])
                for name, known in marks
                if isinstance(known, list)
            },
        )


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """
    Return the facts for a source whose record holds `now` (fact -> value), `best` and `seen`.

    That is the form for values out of a recording; a check goes by `moved` itself.
    """
    given = iteration.source(source)
    record: Mapping[str, object] = given.record if given.record is not None else {}
    now = record.get("now")
    signals = _names(options.get("signals"))
    found = moved(signals, now if isinstance(now, dict) else {}, Remembered.from_plain(record))
    return tuple(fact_of(f"{prefix}.{name}", name == MADE, found) for name in (MADE, MOVED))


def moved(signals: Sequence[str], now: Record, before: Remembered) -> tuple[str, ...] | Unknown:
    """
    Return the signals that moved in an iteration, in their order; unknown when no signal can tell.

    Args:
        signals: Names of facts.
        now: The values of the iteration.
        before: What the run had seen of them when the iteration began.
    """
    told: dict[str, bool] = {}
    reason = "no signal is named"
    for name in signals:
        value = now.get(name, Unknown("not recorded", name))
        if isinstance(value, Unknown):
            reason = f"{name}: {value.reason}"
            continue
        found = _has_moved(name, value, before)
        if found is None:
            reason = f"{name}: {_NOTHING_EARLIER}"
        else:
            told[name] = found
    if not told:
        return Unknown(reason, signals[-1] if signals else "")
    return tuple(name for name, found in told.items() if found)


def fact_of(name: str, made: bool, found: tuple[str, ...] | Unknown) -> Fact:
    """Return the fact `made` or the list of signals, from what `moved` found."""
    if isinstance(found, Unknown):
        return Fact(name, Unknown(found.reason, name))
    if not made:
        return Fact(name, found)
    return Fact(name, bool(found), note=f"moved: {', '.join(found)}" if found else "")


def digest(value: object) -> str:
    """Return twelve hex digits that stand for a value of a signal."""
    from hashlib import blake2b

    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _has_moved(name: str, value: object, before: Remembered) -> bool | None:
    if isinstance(value, bool):
        return value
    number = amount(value)
    if number is not None:
        best = before.best.get(name)
        return None if best is None else number > best
    seen = before.seen.get(name)
    return None if not seen else digest(value) not in seen


def _is_told(value: object) -> bool:
    return value is not None and not isinstance(value, Unknown)


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()
