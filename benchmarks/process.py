"""
What one check costs as a process, over `python -c pass`: ratios of processor time in one interleaved run.

    python benchmarks/process.py [--rounds N] [--beside NAME=COMMAND]...

A response of 10 KB that is new each time, in a repository; children are counted. Warm checks run as
`python -I -m exitgate` and as the script that pip writes. The floor is what they cannot do without: Python,
RE2, the three questions to git.

Prints Markdown. The exit code is 1 when an asked ratio is missed; goals beyond are shown beside it. Byte code
is written first, regardless of PYTHONDONTWRITEBYTECODE: users have it.

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
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from project import POLICIES, Project  # noqa: E402
from turns import Run, middle, race, ratio  # noqa: E402

PASS = "`python -c pass`"
RE2 = 'floor: `python -I -c "import re2"`'
GIT = "floor: git asked as a check asks it, three processes"
WARM = "`{}`, `python -I -m exitgate`"
SCRIPT = "`{}`, pip's script"
NO_GIT = "`recommended` without a repository"
PLAIN = "rules of `bb3-faithful` without views: words, no pattern"
LONG = "the same, 100 KB"
PATTERNED = "the same rules and one over 20 patterns"
EDITED = "after an edit of a policy that extends `{}`"
COLD = "`bb3` without any cache"
EXPLAIN = "`exitgate explain` of the last decision, `recommended`"
#: Name -> (over what, asked, goal); ratios, at most.
GOALS = {
    WARM.format("recommended"): (PASS, 3.0, 2.6),
    WARM.format("bb3"): (PASS, 2.5, 2.2),
    WARM.format("bb3-faithful"): (PASS, 2.2, 1.9),
    NO_GIT: (PASS, 2.6, 2.3),
    LONG: (PLAIN, 1.5, 1.2),
    EDITED.format("bb3"): (PASS, 8.0, 5.0),
    EDITED.format("recommended"): (PASS, 8.0, 5.0),
    EXPLAIN: (PASS, 8.0, 5.0),
}
#: Every code of a decision.
DECIDED = (0, 2, *range(10, 19))
MODULE = ("-I", "-m", "exitgate")


def runs(folder: Path, environment: dict[str, str], beside: list[str]) -> list[Run]:
    """Return the contenders; the working folder becomes the project."""
    python = sys.executable
    project = Project(folder / "project", str(Path(python).with_name("exitgate")), environment)
    os.chdir(project.folder)

    def check(
        name: str,
        policy: str,
        size: str = "10",
        before: Callable[[], object] = project.restore,
        script: bool = False,
        **more: str,
    ) -> Run:
        words = project.check(policy, size)
        words = words if script else [python, *MODULE, *words[1:]]
        return Run(name, words, before, DECIDED, {**environment, **more})

    others = [
        Run(name, ["/bin/sh", "-c", command], project.restore, range(256))
        for name, _, command in (text.partition("=") for text in beside)
    ]
    return [
        *others,
        Run(PASS, [python, "-c", "pass"], environment=environment),
        Run(RE2, [python, "-I", "-c", "import re2"], environment=environment),
        Run(GIT, ["/bin/sh", "-c", project.questions()], project.restore, environment=environment),
        *(check(WARM.format(name), name) for name in POLICIES),
        *(check(SCRIPT.format(name), name, script=True) for name in POLICIES),
        check(NO_GIT, "recommended", before=project.without_git),
        check(PLAIN, "./plain.yaml"),
        check(LONG, "./plain.yaml", "100"),
        check(PATTERNED, "./patterned.yaml"),
        *(
            check(EDITED.format(name), f"./my-{name}.yaml", before=lambda name=name: project.edit(name))
            for name in ("bb3", "recommended")
        ),
        check(COLD, "bb3", EXITGATE_CACHE_DIR=""),
        Run(EXPLAIN, [python, *MODULE, "explain"], project.decide, environment=environment),
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
    lines = [
        "| process | CPU | x `python -c pass` | over | asked | goal |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    missed = []
    for name in spent:
        times = f"{middle(spent, name) * 1e3:.1f} ms | {ratio(spent, name, PASS):.2f}"
        if name not in GOALS:
            lines.append(f"| {name} | {times} | | | |")
            continue
        over, asked, goal = GOALS[name]
        found = ratio(spent, name, over)
        part = "" if over == PASS else f"{found:.2f} x 10 KB"
        mark = "" if found <= asked else " **missed**"
        lines.append(f"| {name} | {times} | {part} | {asked:g}{mark} | {goal:g} |")
        if found > asked:
            missed.append(f"{name}: {found:.2f} x {over}, asked {asked:g}, goal {goal:g}")
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
        print("\nMissed:\n" + "\n".join(f"- {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
