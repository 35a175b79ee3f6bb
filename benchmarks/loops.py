"""
The shipped policies scored on recorded loops whose right stops are known.

    python benchmarks/loops.py --corpus FOLDER [--policy NAME ...] [--no-tune]

FOLDER holds the loops, each in a folder of its own, an `INDEX.csv` that says which `file` is of which
`run_id`, and a `RUNS.csv` with a row for each loop:
`run_id`, `iterations`, `right_stop_iteration`, `right_reason`, `wasted_iterations`,
`key_fact`. A right stop is the number or range that the column begins with; `none` means that no stop was
right, and so does a row whose key fact calls it a negative control: such a loop is scored behind the
iterations that its row calls wasted, after which people fixed its problem. A row that says that nothing
was wasted lets its loop go on to the end. Rows without any of these, and loops whose text is missing, are
listed as not scored. All launches of a loop count as one run, over days where it took days; so limits that
are meant for one launch, on iterations, time and cost, are lifted. `--limits` leaves them as they are.

Prints Markdown: how each policy compares with the right stops, in total and loop by loop, then the
thresholds of `recommended` chosen on these very loops, and chosen without the loop they are judged on.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from pathlib import Path

from msgspec.structs import replace

from exitgate.core.policy import shipped
from exitgate.core.policy.cache import recall_policy
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.probe import probe_of
from exitgate.recordings.replay.loaded_runs import LoadedRun, LoadedRuns, load_runs
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.reports.scores import score_markdown
from exitgate.recordings.reports.tuning import tune_markdown
from exitgate.recordings.scoring.grid import grid, patch
from exitgate.recordings.scoring.labels import Label, Labels
from exitgate.recordings.scoring.scored_runs import score_runs
from exitgate.recordings.scoring.tuning import tune
from exitgate.recordings.unread import Unread

#: Makes one run of a loop's folder.
READER = "ralph-folder"
#: Words in a reason -> the class they speak of; a reason may speak of several, and all are right then.
WORDS = {
    "complete": "complete",
    "story done": "complete",
    "no work": "idle",
    "same state": "idle",
    "blocked": "blocked",
    "permission": "blocked",
    "wait": "wait",
    "authentication": "failed",
    "undoes": "stuck",
}
#: Parameters that limit one launch, where a policy has them.
LIFTED = {
    "max_iterations": "100000",
    "max_elapsed": "10000h",
    "max_runtime": "10000h",
    "max_cost": "100000 USD",
}
TUNED = {
    "idle_loops": "1..4",
    "claim_loops": "2..4",
    "flat_loops": "5,10,20",
    "busy_turns": "5,10,20,1000",
}


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--corpus", type=Path, required=True, help="folder of loops with a RUNS.csv")
    parser.add_argument("--policy", nargs="+", default=list(shipped.policies()), help="shipped names")
    parser.add_argument("--limits", action="store_true", help="keep the limits meant for one launch")
    parser.add_argument("--no-tune", action="store_true", help="only the scores")
    asked = parser.parse_args()
    rows = rows_of(asked.corpus)
    labels, folders, left_out = labelled(asked.corpus, rows)
    if not labels:
        print(f"no labelled loop below {asked.corpus}", file=sys.stderr)
        return 66
    known = Labels(labels)
    read = Reading(folders, {row["run_id"]: begun_in_vain(row) for row in rows})
    names = sorted(asked.policy, key=lambda name: name != "recommended")
    settings = {name: {} if asked.limits else lifted(name) for name in names}
    scored = score_runs(
        read, known, {name: recall_policy(name, settings=settings[name]).policy for name in names}
    )
    print(score_markdown(scored, by_run=True))
    print("Labels, as the table of loops was read:\n")
    for one in labels:
        print(f"- {one.run}: {one.stop} {' or '.join(one.classes)}".rstrip())
    print("\nNot scored:\n")
    for name, why in left_out:
        print(f"- {name}: {why}")
    if not asked.no_tune:
        fixed = {} if asked.limits else lifted("recommended")
        policy = recall_policy("recommended", settings=fixed).policy
        found = tune(read, known, "recommended", grid(policy, TUNED), settings=fixed)
        print(f"\n## Thresholds\n\n{tune_markdown(found, patch(policy, 'recommended', found.chosen.point))}")
    return 0


def rows_of(corpus: Path) -> list[dict[str, str]]:
    """Return the table of loops. Raises OSError."""
    with (corpus / "RUNS.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labelled(
    corpus: Path, rows: list[dict[str, str]]
) -> tuple[tuple[Label, ...], dict[str, Path], list[tuple[str, str]]]:
    """Return labels, the folder of each loop, and the loops that are left out, with why. Raises OSError."""
    places = _folders(corpus)
    labels: list[Label] = []
    folders: dict[str, Path] = {}
    left_out: list[tuple[str, str]] = []
    for row in rows:
        label, why = label_of(row)
        folder = places.get(row["run_id"])
        if label is None or folder is None:
            left_out.append((row["run_id"], why or "its text is missing"))
            continue
        labels.append(label)
        folders[row["run_id"]] = folder
    return tuple(labels), folders, left_out


class Reading:
    """Reads the folders of loops, each once for the same policies."""

    def __init__(self, folders: dict[str, Path], in_vain: dict[str, int] | None = None) -> None:
        self.folders = folders
        self.in_vain = in_vain or {}

    def __call__(self, players: dict[str, PolicyReplay]) -> LoadedRuns:
        runs, problems, unread = [], [], Unread()
        for name, folder in self.folders.items():
            look = probe_of(Location(str(folder), True))
            reader = READER if registry.load(READER).fits(look) else None
            found = load_runs([str(folder)], players, reader=reader)
            loops = [one for one in found.runs if one.run.parent is None and one.run.iterations]
            if len(loops) == 1:
                (one,) = loops
                one = behind(one, self.in_vain.get(name, 0))
                runs.append(replace(one, run=replace(one.run, id=name)))
            problems += found.problems
            print(f"read {len(runs)} of {len(self.folders)}", end="\r", file=sys.stderr)
        return LoadedRuns(tuple(runs), tuple(problems), unread)


def begun_in_vain(row: dict[str, str]) -> int:
    """Return how many iterations at the beginning of a negative control were wasted, the larger number."""
    control = row["key_fact"].startswith("negative control")
    return max(_leading(row["wasted_iterations"].strip()), default=0) if control else 0


def behind(one: LoadedRun, count: int) -> LoadedRun:
    """Return the run without its first `count` iterations, those behind them counted from 1."""
    if not count or one.extracted is None:
        return one
    extracted = {
        key: tuple(replace(each, index=number) for number, each in enumerate(found[count:], 1))
        for key, found in one.extracted.items()
    }
    first = next(iter(extracted.values()))[0]
    costs = one.costs[count:]
    told = [cost for cost in costs if cost is not None]
    start = first.started_at
    return LoadedRun(
        replace(one.run, iterations=len(costs), cost=sum(told) if told else None, started_at=start),
        replace(one.begin, started_at=start),
        max(0, one.spoken - count),
        costs,
        extracted,
    )


def lifted(name: str) -> dict[str, str]:
    """Return settings that lift the limits that a policy has."""
    parameters = recall_policy(name).policy.parameters
    return {key: text for key, text in LIFTED.items() if key in parameters}


def label_of(row: dict[str, str]) -> tuple[Label | None, str]:
    """Return the label that a row of the table means; or None, and why it means none."""
    stop = row["right_stop_iteration"].strip()
    run = row["run_id"]
    if stop.startswith("none") or row["key_fact"].startswith("negative control"):
        return Label(run, None, None, never=True), ""
    numbers = _leading(stop)
    if not numbers:
        return None, f"its right stop is not a number: {stop}" if stop else "no right stop is known"
    first, last = numbers[0], numbers[-1]
    if row["wasted_iterations"].strip() == "0" and row["iterations"].isdecimal():
        last = max(last, int(row["iterations"]))
    reason = row["right_reason"].lower()
    classes = dict.fromkeys(kind for words, kind in WORDS.items() if words in reason)
    return Label(run, first, last, classes=tuple(classes)), ""


def _leading(text: str) -> list[int]:
    """Return the numbers of the number or range that a text begins with."""
    first = text.partition(" ")[0].rstrip(";,.")
    parts = first.split("-")
    return [int(part) for part in parts] if parts and all(part.isdecimal() for part in parts) else []


def _folders(corpus: Path) -> dict[str, Path]:
    """Return the folder that all files of a loop are in, by its `run_id`; none for scattered ones."""
    files: dict[str, list[str]] = {}
    with (corpus / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            files.setdefault(row["run_id"], []).append(str(Path(row["file"]).parent))
    whole = {run: Path(os.path.commonpath(parents)) for run, parents in files.items()}
    return {run: corpus / folder for run, folder in whole.items() if len(folder.parts) > 1}


if __name__ == "__main__":
    sys.exit(main())
