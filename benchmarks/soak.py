"""
What takes long by its nature, in rounds until the time is over: `make soak MINUTES=10`.

    python benchmarks/soak.py [--minutes N] [--state FOLDER] [--part NAME] [--count N]

| part | a round |
|---|---|
| night | 100 iterations of two loops under kills, clock jumps and damaged files (`night.py`) |
| properties | the properties of one test file, 500 examples each (hypothesis) |
| cases | every case of one test file of which the suite takes some (`tests/shared/cases.py`) |
| agreement | 100 random policies, asked about by z3 and by the walk (`agreement.py`) |
| texts | 250 random policies with patterns, compared with the engine (`texts.py`) |
| envelopes | 5,000 recordings of real shapes with two lines broken (`envelopes.py`) |
| mutants | the mutants of one shipped policy (`exitgate mutate`) |

Each round has a seed of its own, which is printed with the command that repeats it. What was done is kept
in `build/soak/state.json` after each round: the next soak continues with the seeds after it, and a round that
the time cut off is started again. The output of a failed round is kept beside it. With `--count` a part ends
as soon as it has so many of what it counts, those of earlier soaks included: `make soak PART=texts COUNT=5000
MINUTES=120`, again and again, until it says that it is done. Another `--state` folder begins with the first
seed. The exit code is 1 when a round failed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
NIGHT, EXAMPLES, POLICIES, PATTERNS, INPUTS = 100, 500, 100, 250, 5000


class Part(NamedTuple):
    """A kind of round: its command for a seed, and what a count in its output is called."""

    name: str
    command: Callable[[int], list[str]]
    counted: str
    unit: str


def tests_with(mark: str, seed: int, *more: str) -> list[str]:
    """Return the command for the test file whose turn it is, of those that hold a mark."""
    files = [one for one in sorted((ROOT / "tests").rglob("test_*.py")) if mark in one.read_text("utf-8")]
    file = str(files[seed % len(files)].relative_to(ROOT))
    return ["-m", "pytest", "-n", "0", "-p", "no:cacheprovider", file, *more, "-o", "addopts="]


def properties(seed: int) -> list[str]:
    """Return the command for the properties of the file whose turn it is."""
    return tests_with(
        "@given", seed, "-m", "hypothesis", "--examples", str(EXAMPLES), "--hypothesis-seed", str(seed)
    )


def cases(seed: int) -> list[str]:
    """Return the command for every case of the file whose turn it is."""
    return tests_with("from cases import", seed, "--every-case")


def mutants(seed: int) -> list[str]:
    """Return the command for the mutants of the policy whose turn it is."""
    policies = sorted(one.parent for one in (ROOT / "policies").glob("*/tests.yaml"))
    return ["-m", "exitgate", "mutate", str(policies[seed % len(policies)].relative_to(ROOT))]


def night(seed: int) -> list[str]:
    """Return the command for a night."""
    return ["benchmarks/night.py", "--iterations", str(NIGHT), "--seed", str(seed)]


def agreement(seed: int) -> list[str]:
    """Return the command for random policies."""
    return ["benchmarks/agreement.py", "--examples", str(POLICIES), "--seed", str(seed)]


def texts(seed: int) -> list[str]:
    """Return the command for random policies with patterns."""
    return ["benchmarks/texts.py", "--examples", str(PATTERNS), "--seed", str(seed)]


def envelopes(seed: int) -> list[str]:
    """Return the command for broken recordings."""
    return ["benchmarks/envelopes.py", "--inputs", str(INPUTS), "--seed", str(seed)]


PARTS = (
    Part("night", night, r"(\d+) iterations of", "iterations"),
    Part("properties", properties, r"(\d+) passed", f"properties of {EXAMPLES} examples"),
    Part("cases", cases, r"(\d+) passed", "tests with every case"),
    Part("agreement", agreement, r"(\d+) policies, \d+ questions, ", "policies"),
    Part("texts", texts, r"(\d+) policies, \d+ questions, ", "policies with patterns"),
    Part("envelopes", envelopes, r"(\d+) inputs of", "broken recordings"),
    Part("mutants", mutants, r"(\d+) mutants", "mutants"),
)


class Soak:
    """What was done so far, kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "state.json"
        found = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}
        self.done: dict[str, Any] = {
            part.name: found.get(part.name, {"rounds": 0, "count": 0, "failed": []}) for part in PARTS
        }

    def round(self, part: Part, until: float) -> bool:
        """Do the next round of a part; return whether there was time for all of it."""
        done = self.done[part.name]
        seed = done["rounds"] + 1
        words = part.command(seed)
        print(f"{part.name:10}  seed {seed:<5} python {' '.join(words)}", flush=True)
        left = max(1.0, until - time.monotonic())
        try:
            ran = subprocess.run(
                [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=left
            )
        except subprocess.TimeoutExpired:
            print(f"{part.name:10}  seed {seed:<5} cut off: the next soak begins it again")
            return False
        said = ran.stdout + ran.stderr
        done["rounds"] = seed
        done["count"] += sum(map(int, re.findall(part.counted, said)[-1:]))
        if ran.returncode:
            done["failed"].append(seed)
            kept = self.folder / f"{part.name}-{seed}.txt"
            kept.write_text(said, encoding="utf-8")
            print(f"{part.name:10}  seed {seed:<5} FAILED ({ran.returncode}): {kept}")
        self._keep()
        return True

    def _keep(self) -> None:
        beside = self._path.with_suffix(".new")
        beside.write_text(json.dumps(self.done, indent=1), encoding="utf-8")
        beside.replace(self._path)

    def is_done(self, part: Part, count: int | None) -> bool:
        """Return whether a part has as many as asked for of what it counts."""
        return count is not None and self.done[part.name]["count"] >= count

    def tell(self, count: int | None = None) -> None:
        """Print the counts of all soaks so far; of `count` that are asked for, too."""
        for part in PARTS:
            done = self.done[part.name]
            failed = f"; FAILED seeds {', '.join(map(str, done['failed']))}" if done["failed"] else ""
            failed += f"; done: {count} were asked for" if self.is_done(part, count) else ""
            print(f"{done['count']:8}  {part.unit} in {done['rounds']} rounds of {part.name}{failed}")


def main() -> int:
    """Soak until the time is over."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "soak")
    parser.add_argument("--part", choices=[part.name for part in PARTS], help="this part only")
    parser.add_argument("--count", type=int, help="end with so many of what each part counts")
    given = parser.parse_args()
    soak = Soak(given.state)
    before = sum(len(done["failed"]) for done in soak.done.values())
    until = time.monotonic() + 60 * given.minutes
    chosen = [part for part in PARTS if given.part in (None, part.name)]
    # Whose turn it is: the part with the fewest rounds, so that a short soak goes on where one ended.
    while time.monotonic() < until:
        left = [part for part in chosen if not soak.is_done(part, given.count)]
        if not left:
            break
        part = min(left, key=lambda one: soak.done[one.name]["rounds"])
        try:
            if not soak.round(part, until):
                break
        except KeyboardInterrupt:
            break
    soak.tell(given.count)
    return 1 if sum(len(done["failed"]) for done in soak.done.values()) > before else 0


if __name__ == "__main__":
    sys.exit(main())
