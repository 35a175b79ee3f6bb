"""Runs without their texts, as JSON and back: what decisions need beside facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.ledger.line import encode_fact, restore_unknown, restore_value
from exitgate.core.model.fact import Fact
from exitgate.core.model.json_object import as_object
from exitgate.core.state.history import Reported
from exitgate.recordings.incremental.records import identity
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.replay.extraction import Extracted

#: Everything but what texts there were.
_BEGIN = tuple(sorted({*Begin.__struct_fields__} - {"plan", "files", "git"}))
_END = tuple(sorted(End.__struct_fields__))
_PROBLEM = tuple(sorted(Problem.__struct_fields__))
#: In the order of their arguments: there are many of them.
_REPORTED = ("cost", "tokens", "is_error", "session")
_EXTRACTED = ("index", "exit_status", "responded", "started_at", "ended_at", "file", "line")
#: Only of those that have them.
_MOVED = ("breaker", "looked_at")


class StoredRun(Struct, frozen=True):
    """
    A run without its texts.

    Args:
        begin: As its reader told it, plan, git and files left out.
        end: As its reader told it.
        iterations: What each used up, how it ended, when and where it was; no facts.
    """

    begin: Begin
    end: End
    iterations: tuple[Extracted, ...]


def with_facts(
    one: Extracted, facts: Mapping[str, Fact], baseline: Mapping[str, Fact] | None = None
) -> Extracted:
    """Return the iteration with facts."""
    return Extracted(
        one.index, facts, one.reported, one.exit_status, one.responded, one.started_at, one.ended_at,
        one.file, one.line, baseline, one.breaker, one.looked_at,
    )  # fmt: skip


def with_error(one: Extracted, is_error: Any) -> Extracted:
    """Return the iteration with what a policy knows of its result: whether that is an error, or None."""
    if one.reported.is_error == is_error:
        return one
    return replace(one, reported=one.reported.but(is_error=is_error))


def to_plain(runs: Iterable[StoredRun], problems: Iterable[Problem]) -> dict[str, object]:
    """Return runs and what was wrong with their transcript as JSON."""
    return {
        "runs": [
            [
                [getattr(run.begin, name) for name in _BEGIN],
                [getattr(run.end, name) for name in _END],
                [_plain(one) for one in run.iterations],
            ]
            for run in runs
        ],
        "problems": [[getattr(problem, name) for name in _PROBLEM] for problem in problems],
    }


def from_plain(plain: Mapping[str, Any]) -> tuple[tuple[StoredRun, ...], tuple[Problem, ...]]:
    """Return what `to_plain` wrote. Raises ValueError, LookupError or TypeError for anything else."""
    runs = (
        StoredRun(
            Begin(**dict(zip(_BEGIN, begin, strict=True))),
            End(**dict(zip(_END, end, strict=True))),
            tuple(_extracted(iterations)),
        )
        for begin, end, iterations in plain["runs"]
    )
    problems = (Problem(**dict(zip(_PROBLEM, one, strict=True))) for one in plain["problems"])
    return tuple(runs), tuple(problems)


def _plain(one: Extracted) -> list[object]:
    return [
        [getattr(one, name) for name in _EXTRACTED],
        [getattr(one.reported, name) for name in _REPORTED],
        {name: value for name in _MOVED if (value := getattr(one, name)) is not None},
    ]


def _extracted(rows: Iterable[tuple[list[Any], list[Any], dict[str, Any]]]) -> Iterator[Extracted]:
    for (index, *own), spent, moved in rows:
        yield Extracted(index, {}, Reported(*spent), *own, **moved)


# Facts of many iterations as JSON: each different value of a fact once, and which iteration has which.

#: Stands for a fact that an iteration does not have.
_NONE = -1


class Columns:
    """What one entry of a policy found, iteration by iteration; evidence and notes are not kept."""

    __slots__ = ("_known", "_rows", "_values", "length")

    def __init__(self) -> None:
        self.length = 0
        self._values: dict[str, list[dict[str, object]]] = {}
        self._known: dict[str, dict[object, int]] = {}
        self._rows: dict[str, list[int]] = {}

    def add(self, facts: Iterable[Fact]) -> None:
        """Add what was found in the next iteration."""
        for fact in facts:
            known = self._known.setdefault(fact.name, {})
            number = known.setdefault(identity(fact.value), len(known))
            values = self._values.setdefault(fact.name, [])
            if number == len(values):
                values.append(encode_fact(Fact(fact.name, fact.value)))
            row = self._rows.setdefault(fact.name, [])
            row += [_NONE] * (self.length - len(row))
            row.append(number)
        self.length += 1

    def plain(self) -> dict[str, object]:
        """Return it as JSON."""
        filled = {name: row + [_NONE] * (self.length - len(row)) for name, row in self._rows.items()}
        return {
            "length": self.length,
            "facts": {name: [self._values[name], filled[name]] for name in self._rows},
        }


def _value(name: str, plain: Mapping[str, Any]) -> object:
    """Return the value that `exitgate.core.ledger.line.encode_fact` wrote."""
    if "v" in plain:
        value = plain["v"]
        return restore_value(value) if value.__class__ is list else value
    return restore_unknown(name, as_object(plain))


class Read:
    """
    What `Columns.plain` wrote, read back.

    Args:
        plain: As it wrote it. Raises ValueError, LookupError, TypeError or AttributeError for anything else.
    """

    __slots__ = ("_facts", "numbers")

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self._facts: list[tuple[Fact, ...]] = []
        columns = []
        for name, (values, numbers) in plain["facts"].items():
            self._facts.append(tuple(Fact(name, _value(name, value)) for value in values))
            columns.append(numbers)
        #: For each iteration a tuple that is equal where all facts are.
        self.numbers: list[tuple[int, ...]] = (
            list(zip(*columns, strict=True)) if columns else [()] * plain["length"]
        )
        if len(self.numbers) != plain["length"]:
            raise ValueError("columns of different lengths")

    def facts(self, at: int) -> dict[str, Fact]:
        """Return the facts of an iteration, from 0, by name."""
        pairs = zip(self._facts, self.numbers[at], strict=True)
        found = (facts[number] for facts, number in pairs if number != _NONE)
        return {fact.name: fact for fact in found}
