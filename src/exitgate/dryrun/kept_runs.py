"""Runs without their texts, as JSON and back: what decisions need beside facts."""

from __future__ import annotations

from exitgate.dryrun.extracted import Extracted
from exitgate.gate.reported import Reported
from exitgate.model.value import Value
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from exitgate.model.evidence import Fact

#: Everything but what texts there were.
_BEGIN = tuple(sorted({*Begin.__slots__} - {"plan", "files", "git"}))
_END = tuple(sorted(End.__slots__))
_PROBLEM = tuple(sorted(Problem.__slots__))
#: In the order of their arguments: there are many of them.
_REPORTED = ("cost", "tokens", "is_error", "session")
_EXTRACTED = ("index", "exit_status", "responded", "started_at", "ended_at", "file", "line")
#: Only of those that have them.
_MOVED = ("breaker", "looked_at")


class KeptRun(Value):
    """
    A run without its texts.

    Args:
        begin: As its reader told it, plan, git and files left out.
        end: As its reader told it.
        iterations: What each used up, how it ended, when and where it was; no facts.
    """

    __slots__ = ("begin", "end", "iterations")

    def __init__(self, begin: Begin, end: End, iterations: tuple[Extracted, ...]) -> None:
        self.begin = begin
        self.end = end
        self.iterations = iterations


def with_facts(
    one: Extracted, facts: Mapping[str, Fact], baseline: Mapping[str, Fact] | None = None
) -> Extracted:
    """Return the iteration with facts."""
    return Extracted(
        one.index, facts, one.reported, one.exit_status, one.responded, one.started_at, one.ended_at,
        one.file, one.line, baseline, one.breaker, one.looked_at,
    )  # fmt: skip


def to_plain(runs: Iterable[KeptRun], problems: Iterable[Problem]) -> dict[str, object]:
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


def from_plain(plain: Mapping[str, Any]) -> tuple[tuple[KeptRun, ...], tuple[Problem, ...]]:
    """Return what `to_plain` wrote. Raises ValueError, LookupError or TypeError for anything else."""
    runs = (
        KeptRun(
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
