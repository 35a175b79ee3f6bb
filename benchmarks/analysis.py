"""
What questions about a policy cost: commands of two trees in turns, and the policies of a sweep.

    python benchmarks/analysis.py OTHER/.venv/bin/exitgate [--rounds N] [--only prove,lint]
    python benchmarks/analysis.py

Runs `diff` with two changed defaults, `prove`, `lint` and `mutate` of `recommended` in this Python's
environment and in the other one, in turns, in an empty folder. Prints the best user seconds of each, the
ratio (this tree over the other), and whether both print the same; questions that end by their time limit may
end otherwise in a faster tree. Asked of each is a third of the other tree; the goal is a tenth.

Then, with or without another tree, policies of a sweep of 1,000 points: bound late (`LateBinding`) over
compiled anew. Asked: 10 ms a point where compiling took 150, so a fifteenth.

Prints Markdown; the exit code is 1 when a ratio misses its goal.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.late_binding import LateBinding

POLICY = "recommended"
COMMANDS = {
    "diff": ["diff", POLICY, "--set", "stagnation_loops=4", "--set", "max_errors=6"],
    "prove": ["prove", POLICY],
    "lint": ["lint", POLICY],
    "mutate": ["mutate", POLICY],
}
ASKED, GOAL = 1 / 3, 1 / 10
#: Findings are exit code 69.
ANSWERED = (0, 69)
SWEEP = {"stagnation_loops": range(2, 12), "max_errors": range(1, 11), "min_confidence": range(30, 80, 5)}
#: Bound late over compiled anew; points that are compiled for that.
LATE_GOAL, ANEW = 1 / 15, 40


def main() -> int:
    parser = argparse.ArgumentParser(description="questions about a policy, as ratios of two trees")
    parser.add_argument("other", nargs="?", help="the program of another tree")
    parser.add_argument("--rounds", type=int, default=1, help="turns of each (1)")
    parser.add_argument("--only", default=",".join(COMMANDS), help="of " + ", ".join(COMMANDS))
    given = parser.parse_args()
    missed = False
    if given.other:
        missed = _compare(Path(given.other), given.only.split(","), given.rounds)
    return int(_sweep() or missed)


def _compare(other: Path, names: list[str], rounds: int) -> bool:
    """Print the figures of commands in both trees; return whether a goal is missed."""
    trees = (str(Path(sys.executable).with_name("exitgate")), str(other.absolute()))
    print(
        "| command | other tree | this one | ratio | asked | goal | the same |\n"
        "|---|---:|---:|---:|---:|---:|---|"
    )
    missed = False
    for name in names:
        best, texts = [float("inf")] * 2, ["", ""]
        for _ in range(rounds):
            for place in (1, 0):
                seconds, texts[place] = _run([trees[place], *COMMANDS[name]])
                best[place] = min(best[place], seconds)
        ratio = best[0] / best[1]
        missed |= ratio > GOAL
        reached = "met" if ratio <= GOAL else "missed, what was asked is met" if ratio <= ASKED else "MISSED"
        same = "yes" if texts[0] == texts[1] else "no"
        print(
            f"| `{' '.join(COMMANDS[name])}` | {best[1]:.1f} s | {best[0]:.1f} s | {ratio:.2f} "
            f"| {ASKED:.2f} | {GOAL:.2f}: {reached} | {same} |",
            flush=True,
        )
    return missed


def _run(words: list[str]) -> tuple[float, str]:
    """Return the user seconds of a command, and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times().children_user
        done = subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)
        if done.returncode not in ANSWERED:
            raise SystemExit(f"`{' '.join(words)}` ended with {done.returncode}: {done.stderr}")
        return os.times().children_user - before, done.stdout


def _make(settings: dict[str, str]) -> CompiledPolicy:
    return load_policy(POLICY, settings=settings)


def _sweep() -> bool:
    """Print what a point of a sweep costs; return whether the goal is missed."""
    points = [dict(zip(SWEEP, map(str, one), strict=True)) for one in itertools.product(*SWEEP.values())]
    _make({})  # files are read and patterns made once in a process
    begun = time.process_time()
    for point in points[:: len(points) // ANEW]:
        PolicyReplay(POLICY, _make(point))
    anew = (time.process_time() - begun) / ANEW
    begun = time.process_time()
    binding = LateBinding(_make, {}, SWEEP)  # type: ignore[arg-type]
    own = PolicyReplay(POLICY, binding.own)
    for point in points:
        own.with_policy(binding.at(point))
    late = (time.process_time() - begun) / len(points)
    ratio = late / anew
    print(
        f"\nSweep of {len(points)} points: {late * 1e3:.1f} ms a point bound late, {anew * 1e3:.0f} ms "
        f"compiled anew: {ratio:.3f}. Goal: {LATE_GOAL:.3f}; {'met' if ratio <= LATE_GOAL else 'MISSED'}."
    )
    return ratio > LATE_GOAL


if __name__ == "__main__":
    sys.exit(main())
