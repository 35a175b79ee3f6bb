"""
What a check costs in a Python program: `exitgate.Gate` has its policy ready; beside it a check that loads it.

    python benchmarks/gate_in_process.py [CHECKS]

CPU time for each of CHECKS iterations (default 300) of one run, with a response of 1.5 KB; files and ledger
in a temporary folder. The ratio is that of the two in one run of this program.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import exitgate
from exitgate.core.state.request import Request
from exitgate.surfaces.decide import decide

if TYPE_CHECKING:
    from collections.abc import Callable

WARM = 20


def texts(number: int) -> tuple[str, str]:
    """Return a response and a plan that differ from iteration to iteration."""
    said = f"I did step {number} and the parser reads it. Still open: the rest; confident.\n" * 20
    return said, f"- [x] read\n- [ ] write\n- [ ] step {number}\n"


def cost(check: Callable[[int], object], count: int) -> float:
    """Return milliseconds of CPU time for a check."""
    for number in range(WARM):
        check(number)
    began = time.process_time()
    for number in range(WARM, WARM + count):
        check(number)
    return (time.process_time() - began) / count * 1000


def compare(policy: str, count: int) -> str:
    """Return a line on one policy."""
    gate = exitgate.Gate(policy, root=None)
    looking = exitgate.Gate(policy, root=None, record=False)

    def ready(number: int) -> object:
        said, plan = texts(number)
        return gate.check(exitgate.Iteration(said, plan=plan))

    def look(number: int) -> object:
        said, plan = texts(number)
        return looking.check(exitgate.Iteration(said, plan=plan))

    with tempfile.TemporaryDirectory() as folder:

        def loading(number: int) -> object:
            said, plan = texts(number)
            return decide(
                Request(policy=policy, root=folder, texts={"response": said, "plan": plan, "task": None})
            )

        each, unready = cost(ready, count), cost(loading, count // 4)
    return f"{policy:12} {each:6.1f} {cost(look, count):9.1f} {unready:9.1f} {unready / each:6.1f}"


def main() -> None:
    """Print a table: milliseconds of CPU time a check, and the ratio."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"{'policy':12} {'gate':>6} {'no record':>9} {'loading':>9} {'ratio':>6}")
    for policy in ("bb3", "recommended"):
        print(compare(policy, count), flush=True)
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
