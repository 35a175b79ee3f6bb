"""
Whether every file of a corpus of transcripts opens with the right reader, and how many iterations it has.

    python benchmarks/corpus.py --corpus FOLDER [--verbose]

FOLDER has an `INDEX.csv` with `file`, `format`, `run_id` and `turns` (how many somebody counted, of what says
`benchmarks/corpus_units.py`), and may have a `RUNS.csv` with `run_id` and `iterations` for runs whose files
are in one folder. Each file is sniffed and read by itself. One that no reader takes alone is right if
the reader of its folder claims it. Prints a row for each format: files, right and wrong reader, exceptions,
problems, iterations, and how many files agree with the index in the index's own unit. Exits 1 where a reader
raises or a wrong one takes a file.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import traceback
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.corpus_units import ITERATIONS, UNITS  # noqa: E402

from exitgate.core.model.capabilities import ALL  # noqa: E402
from exitgate.recordings import registry  # noqa: E402
from exitgate.recordings.location import Location  # noqa: E402
from exitgate.recordings.model import Begin, End, Problem  # noqa: E402
from exitgate.recordings.probe import probe_of  # noqa: E402

#: Format in the index -> the readers that are right for a file of it.
RIGHT: dict[str, tuple[str, ...]] = {
    "aider-history": ("aider",),
    "autoresearch-ledger": ("autoresearch",),
    "claude-result-json": ("claude-result", "claude-stream"),
    "claude-session-jsonl": ("claude-session",),
    "claude-stream-json": ("claude-stream",),
    "claude-text": ("ralph-frankbria",),
    "cline-session-v2": ("cline",),
    "codex-exec-json": ("codex-exec",),
    "codex-rollout": ("codex-rollout",),
    "copilot-events": ("copilot",),
    "gemini-contents-array": ("gemini-contents",),
    "gemini-session": ("gemini-session",),
    "git-history-jsonl": ("git-history",),
    "markdown": ("ralph-codeharness",),
    "mini-swe-agent-traj": ("mini-swe-agent",),
    "opencode-export": ("opencode",),
    "openhands-output-v0": ("openhands",),
    "openhands-sdk-events": ("openhands-sdk",),
    "pi-session": ("pi",),
    "ralph-codeharness-log": ("ralph-codeharness",),
    "ralph-frankbria-state": ("ralph-frankbria", "ralph-codeharness", "ralph-folder"),
    "ralph-iannuttall": ("ralph-iannuttall",),
    "ralph-orchestrator": ("ralph-orchestrator",),
    "ralph-orchestrator-recording": ("orchestrator-recording", "claude-stream"),
    "ralph-progress-files": ("ralph-cursor", "ralph-snarktank"),
    "roo-log": ("roo",),
    "roo-task": ("roo",),
    "swe-agent-traj": ("swe-agent",),
}


class Opened(NamedTuple):
    """What came of one file: its reader, its runs' iterations, their number in the index's unit, trouble."""

    reader: str | None
    runs: tuple[int, ...] = ()
    counted: int | None = None
    problems: int = 0
    trace: str = ""


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--corpus", type=Path, required=True, help="folder with an INDEX.csv")
    parser.add_argument("--verbose", action="store_true", help="name every file whose count differs")
    asked = parser.parse_args()
    try:
        rows = _rows(asked.corpus / "INDEX.csv")
    except OSError as error:
        print(f"cannot read the index: {error}", file=sys.stderr)
        return 66
    started = time.perf_counter()
    claims = _Claims(asked.corpus)
    found: dict[str, list[tuple[dict[str, str], Opened]]] = defaultdict(list)
    for number, row in enumerate(rows, 1):
        found[row["format"]].append((row, opened(asked.corpus, row, claims)))
        if sys.stderr.isatty():
            print(f"{number} of {len(rows)}", end="\r", file=sys.stderr)
    bad = _print_formats(found)
    _print_misfits(found, verbose=asked.verbose)
    if (asked.corpus / "RUNS.csv").exists():
        _print_runs(asked.corpus, rows)
    print(f"\n{len(rows)} files in {time.perf_counter() - started:.1f} s")
    return 1 if bad else 0


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def opened(corpus: Path, row: dict[str, str], claims: _Claims) -> Opened:
    """Return what comes of sniffing and reading one file. Never raises."""
    place = Location(str(corpus / row["file"]))
    id: str | None = None
    try:
        id = registry.sniff(probe_of(place))
        if id is None:
            return Opened(claims.reader_of(row["file"]))
        runs, turns, problems = _read(place, id)
        _, count = UNITS.get(row["format"], ITERATIONS)
        return Opened(id, runs, count(place.read(), sum(runs), turns), problems)
    except Exception:
        return Opened(id, trace=traceback.format_exc())


def _read(place: Location, id: str) -> tuple[tuple[int, ...], int, int]:
    """Return the iterations of each run, the turns that their records tell, and the number of problems."""
    runs: list[int] = []
    problems = count = turns = 0
    for part in registry.load(id).read(place, ALL):
        if isinstance(part, Problem):
            problems += 1
        elif isinstance(part, Begin):
            count = 0
        elif isinstance(part, End):
            runs.append(count)
        else:
            count += 1
            told = part.record.get("turns")
            turns += told if isinstance(told, int) else 0
    return tuple(runs), turns, problems


class _Claims:
    """Which folder's reader claims a file."""

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus
        self._known: dict[str, tuple[str, frozenset[str]] | None] = {}

    def reader_of(self, name: str) -> str | None:
        """Return the reader of the nearest folder above `name` that claims it, or None."""
        parts = name.split("/")
        for depth in range(len(parts) - 1, 0, -1):
            taken = self._of("/".join(parts[:depth]))
            if taken is not None and ("/".join(parts[depth:]) in taken[1] or f"{parts[depth]}/" in taken[1]):
                return taken[0]
        return None

    def _of(self, folder: str) -> tuple[str, frozenset[str]] | None:
        if folder not in self._known:
            look = probe_of(Location(str(self._corpus / folder), is_folder=True))
            id = registry.sniff(look)
            module = None if id is None else registry.load(id)
            self._known[folder] = None if module is None else (module.ID, module.claims(look))  # type: ignore[attr-defined]
        return self._known[folder]


