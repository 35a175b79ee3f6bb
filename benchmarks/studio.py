"""
How soon the studio shows what a change of a policy moves: times by the clock in one run.

    python benchmarks/studio.py [--runs N] [--iterations N] [--policy NAME]

Runs are made up: plain responses, errors, claims, some of which come back. They are read first, which is
measured too. For each change: when the first rows come, those of the 30 runs in sight, and when all have.
Prints Markdown; the exit code is 1 where it takes longer than asked: 0.3 s for the first rows; 2 s for all
with another threshold, 10 s with another order of rules.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from time import perf_counter

from exitgate.core.policy.compiled import Parameter
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace

FIRST, THRESHOLD, ORDER = 0.3, 2.0, 10.0
IN_SIGHT = range(1, 31)
SAID = (
    "Added the parser and its tests; all 14 tests pass.",
    "Refactored the settings. The suite: 12 passed, 1 failed.",
    "I could not find the module, will try again.",
    "Implemented the next step and updated the plan.",
    "Error: connection refused while fetching.",
    "All tasks are complete. Everything is done.",
    "I am 90% confident that the work is complete.",
)


def write(folder: Path, runs: int, iterations: int) -> None:
    """Write runs of so many iterations, a file each."""
    rng = random.Random(5)
    for number in range(runs):
        lines = []
        for turn in range(1, iterations + 1):
            said = [rng.choice(SAID) for _ in range(rng.randint(2, 6))]
            text = "\n\n".join(said) + f"\n\nrun {number}, turn {turn}"
            lines.append(json.dumps({"iteration": turn, "response": text, "cost": 0.05 * rng.random()}))
        (folder / f"run-{number:05}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


class Page:
    """A page that notes when rows come."""

    def __init__(self) -> None:
        self.first = 0.0
        self.done = Event()

    def hear(self, event: Mapping[str, object]) -> None:
        """Take what the studio says."""
        if event["type"] == "rows" and not self.first:
            self.first = perf_counter()
        elif event["type"] in ("done", "failed"):
            self.done.set()


def timed(workspace: Workspace, page: Page, policy: str, draft: Draft) -> tuple[float, float]:
    """Return the seconds until the first rows, and until all."""
    page.first = 0.0
    page.done.clear()
    begun = perf_counter()
    workspace.draft(policy, draft, IN_SIGHT)
    page.done.wait()
    return page.first - begun, perf_counter() - begun


def other(parameter: Parameter) -> int:
    """Return another value of a number: the next one, or the one before at its upper bound."""
    value = int(str(parameter.value))
    high = 100.0 if parameter.type.kind == "percent" and parameter.high is None else parameter.high
    return value - 1 if high is not None and value + 1 > high else value + 1


def main() -> int:
    parser = argparse.ArgumentParser(description="how soon the studio shows what a change moves")
    parser.add_argument("--runs", type=int, default=1000, help="runs (1000)")
    parser.add_argument("--iterations", type=int, default=50, help="iterations of each (50)")
    parser.add_argument("--policy", default="recommended", help="a shipped policy (recommended)")
    given = parser.parse_args()
    page, name = Page(), given.policy
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EXITGATE_CACHE_DIR"] = str(Path(folder) / "cache")
        runs = Path(folder) / "runs"
        runs.mkdir()
        write(runs, given.runs, given.iterations)
        workspace = Workspace([str(runs)], [Origin(name, name, {}, ".")], publish=page.hear)
        begun = perf_counter()
        workspace.load()
        read = perf_counter() - begun
        policy = workspace.columns[name].saved.policy
        rules = [rule.id for rule in policy.rules if not rule.locked]
        numbers = [p for p in policy.parameters.values() if p.type.kind in ("count", "percent")]
        changes = [
            (f"`{p.name}` {p.value} to {other(p)}", Draft(values={p.name: other(p)}), THRESHOLD)
            for p in numbers
        ]
        changes += [
            (f"`{rules[-1]}` to the front", Draft(before={rules[-1]: rules[0]}), ORDER),
            (f"`{rules[0]}` left out", Draft(disabled=(rules[0],)), ORDER),
            ("five rules in shadow", Draft(shadow=tuple(rules[1:6])), ORDER),
        ]
        print(f"{given.runs} runs of {given.iterations} iterations, {os.cpu_count()} cores, `{name}`.")
        print(f"Read in {read:.1f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.\n")
        print("| change | first rows | all | asked |\n|---|---:|---:|---:|")
        missed = 0
        for words, draft, most in changes:
            first, whole = timed(workspace, page, name, draft)
            over = first > FIRST or whole > most
            missed += over
            asked = f"{FIRST} s, {most:g} s{' **missed**' if over else ''}"
            print(f"| {words} | {first:.2f} s | {whole:.2f} s | {asked} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
