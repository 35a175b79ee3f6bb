"""
Whether an iteration moved anything: named signals compared with what the run has seen of them.

Progress rests on other facts, not on a text: the engine computes it once those are there
(`exitgate.core.engine.record`), from the records of the run and from what its totals remember.
"""

from __future__ import annotations

from exitgate.core.facts.records import amount
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.fact import Iteration

    Record = Mapping[str, object]
    from collections.abc import Iterable, Mapping, Sequence


# Signals of progress: facts whose movement counts, and what a run has seen of them.

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

    def to_plain(self) -> JsonObject:
        """Return it as JSON, for the totals of a run."""
        marks = {name: list(marks) for name, marks in self.seen.items()}
        plain = JsonObject(best=dict(self.best), seen=marks)
        if self.least:
            plain["least"] = dict(self.least)
        return plain

    @staticmethod
    def from_plain(totals: JsonObject) -> Remembered:
        """Return what `to_plain` put into totals; what is not well formed is not remembered."""
        return Remembered(
            _numbers(totals.object("best")),
            {
                name: tuple(str(mark) for mark in known[-SEEN_LIMIT:])
                for name, known in totals.object("seen").items()
                if isinstance(known, list)
            },
            _numbers(totals.object("least")),
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
    from exitgate.core.system.digest import blake2b

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


def _numbers(plain: JsonObject) -> dict[str, float]:
    return {name: number for name, value in plain.items() if (number := amount(value)) is not None}


NAME = "progress"
SOURCE = "history"
#: Schema of what an entry watches.
SIGNALS: dict[str, object] = {
    "type": "array",
    "items": {
        "type": ["string", "object"],
        "if": {"type": "object"},
        "then": {
            "properties": {
                "fact": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Name of the fact that is watched.",
                },
                "moves": {
                    "enum": [*(way for way in WAYS if way != TRUE), True],
                    "description": "`rises` above, or `falls` below, every earlier value of the run;"
                    " `changes` to a value not seen before in the run; is `true`.",
                },
            },
            "required": ["fact"],
            "additionalProperties": False,
        },
        "else": {"minLength": 1},
    },
    "minItems": 1,
    "uniqueItems": True,
    "description": "Facts whose movement is progress: a name, or `{fact: NAME, moves: falls}`."
    " Without `moves`, a number moves if it exceeds every earlier value of the run, a bool if it is "
    "true, any other fact if it takes a value not seen before in the run. Any of them may be unknown.",
    "examples": [
        ["tasks.done", "git.content"],
        ["tasks.done", {"fact": "errors.count", "moves": "falls"}],
    ],
}
OPTIONS: dict[str, object] = {"signals": SIGNALS}

MADE = "made"
MOVED, KNOWN = "signals", "known"

_UNKNOWN = "if no signal is known, or none was known earlier in the run"
SPECS = (
    FactSpec(
        MADE,
        BOOL,
        "At least one signal moved in this iteration; false when every known signal is flat.",
        _UNKNOWN,
        read=False,
    ),
    FactSpec(MOVED, Type("list", item=TEXT), "The signals that moved.", _UNKNOWN, read=False),
    FactSpec(
        KNOWN,
        COUNT,
        "How many of the signals are known to have moved or not.",
        "if no iteration has ended since the last decision",
        low=0,
        read=False,
    ),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the facts for a source whose record holds `now` (fact -> value), `best`, `least` and `seen`.

    That is the form for values out of a recording; a check goes by `movement` itself.
    """
    given = iteration.source(source)
    record = given.record if given.record is not None else JsonObject()
    signals = tuple(_signal(item) for item in options.array("signals"))
    found = movement(signals, record.object("now"), Remembered.from_plain(record))
    return tuple(fact_of(f"{prefix}.{spec.name}", spec.name, found) for spec in SPECS)


def fact_of(name: str, part: str, found: Movement) -> Fact:
    """
    Return one of the facts from what `movement` found.

    Args:
        name: Full name of the fact.
        part: `MADE`, `MOVED` or `KNOWN`.
        found: How the signals came out; the note of `MADE` says it of each.
    """
    note = str(found) if part == MADE and (found.known or len(found.unknown) > 1) else ""
    return Fact(name, value_of(name, part, found), note=note)


def value_of(name: str, part: str, found: Movement) -> object:
    """Return the value of the fact that `fact_of` returns."""
    if part == KNOWN:
        return found.known
    if found.known:
        return bool(found.moved) if part == MADE else found.moved
    reason = ": ".join(found.unknown[-1]) if found.unknown else "no signal is named"
    return Unknown(reason, name)


def _signal(item: object) -> Signal:
    given = item if isinstance(item, dict) else {"fact": item}
    return Signal(str(given.get("fact", "")), str(given.get("moves", "")).lower())
