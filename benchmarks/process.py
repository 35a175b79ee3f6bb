"""
What one check costs as a process, over `python -c pass`: ratios of processor time in one interleaved run.

    python benchmarks/process.py [--rounds N] [--beside NAME=COMMAND]...

Prints Markdown. The exit code is 1 when a goal is missed. Byte code is written first, regardless of
PYTHONDONTWRITEBYTECODE: users have it.

`--beside` times another program on the same response and plan: a shell command, run in a folder with
`response-10.md`, `fix_plan.md`, and both under the names that loops in bash read
(`.ralph/last-response.md`, `.ralph/@fix_plan.md`), for example
`--beside 'bb3=bash ~/bb3/lib/exit_decision_engine.sh check'`. Any exit code will do.
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
PLAIN = "`exitgate check`, rules of `bb3-faithful`: words, no pattern; 10 KB"
LONG = "the same, 100 KB"
PATTERNED = "the same rules and one over 20 patterns, 10 KB"
VIEWS = "`bb3-faithful` as shipped: the same rules, and two views kept, 10 KB"
GUARDED = "`bb3` as shipped: patterns for errors, guards, two views; 10 KB"
DEFAULT = "`recommended` as shipped: all extractors, words of eight languages; 10 KB"
GIT = "the plain rules and one over git, 10 KB"
COLD = "the plain rules without a cache: YAML read, checked, compiled"
COLD_BB3 = "`bb3` without a cache"
#: Name -> (over what, at most).
GOALS = {
    PLAIN: (PASS, 2.5),
    PATTERNED: (PASS, 3.0),
    LONG: (PLAIN, 1.5),
    COLD: (PASS, 15.0),
}
#: Every code of a decision.
DECIDED = (0, 2, *range(10, 19))


def runs(folder: Path, environment: dict[str, str], beside: list[str]) -> list[Run]:
    """Return the contenders; the working folder becomes the project."""
    python = sys.executable
    project = Project(folder / "project", str(Path(python).with_name("exitgate")), environment)
    os.chdir(project.folder)

    def check(name: str, policy: str = "./plain.yaml", size: str = "10", **cache: str) -> Run:
        words = project.check(policy, size)
        return Run(name, words, project.restore, DECIDED, {**environment, **cache})

    others = [
        Run(name, ["/bin/sh", "-c", command], project.restore, range(256))
        for name, _, command in (text.partition("=") for text in beside)
    ]
    return [
        *others,
        Run(PASS, [python, "-c", "pass"], environment=environment),
        check(PLAIN),
        check(LONG, size="100"),
        check(PATTERNED, "./patterned.yaml"),
        check(VIEWS, "bb3-faithful"),
        check(GUARDED, "bb3"),
        check(DEFAULT, "recommended"),
        check(GIT, "./gitted.yaml"),
        check(COLD, EXITGATE_CACHE_DIR=""),
        check(COLD_BB3, "bb3", EXITGATE_CACHE_DIR=""),
    ]


def table(rounds: int, beside: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines of the table and the goals that were missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE"))}
        environment["EXITGATE_CACHE_DIR"] = str(folder / "cache")
        here = Path.cwd()
        spent = race(runs(folder, environment, beside), rounds)
        os.chdir(here)
    lines = ["| process | CPU | x `python -c pass` | goal |", "|---|---:|---:|---:|"]
    missed = []
    for name in spent:
        over, limit = GOALS.get(name, (PASS, 0.0))
        found = ratio(spent, name, over)
        goal = "" if not limit else f"{limit} x" if over == PASS else f"{found:.2f} of {limit} x 10 KB"
        times = f"{middle(spent, name) * 1e3:.1f} ms | {ratio(spent, name, PASS):.2f}"
        lines.append(f"| {name} | {times} | {goal} |")
        if limit and found > limit:
            missed.append(f"{name}: {found:.2f} x {over}, goal {limit}")
    return lines, missed


def main() -> int:
    parser = argparse.ArgumentParser(description="the cost of a check as a process, as ratios")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each contender (15)")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    compileall.compile_dir(HERE.parent / "src", quiet=2)
    lines, missed = table(arguments.rounds, arguments.beside)
    print("\n".join(lines))
    if missed:
        print("\nGoals missed:\n" + "\n".join(f"- {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
