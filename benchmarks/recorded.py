"""
Where the shipped policies would have stopped recorded loops.

    python benchmarks/recorded.py --runs FOLDER [--policy NAME ...]

FOLDER holds a folder for each loop, at any depth, with the agent's outputs as `claude_output_*.log`, one file
an iteration; a `RUNS.csv` in FOLDER with `run_id` and `right_stop_iteration` says where each should have
stopped. Only what the agent said is there: no plan, no git, no exit status, so progress is unknown. Prints
Markdown: the first iteration at which each policy says EXIT, with its class.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exitgate.policy.compiled import CompiledPolicy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.field_reports.play import play  # noqa: E402
from benchmarks.field_reports.timeline import Moment, Timeline  # noqa: E402

from exitgate.policy.compile import load_policy  # noqa: E402
from exitgate.policy.shipped import policies  # noqa: E402

#: Iterations before the current one that a decision is made with.
BEFORE = 12


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="folder of loops")
    parser.add_argument("--policy", nargs="+", default=list(policies()), help="shipped names")
    asked = parser.parse_args()
    loops = _loops(asked.runs)
    if not loops:
        print(f"no `claude_output_*.log` below {asked.runs}", file=sys.stderr)
        return 66
    right = _right(asked.runs / "RUNS.csv")
    names = [
        f"{loop.name} ({len(files)}, right: {right.get(loop.name, 'not known')})" for loop, files in loops
    ]
    print(f"| policy | {' | '.join(names)} |")
    print(f"|---|{'---|' * len(loops)}")
    for name in asked.policy:
        policy = load_policy(name)
        cells = []
        for _, files in loops:
            moments = tuple(Moment({"response": f.read_text("utf-8", "replace")}) for f in files)
            cells.append(_first_stop(moments, policy))
            print(f"{name}: {len(cells)} of {len(loops)}", end="\r", file=sys.stderr)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


def _first_stop(moments: tuple[Moment, ...], policy: CompiledPolicy) -> str:
    """Return number and class of the first EXIT, ``-`` where the policy goes on to the end."""
    for number in range(1, len(moments) + 1):
        seen = moments[max(0, number - BEFORE) : number]
        decision = play(Timeline(seen, {}, number=number), policy).decision
        if decision.verdict == "EXIT":
            return f"{number} {decision.exit_class}"
    return "-"


def _loops(folder: Path) -> list[tuple[Path, list[Path]]]:
    found: dict[Path, list[Path]] = {}
    for file in sorted(folder.rglob("claude_output_*.log")):
        if not file.name.endswith("_stream.log"):
            found.setdefault(file.parent, []).append(file)
    return sorted(found.items())


def _right(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8", newline="") as rows:
        return {row["run_id"]: row["right_stop_iteration"].split(" ")[0] for row in csv.DictReader(rows)}


if __name__ == "__main__":
    sys.exit(main())
