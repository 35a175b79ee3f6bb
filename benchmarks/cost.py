"""
What the extractors of the default policy cost, over one pass of an RE2 set of 24 phrases on the same text.

    python benchmarks/cost.py [--rounds N] [--policy NAME] [--profile EXTRACTION]

Two texts: 10 KB of a response as agents write them (prose, headings, lists, code in a fence, the summary of a
test runner, a status block at the end), and 1 MB of the same on one line. Every round has a text of its own,
so nothing kept for a text answers twice; within a round the extractions share what they share in a check.
Both sides see a text for the first time, the set once before the extractors; a pass that is repeated on the
same 10 KB finds them in the processor's cache and is several times faster, which is shown beside it. The
figures are processor time, the ratios medians of ratios within each round. The first round, in which lexicons
are prepared and patterns compiled, is shown separately.

Prints Markdown. The exit code is 1 when more is needed than asked.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "cost"))

import re2  # noqa: E402
from responses import PLAN, TASK, on_one_line, response  # noqa: E402

from exitgate.core.facts import registry  # noqa: E402
from exitgate.core.gate.extract import extract  # noqa: E402
from exitgate.core.model.fact import Iteration, Source  # noqa: E402
from exitgate.core.policy.cache import recall_policy  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.policy.compiled import CompiledPolicy

#: As many phrases as a team's own list has: words in a row, whole, in any case.
PHRASES = (
    "all tasks are complete",
    "all tasks completed",
    "all tests pass",
    "all tests are passing",
    "nothing left to do",
    "no more work",
    "no further changes",
    "project is complete",
    "ready for review",
    "ready to merge",
    "implementation is complete",
    "fully implemented",
    "everything works",
    "work is done",
    "no open tasks",
    "no issues found",
    "all requirements are met",
    "successfully completed",
    "build succeeded",
    "no errors found",
    "I am blocked",
    "permission denied",
    "waiting for input",
    "cannot continue",
)
#: Name -> (bytes, at most so many passes of the set: what is asked, what is aimed at).
GOALS = {"10 KB": (10_000, 15.0, 8.0), "1 MB on one line": (1_000_000, 15.0, 8.0)}


def phrase_set() -> Callable[[str], object]:
    """Return the pass that everything is measured against."""
    options = re2.Options()
    options.case_sensitive = False
    together = re2.Set.SearchSet(options)
    for phrase in PHRASES:
        together.Add(r"\b" + phrase.replace(" ", r"\s+") + r"\b")
    together.Compile()
    match: Callable[[str], object] = together.Match
    return match


def iteration_of(text: str, number: int) -> Iteration:
    """Return the iteration of an agent that ended well and said `text`."""
    sources: dict[str, object] = {
        "response": text,
        "output": text,
        "plan": PLAN,
        "task": TASK,
        "result": {"format": "TEXT", "agent_exit": 0},
    }
    return Iteration(number, f"cost#{number}", 0.0, {n: Source(n, v) for n, v in sources.items()})


def spent(work: Callable[[], object]) -> float:
    """Return the processor time of one call, in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


class Costs:
    """Rounds of one size: `alone` is each extraction by prefix, `ratios` all of them over the set."""

    def __init__(self, policy: CompiledPolicy, make: Callable[[int], str], rounds: int) -> None:
        self.alone: dict[str, list[float]] = {}
        self.ratios: list[float] = []
        self.first = 0.0
        self.sets: list[float] = []
        self.repeated: list[float] = []
        together = phrase_set()
        for number in range(rounds + 1):
            iteration = iteration_of(make(number), number)
            text = iteration.source("response").text or ""
            gc.collect()
            gc.disable()
            try:
                # both see this text for the first time, after others like it
                pass_ = spent(lambda text=text: together(text))
                all_ = spent(lambda iteration=iteration: extract(policy, iteration))
                each = self._each(policy, make(number + 10_000), number)
            finally:
                gc.enable()
            if number == 0:
                self.first = all_
                continue
            self.sets.append(pass_)
            self.repeated.append(min(spent(lambda text=text: together(text)) for _ in range(5)))
            self.ratios.append(all_ / pass_)
            for prefix, took in each.items():
                self.alone.setdefault(prefix, []).append(took)

    def _each(self, policy: CompiledPolicy, text: str, number: int) -> dict[str, float]:
        """Return the cost of each extraction in turn: the first to read a source prepares it for all."""
        iteration = iteration_of(text, number)
        found = {}
        for entry in policy.extractions:
            module = registry.load(entry.extractor)
            start = time.process_time()
            module.extract(entry.prefix, entry.source, entry.options, iteration)
            found[f"{entry.prefix} ({entry.extractor})"] = time.process_time() - start
        return found


def profiled(policy: CompiledPolicy, make: Callable[[int], str], only: str) -> None:
    """Print where the time of all extractions, or of the one named `only`, goes."""
    import cProfile
    import pstats

    entries = [e for e in policy.extractions if only in ("all", e.prefix)]
    profile = cProfile.Profile(time.process_time)
    for number in range(8):
        iteration = iteration_of(make(number), number)
        if number > 2:
            profile.enable()
        for entry in entries:
            registry.load(entry.extractor).extract(entry.prefix, entry.source, entry.options, iteration)
        profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(35)


def main() -> int:
    parser = argparse.ArgumentParser(description="the cost of all extractors, over one RE2 pass")
    parser.add_argument("--rounds", type=int, default=15, help="texts of each size (15)")
    parser.add_argument("--policy", default="recommended", help="the policy (recommended)")
    parser.add_argument("--profile", metavar="PREFIX", help="say where the time of a fact, or `all`, goes")
    arguments = parser.parse_args()
    policy = recall_policy(arguments.policy).policy
    missed = []
    for name, (size, limit, goal) in GOALS.items():
        make = response if size <= 10_000 else on_one_line

        text = partial(make, size)

        if arguments.profile:
            profiled(policy, text, arguments.profile)
            continue
        costs = Costs(policy, text, arguments.rounds if size <= 10_000 else max(3, arguments.rounds // 3))
        found, one, again = (median(each) for each in (costs.ratios, costs.sets, costs.repeated))
        passes = f"{one * 1e3:.3f} ms, repeated {again * 1e3:.3f}"
        print(f"\n{name}: {found:.1f} x one pass ({passes}), asked {limit:g}, goal {goal:g}; ", end="")
        print(
            f"the first time {costs.first * 1e3:.0f} ms\n\n| extraction | ms | x one pass |\n|---|---:|---:|"
        )
        for prefix, times in sorted(costs.alone.items(), key=lambda one: -median(one[1])):
            print(f"| {prefix} | {median(times) * 1e3:.3f} | {median(times) / one:.1f} |")
        print(f"| together | {sum(median(t) for t in costs.alone.values()) * 1e3:.3f} | |")
        if found > limit:
            missed.append(f"{name}: {found:.1f}, asked {limit:g}")
    if missed:
        print("\nMissed:\n" + "\n".join(f"- {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
