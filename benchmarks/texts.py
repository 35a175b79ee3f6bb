"""
Random policies with patterns: what the walk and z3 say of them, compared with the engine.

    python benchmarks/texts.py --examples 5000

Prints how many policies and questions there were, how the answers came out, how many runs were tried against
proofs, and every contradiction; exits with 1 if there is one. z3 is asked about every fourth policy.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests" / "analysis"
sys.path[:0] = [str(TESTS), str(TESTS / "space")]

from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402
from hypothesis import seed as seeded  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from pattern_policies import Tally, contradictions, pattern_policies  # noqa: E402
from random_policies import written  # noqa: E402

#: z3 is asked about one policy in so many.
EVERY = 4


def main() -> int:
    """Hold the policies against the engine and print what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--examples", type=int, default=5000, help="policies (default 5000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random policies (default 1)")
    asked = parser.parse_args()
    tally, wrong, begun = Tally(), [], time.monotonic()

    @seeded(asked.seed)
    @settings(
        max_examples=asked.examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(pattern_policies(), st.integers(0, 2**31))
    def compare(policy, number):  # type: ignore[no-untyped-def]
        try:
            lines = contradictions(policy, number, tally, with_z3=tally.policies % EVERY == 0)
        except Exception as error:
            lines = [f"fault: {error!r}"]
        for line in lines:
            wrong.append(line)
            print(f"CONTRADICTION {line}\n{written(policy)}\n", flush=True)

    compare()
    print(f"{tally.policies} policies, {tally.questions} questions, {time.monotonic() - begun:.0f} s")
    print(f"{tally.runs} runs on the engine against proofs that there is none")
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"  {outcome:26} {count}")
    print(f"{len(wrong)} contradictions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
