"""
Random small policies, decided by z3 and by the boundary walk, and compared with the engine.

    python benchmarks/agreement.py --examples 5000

Prints how many policies and questions there were, how the answers came out, which operations occurred,
and every disagreement; exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests" / "analysis"
sys.path[:0] = [str(TESTS), str(TESTS / "solver")]

from agreement import Tally, disagreements  # noqa: E402
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402
from hypothesis import seed as seeded  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from random_policies import operations, small_policies, written  # noqa: E402

from exitgate.analysis.walk.search import Limits  # noqa: E402
from exitgate.core.model.diagnostic import ExitgateError  # noqa: E402


def main() -> int:
    """Run the comparison and print what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--examples", type=int, default=5000, help="policies (default 5000)")
    parser.add_argument("--questions", type=int, default=3, help="about each policy (default 3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each question and side (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="of the random policies (default 1)")
    asked = parser.parse_args()
    tally, wrong, begun = Tally(), [], time.monotonic()
    limits, walk_limits = Limits(asked.seconds), Limits(asked.seconds, 20_000)

    @seeded(asked.seed)
    @settings(
        max_examples=asked.examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(small_policies(), st.integers(0, 2**31))
    def compare(policy, number):  # type: ignore[no-untyped-def]
        for name in operations(policy):
            tally.operations[name] = tally.operations.get(name, 0) + 1
        try:
            lines = disagreements(policy, number, tally, limits, walk_limits, asked.questions)
        except (AssertionError, ExitgateError) as error:
            lines = [f"fault: {error!r}"]
        for line in lines:
            wrong.append(f"{line}\n{written(policy)}")
            print(f"DISAGREEMENT {wrong[-1]}\n", flush=True)
        if tally.policies % 500 == 0:
            print(f"{tally.policies} policies, {tally.questions} questions", file=sys.stderr, flush=True)

    compare()
    report(tally, len(wrong), time.monotonic() - begun)
    return 1 if wrong else 0


def report(tally: Tally, wrong: int, seconds: float) -> None:
    """Print the figures."""
    print(f"{tally.policies} policies, {tally.questions} questions, {seconds:.0f} s")
    print(f"{tally.points} runs on the engine against proofs that there is none")
    print(f"{wrong} disagreements")
    print("z3 / walk:")
    for (ours, theirs), count in sorted(tally.outcomes.items(), key=lambda pair: -pair[1]):
        print(f"  {ours:6} {theirs:14} {count}")
    print("open, by reason:")
    for why, count in sorted(tally.open.items(), key=lambda pair: -pair[1])[:25]:
        print(f"  {count:5} {why}")
    print("operations, by policies that use them:")
    print("  " + ", ".join(f"{name} {count}" for name, count in sorted(tally.operations.items())))


if __name__ == "__main__":
    sys.exit(main())
