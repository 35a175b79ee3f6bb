"""
Whether a Dask cluster says what this process says, over a folder of recordings: each command, byte for byte.

    python benchmarks/fleet_corpus.py FOLDER [--workers N] [--scheduler ADDRESS [--insecure]]

`dry-run`, `score`, `compare`, `tune`, `calibrate` and `transcripts` run on the folder twice; standard output,
standard error and exit code have to be the same. Labels are made up: every second run of its own id should
have stopped at its end, the others in the middle. Facts that were kept of earlier runs are not used. Prints
Markdown; the exit code is 1 where anything differs, with the first line that does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import zip_longest
from pathlib import Path

POLICIES = ("-p", "recommended", "-p", "bb3", "-p", "ralph")
Ran = tuple[int, bytes, bytes]


def commands(labels: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each command, over the working folder."""
    return {
        "transcripts": ("transcripts", ".", "--format", "json"),
        "dry-run": ("dry-run", ".", *POLICIES, "--all", "--detail", "--no-cache", "--format", "json"),
        "score": ("score", ".", "-l", labels, *POLICIES, "--by-run", "--format", "json"),
        "compare": ("compare", "recommended", "bb3", "--runs", ".", "--all", "--format", "json"),
        "tune": ("tune", ".", "-l", labels, "-p", "bb3", "-P", "min_confidence=60,80", "--folds", "5"),
        "calibrate": ("calibrate", ".", "-l", labels, "-p", "bb3"),
    }


def ran(words: tuple[str, ...], folder: Path) -> Ran:
    """Return exit code, standard output and standard error of a command."""
    whole = [sys.executable, "-P", "-m", "exitgate", *words]
    done = subprocess.run(whole, cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def labelled(folder: Path) -> str:
    """Return labels for the runs whose id no other run has."""
    _, out, _ = ran(("transcripts", ".", "--format", "jsonl"), folder)
    runs = [json.loads(line) for line in out.splitlines()]
    times = Counter(one["run"] for one in runs)
    own = [one for one in runs if times[one["run"]] == 1 and one["parent"] is None and one["iterations"]]
    stops = [one["iterations"] // (1 + at % 2) or 1 for at, one in enumerate(own)]
    lines = [
        f"  - {{run: {json.dumps(one['run'])}, stop: {stop}, class: complete}}"
        for one, stop in zip(own, stops, strict=True)
    ]
    return "\n".join(["labels:", *lines, ""])


def difference(here: Ran, there: Ran) -> str:
    """Return the first difference, the empty text without any."""
    if here[0] != there[0]:
        return f"exit code {here[0]} here, {there[0]} there"
    for name, one, other in (("stdout", here[1], there[1]), ("stderr", here[2], there[2])):
        for number, (line, its) in enumerate(zip_longest(one.splitlines(True), other.splitlines(True)), 1):
            if line != its:
                return f"{name}, line {number}: {line!r:.200} here, {its!r:.200} there"
    return ""


def main() -> int:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description="a Dask cluster against this process, byte for byte")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scheduler")
    parser.add_argument("--insecure", action="store_true")
    asked = parser.parse_args()
    there = ("--executor", "dask", "--workers", str(asked.workers))
    if asked.scheduler:
        there = ("--executor", "dask", "--scheduler", asked.scheduler, *["--insecure"] * asked.insecure)
    differing = 0
    print("| command | bytes | here | cluster | |\n|---|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as place:
        labels = Path(place) / "labels.yaml"
        labels.write_text(labelled(asked.folder), encoding="utf-8")
        for name, words in commands(str(labels)).items():
            begun = time.perf_counter()
            one = ran(words, asked.folder)
            between = time.perf_counter()
            found = difference(one, ran((*words, *there), asked.folder))
            took = f"{between - begun:.1f} s | {time.perf_counter() - between:.1f} s"
            differing += bool(found)
            print(f"| {name} | {len(one[1]):,} | {took} | {found or 'the same'} |", flush=True)
            if one[0] not in (0, 65, 69, 74) or not one[1]:
                print(f"`{name}` did not do its work: {one[0]}, {one[2][-500:].decode(errors='replace')}")
                differing += 1
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
