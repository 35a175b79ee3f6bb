"""
Ratios against hand-written Python and other engines, measured in one interleaved run.

    python benchmarks/run.py [--rounds N] [--no-peers]

Decisions first, then `process.py` (a whole check), `cost.py` (all extractors of a policy),
`extractors.py` (text that doubles), `replay.py` (policies walked over recorded sessions), `rerun.py`
(the same once more with other parameters), `shim.py` (an iteration of ralph's loop), `probes.py`
(what a probe adds to its command) and `analysis.py` (the policies of a sweep; questions about a policy need
another tree to compare with).

Makes `benchmarks/.venv` with the peers of `peers.txt` the first time and runs itself there. Prints
Markdown. The exit code is 1 when a goal is missed: ratios only, no times, so it holds on any machine
that is not too busy.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEER_PYTHON = HERE / ".venv" / "bin" / "python"
PYTHON = "EXITGATE_BENCHMARK_PYTHON"
#: Further benchmarks, each a program of its own.
OTHERS = (
    "process.py",
    "cost.py",
    "extractors.py",
    "replay.py",
    "rerun.py",
    "shim.py",
    "probes.py",
    "analysis.py",
)
NOT_INSTALLED = HERE / ".venv" / "not-installed.txt"


def main() -> int:
    parser = argparse.ArgumentParser(description="decision speed and rule count, as ratios")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each contender (15)")
    parser.add_argument("--no-peers", action="store_true", help="stay in this environment, install nothing")
    arguments = parser.parse_args()
    if not arguments.no_peers and Path(sys.prefix).resolve() != (HERE / ".venv").resolve():
        if not NOT_INSTALLED.exists():
            subprocess.run(["sh", str(HERE / "peers.sh"), sys.executable], check=True)
        os.environ[PYTHON] = sys.executable  # peers' own environment has no console script
        os.execv(PEER_PYTHON, [str(PEER_PYTHON), *sys.argv])
    sys.path.insert(0, str(HERE / "decision"))
    import one
    import rules

    lines, missed, absent = one.table(arguments.rounds)
    more, missed_too = rules.table(max(3, arguments.rounds // 2))
    held, missed_held = rules.held_table(max(3, arguments.rounds // 2))
    more, missed_too = [*more, "", *held], missed_too + missed_held
    if NOT_INSTALLED.exists() and not arguments.no_peers:
        absent += [f"not installed: {line}" for line in NOT_INSTALLED.read_text().splitlines()]
    print(f"CPython {platform.python_version()}, {arguments.rounds} rounds, medians of ratios.\n")
    print("\n".join([*lines, "", *more]))
    for title, notes in (("Absent", absent), ("Goals missed", missed + missed_too)):
        if notes:
            print(f"\n{title}:\n" + "\n".join(f"- {note}" for note in notes))
    decided = 1 if missed or missed_too else 0
    return max(decided, *(_run(name) for name in OTHERS))


def _run(name: str) -> int:
    """Run another benchmark in the environment this one was started from, and return its exit code."""
    print(f"\n{name}:\n", flush=True)
    return subprocess.run([os.environ.get(PYTHON, sys.executable), str(HERE / name)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