def _print_formats(found: dict[str, list[tuple[dict[str, str], Opened]]]) -> bool:
    print("| format | files | right | wrong | unread | raised | problems | iterations | index | of | agree |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|")
    bad = False
    sums = [0] * 8
    for name in sorted(found):
        files = found[name]
        right = sum(one.reader in RIGHT.get(name, ()) and not one.trace for _, one in files)
        unread = sum(one.reader is None and not one.trace for _, one in files)
        broken = sum(bool(one.trace) for _, one in files)
        wrong = len(files) - right - unread - broken
        counted = [(one.counted, int(row["turns"])) for row, one in files if row["turns"].isdigit()]
        agree = sum(mine == theirs for mine, theirs in counted)
        unit, _ = UNITS.get(name, ITERATIONS)
        cells = [
            len(files), right, wrong, unread, broken, sum(one.problems for _, one in files),
            sum(sum(one.runs) for _, one in files), sum(theirs for _, theirs in counted),
        ]  # fmt: skip
        print(f"| {name} | {' | '.join(map(str, cells))} | {unit} | {agree} of {len(counted)} |")
        sums = [a + b for a, b in zip(sums, cells, strict=True)]
        bad = bad or wrong > 0 or broken > 0
    print(f"| all | {' | '.join(map(str, sums))} | | |")
    return bad


def _print_misfits(found: dict[str, list[tuple[dict[str, str], Opened]]], *, verbose: bool) -> None:
    for name, files in sorted(found.items()):
        for row, one in files:
            if one.trace:
                print(f"\n{row['file']}: {one.reader}\n{one.trace}")
            elif one.reader not in RIGHT.get(name, ()):
                how = f"taken by {one.reader}" if one.reader else "no reader takes or claims it"
                print(f"- {name}: {row['file']}: {how}")
            elif verbose and row["turns"].isdigit() and one.counted != int(row["turns"]):
                unit, _ = UNITS.get(name, ITERATIONS)
                print(f"- {name}: {row['file']}: {one.counted} {unit}, {row['turns']} in the index")


def _print_runs(corpus: Path, rows: list[dict[str, str]]) -> None:
    """Print how many iterations the runs have whose files are in a separate folder."""
    from exitgate.recordings.discovery import discover

    files: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        files[row["run_id"]].append(row["file"])
    print("\n| run | RUNS.csv | found: reader, iterations of each run |")
    print("|---|---:|---|")
    for run in _rows(corpus / "RUNS.csv"):
        mine = files.get(run["run_id"], [])
        if not mine:
            continue
        folders = {name.rpartition("/")[0] for name in mine}
        shared = min(folders, key=len)
        alone = all(name.startswith(shared + "/") for name in mine) and _owns(shared, run["run_id"], rows)
        paths = [shared] if alone else mine
        cells: dict[str, list[int]] = defaultdict(list)
        for one in discover([str(corpus / path) for path in paths]):
            if one.reader is not None:
                cells[one.reader] += _read(one.place, one.reader)[0]
        told = "; ".join(f"{id}: {_short(counts)}" for id, counts in cells.items())
        print(f"| {run['run_id']} | {run['iterations']} | {told} |")


def _owns(folder: str, run: str, rows: list[dict[str, str]]) -> bool:
    return all(row["run_id"] == run for row in rows if row["file"].startswith(folder + "/"))


def _short(counts: list[int]) -> str:
    if len(counts) <= 6:
        return " + ".join(map(str, counts))
    return f"{sum(counts)} in {len(counts)} runs"


if __name__ == "__main__":
    sys.exit(main())
