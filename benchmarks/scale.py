"""
What many rules and many lines cost: CPU time and memory of whole commands, as ratios within one run.

    python benchmarks/scale.py [--rules 100,1000] [--lines 1000,100000]

Policies have facts of their own and shared ones, every fifth rule looks back, and each rule has a test
(`scale/policies.py`). The ledger is one run of bb3 (`scale/ledgers.py`). A ratio is the larger size over the
smaller one. Prints Markdown. The exit code is 1 when a ratio is above its goal: for rules 1.5 times that of
the sizes (`test` has a case for each rule, so its goal is the square), for lines 1.5.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "scale"))

import ledgers  # noqa: E402

import policies  # noqa: E402

#: Commands over a policy, and by which power of the number of rules they may grow.
OF_RULES = {
    "check": (("check", "response.md", "--policy", "policy.yaml", "--no-record"), 1),
    "explain": (("explain", "response.md", "--policy", "policy.yaml"), 1),
    "lint": (("lint", "policy.yaml"), 1),
    "prove --only rules": (("prove", "policy.yaml", "--only", "rules"), 1),
    "test": (("test", "policy.yaml"), 2),
}
OF_LINES = {
    "history": ("history",),
    "state": ("state",),
    "explain": ("explain",),
    "replay -n 1": ("replay", "-n", "1"),
}
SLACK = 1.5
#: Exit codes of commands that did their work: decisions and findings are none of a benchmark's business.
DONE = (0, *range(10, 19), 69)


def cost(words: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Return seconds of CPU time and megabytes of memory of one command."""
    code = (
        "import resource, subprocess, sys; "
        "done = subprocess.run([sys.executable, '-m', 'exitgate', *sys.argv[1:]], stdout=subprocess.DEVNULL,"
        " stderr=subprocess.PIPE, check=False); used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    asked = [sys.executable, "-c", code, *words]
    ran = subprocess.run(asked, check=False, cwd=folder, capture_output=True, text=True)
    status, seconds, megabytes = ran.stdout.split()
    if int(status) not in DONE:
        raise SystemExit(f"`exitgate {' '.join(words)}` in {folder}: {status}")
    return float(seconds), float(megabytes)


def row(name: str, found: list[tuple[float, float]], goal: float) -> tuple[str, bool]:
    """Return a line of the table, and whether the ratio is above the goal."""
    (less, _), (more, memory) = found
    ratio = more / less
    text = f"| {name} | {less:.2f} s | {more:.2f} s | {memory:.0f} MB | {ratio:.1f} | {goal:.0f} |"
    return text, ratio > goal


def of_rules(sizes: list[int], folder: Path) -> list[tuple[str, bool]]:
    """Return a line for each command over policies of two sizes."""
    places = [policies.write(folder / str(size), size).parent for size in sizes]
    factor = sizes[1] / sizes[0]
    return [
        row(name, [cost(words, place) for place in places], SLACK * factor**power)
        for name, (words, power) in OF_RULES.items()
    ]


def of_lines(sizes: list[int], folder: Path) -> list[tuple[str, bool]]:
    """Return a line for each command over ledgers of two sizes."""
    states = []
    for size in sizes:
        place = folder / f"lines-{size}"
        place.mkdir()
        states.append(str(ledgers.write(place, size)))
    return [
        row(name, [cost((*words, "--state-dir", state), folder) for state in states], SLACK)
        for name, words in OF_LINES.items()
    ]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="what many rules and many lines cost")
    parser.add_argument("--rules", default="100,1000")
    parser.add_argument("--lines", default="1000,100000")
    asked = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for what, made in (("rules", of_rules), ("lines", of_lines)):
            sizes = [int(one) for one in getattr(asked, what).split(",")]
            print(f"| {what} | {sizes[0]} | {sizes[1]} | memory | ratio | goal |")
            print("|---|---:|---:|---:|---:|---:|")
            for text, above in made(sizes, Path(folder)):
                missed |= above
                print(text, flush=True)
            print()
    print(f"largest memory here: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    sys.exit(int(missed))


if __name__ == "__main__":
    main()
