"""
What one check costs as a process, over `python -c pass`: ratios of processor time in one interleaved run.

    python benchmarks/process.py [--rounds N] [--bb3 FILE] [--ralph FOLDER] [--doyaken FOLDER]

Prints Markdown. The exit code is 1 when a goal is missed. Byte code is written first, whatever
PYTHONDONTWRITEBYTECODE says: users have it.
"""

from __future__ import annotations

import argparse
import compileall
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from project import Project  # noqa: E402
from turns import Run, middle, race, ratio  # noqa: E402

PASS = "`python -c pass`"
PLAIN = "`exitgate check`, bb3, 10 KB"
LONG = "the same, 100 KB"
PATTERNED = "20 more patterns, 10 KB"
GIT = "git facts, 10 KB"
COLD = "no cache: YAML read, checked, compiled"
#: Name -> (over what, at most).
GOALS = {PLAIN: (PASS, 2.5), PATTERNED: (PASS, 3.0), LONG: (PLAIN, 1.5), COLD: (PASS, 15.0)}
#: Every code of a decision.
DECIDED = (0, 2, *range(10, 19))


def runs(folder: Path, environment: dict[str, str]) -> list[Run]:
    """Return the contenders; the working folder becomes the project."""
    python = sys.executable
    project = Project(folder / "project", str(Path(python).with_name("exitgate")), environment)
    os.chdir(project.folder)

    def check(name: str, policy: str = "bb3", size: str = "10", **cache: str) -> Run:
        words = project.check(policy, size)
        return Run(name, words, project.restore, DECIDED, {**environment, **cache})

    return [
        Run(PASS, [python, "-c", "pass"], environment=environment),
        check(PLAIN),
        check(LONG, size="100"),
        check(PATTERNED, "./patterned.yaml"),
        check(GIT, "./gitted.yaml"),
        check(COLD, EXITGATE_CACHE_DIR=""),
    ]


def table(rounds: int, others: list[Run]) -> tuple[list[str], list[str]]:
    """Return the lines of the table and the goals that were missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE"))}
        environment["EXITGATE_CACHE_DIR"] = str(folder / "cache")
        here = Path.cwd()
        ours = runs(folder, environment)
        spent = race([*ours, *others], rounds)
        os.chdir(here)
    lines = ["| process | CPU | x `python -c pass` | goal |", "|---|---:|---:|---:|"]
    missed = []
    for name in spent:
        over, limit = GOALS.get(name, (PASS, 0.0))
        found = ratio(spent, name, over)
        goal = "" if not limit else f"{limit} x" if over == PASS else f"{found:.2f} of {limit} x 10 KB"
        lines.append(f"| {name} | {middle(spent, name) * 1e3:.1f} ms | {ratio(spent, name, PASS):.2f} | {goal} |")
        if limit and found > limit:
            missed.append(f"{name}: {found:.2f} x {over}, goal {limit}")
    return lines, missed


def main() -> int:
    parser = argparse.ArgumentParser(description="the cost of a check as a process, as ratios")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each contender (15)")
    arguments = parser.parse_args()
    compileall.compile_dir(HERE.parent / "src", quiet=2)
    lines, missed = table(arguments.rounds, [])
    print("\n".join(lines))
    if missed:
        print("\nGoals missed:\n" + "\n".join(f"- {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
