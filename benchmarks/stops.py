"""
Where the shipped policies stop recorded runs, beside where they should: shapes and a corpus of loops.

A shape is a folder with one recording and an `EXPECTED.yaml` that says which runs are in it, with
`right_stop`, `ok` and `right_class` of each. A run whose shape the readers take for other runs is unread, and
no policy is right about it. A corpus is as `benchmarks/loops.py` has it.
"""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from benchmarks import loops

from exitgate.core.policy.cache import recall_policy
from exitgate.recordings.replay.loaded_runs import first_exit, load_runs
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.labels import Label, Labels
from exitgate.recordings.scoring.scored_runs import score_runs, stop_of
from exitgate.recordings.scoring.scores import RIGHT, score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.recordings.replay.loaded_runs import LoadedRun
    from exitgate.recordings.scoring.scores import RunScore

EXPECTED = "EXPECTED.yaml"
#: Kinds beside those of `scoring.scores`: a right stop of a wrong class, and runs that are not found.
CLASS, UNREAD = "wrong class", "unread"


class Stopped(NamedTuple):
    """One run under one policy: the kind of its stop, and in words what was wanted and got."""

    run: str
    policy: str
    kind: str
    detail: str


def shape_stops(folder: Path, policies: Sequence[str]) -> Iterator[Stopped]:
    """Yield every run of every shape below a folder under every policy. Raises OSError."""
    players = {name: PolicyReplay(name, recall_policy(name).policy) for name in policies}
    files = sorted(folder.glob(f"*/{EXPECTED}")) or sorted(folder.glob(EXPECTED))
    if not files:
        raise OSError(f"no {EXPECTED} below {folder}")
    for file in files:
        yield from _shape(file, players)


def corpus_stops(corpus: Path, policies: Sequence[str]) -> Iterator[Stopped]:
    """Yield every labelled loop of a corpus under every policy. Raises OSError."""
    rows = loops.rows_of(corpus)
    labels, folders, _ = loops.labelled(corpus, rows)
    read = loops.Reading(folders, {row["run_id"]: loops.begun_in_vain(row) for row in rows})
    settings = {name: loops.lifted(name) for name in policies}
    compiled = {name: recall_policy(name, settings=settings[name]).policy for name in policies}
    for one in score_runs(read, Labels(labels), compiled).scores:
        yield _stopped(one)


def _shape(file: Path, players: dict[str, PolicyReplay]) -> Iterator[Stopped]:
    expected = yaml.safe_load(file.read_text("utf-8"))["runs"]
    if not all(isinstance(one["iterations"], int) for one in expected):
        return  # nobody can tell how many iterations there are
    name = file.parent.name
    with tempfile.TemporaryDirectory() as root:
        place = Path(root) / name
        shutil.copytree(file.parent, place)
        (place / EXPECTED).unlink()
        found = [one for one in load_runs([str(place)], players).runs if one.run.parent is None]
    wanted = _by_time(expected, [_instant(one.get("started")) for one in expected])
    found = _by_time(found, [_begun(one) for one in found])
    same = [one.run.iterations for one in found] == [one["iterations"] for one in wanted]
    for number, want in enumerate(wanted, 1):
        run = f"{name}#{number}"
        for policy, player in players.items():
            if not same:
                counts = (
                    _counts(one.run.iterations for one in found),
                    _counts(o["iterations"] for o in wanted),
                )
                yield Stopped(run, policy, UNREAD, f"iterations read {counts[0]}, right is {counts[1]}")
                continue
            one = found[number - 1]
            assert one.extracted is not None
            stop = stop_of(first_exit(player, one.begin, one.extracted[policy]))
            yield _stopped(score(run, policy, _label(run, want), stop, one.costs))


def _counts(counts: Iterable[int]) -> str:
    return " + ".join(map(str, counts)) or "none"


def _label(run: str, want: dict[str, Any]) -> Label:
    if want["right_stop"] is None:
        return Label(run, None, None, never=True)
    first, last = want.get("ok") or (want["right_stop"], want["right_stop"])
    return Label(run, first, last, classes=(want["right_class"],))


def _stopped(one: RunScore) -> Stopped:
    kind = CLASS if one.kind == RIGHT and one.class_right is False else one.kind
    got = "never stops" if one.stop is None else f"stops at {one.stop.iteration} ({one.stop.exit_class})"
    right = f"{one.label.stop} {' or '.join(one.label.classes)}".rstrip()
    return Stopped(one.run, one.policy, kind, f"{got}, right is {right}")


def _begun(one: LoadedRun) -> float | None:
    if one.begin.started_at is not None or not one.extracted:
        return one.begin.started_at
    first = next(iter(one.extracted.values()))[:1]
    return first[0].started_at if first else None


def _instant(told: object) -> float | None:
    """Return an instant; what is said of it behind it in brackets is for people."""
    if told is None:
        return None
    at = datetime.fromisoformat(str(told).partition(" (")[0])
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()


def _by_time(things: Sequence[Any], at: Sequence[float | None]) -> list[Any]:
    """Return runs in the order of their beginnings where all are known, else as they are."""
    if any(one is None for one in at):
        return list(things)
    return [things[nth] for nth in sorted(range(len(things)), key=lambda nth: (at[nth], nth))]
