"""Runs as lines of the table: strips, stops, grades, waste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from exitgate.core.facts.text.secrets import Mask
from exitgate.recordings.incremental.verdicts import Verdicts, places
from exitgate.recordings.replay.result import RecordedRun
from exitgate.recordings.scoring.labels import Label
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE, RIGHT, Stop, score
from exitgate.surfaces.studio.workspace.labelled import Labelled

#: Class of an exit -> its letter in a strip.
LETTERS = {
    "complete": "c", "idle": "i", "blocked": "b", "review": "r", "stuck": "s", "halted": "h",
    "exhausted": "l", "wait": "w", "failed": "f", "undetermined": "u", "interrupted": "n",
}  # fmt: skip
#: From a grade to how bad it is: a policy that moves to a smaller one is better.
BADNESS = {RIGHT: 0, LATE: 1, MISSED: 2, PREMATURE: 3}


class RunLine(Struct, frozen=True):
    """
    A run of the table.

    Args:
        n: Its number, from 1.
        run: As it was recorded.
        costs: USD of each iteration, None where not reported.
        path: Of the transcript.
        place: Which run of the transcript it is, counted from 0.
    """

    n: int
    run: RecordedRun
    costs: tuple[float | None, ...]
    path: str
    place: int


class Cells(Struct, frozen=True):
    """What one policy does with a run; `grade` and `waste` are None without a label."""

    strip: str
    stop: Mapping[str, object] | None
    grade: str | None
    waste: tuple[int, float | None] | None


def cells(line: RunLine, verdicts: Verdicts | None, label: Label | None) -> Cells:
    """Return what a policy does with a run, None standing for a policy that is not decided yet."""
    if verdicts is None:
        return Cells("-" * line.run.iterations, None, None, None)
    letters = ["."] * verdicts.length
    for one in verdicts.owned:
        if one.exit_class is not None:
            letter = LETTERS[one.exit_class]
            for at in places(one.bits):
                letters[at] = letter
    stop = _stop(verdicts)
    shown = None
    if stop is not None:
        shown = {
            "at": stop.iteration, "class": stop.exit_class, "rule": stop.rule, "outcome": stop.outcome,
        }  # fmt: skip
    if label is None:
        return Cells("".join(letters), shown, None, None)
    judged = score(line.run.id, "", label, stop, line.costs)
    return Cells("".join(letters), shown, judged.kind, (judged.wasted, judged.wasted_cost))


def _stop(verdicts: Verdicts) -> Stop | None:
    at = verdicts.stop
    own = None if at is None else verdicts.at(at)
    if at is None or own is None or own.exit_class is None:
        return None
    return Stop(at, own.exit_class, own.outcome, own.rule)


def row(
    line: RunLine, columns: Sequence[Cells], labelled: Labelled, mask: Mask, *, read: bool, live: bool
) -> dict[str, object]:
    """Return a line of the table as JSON."""
    run = line.run
    took = None if run.ended_at is None or run.started_at is None else run.ended_at - run.started_at
    return {
        "n": line.n, "id": run.id, "title": mask.mask(run.title), "file": run.file, "reader": run.reader,
        "iterations": run.iterations, "cost": run.cost, "tokens": run.tokens, "began": run.started_at,
        "took": took, "how": run.how, "parent": run.parent, "live": live, "read": read,
        **labelled.json(run.id), "strips": [one.strip for one in columns],
        "stops": [one.stop for one in columns], "grades": [one.grade for one in columns],
        "waste": [one.waste for one in columns], "parted": is_parted(columns),
    }  # fmt: skip


def cell_json(one: Cells) -> dict[str, object]:
    """Return what one policy does with a run as JSON."""
    return {"strip": one.strip, "stop": one.stop, "grade": one.grade, "waste": one.waste}


def is_parted(columns: Sequence[Cells]) -> bool:
    """Return whether policies stop a run in different iterations."""
    return len({None if one.stop is None else one.stop["at"] for one in columns}) > 1
