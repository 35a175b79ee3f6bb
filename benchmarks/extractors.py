"""
Time of every extractor when its text doubles, as ratios within one run.

    python benchmarks/extractors.py [--quick] [EXTRACTOR]...

For each extractor and shape of text the text doubles from 0.5 to 8 MB; printed is the processor time
of each size over that of the size before. Linear is 2; the limit is 2.3 (`LIMIT`).
"""

from __future__ import annotations

import argparse
import gc
import itertools
import sys
import time
from pathlib import Path

import yaml

from exitgate.core.facts import registry
from exitgate.core.facts.lexicons import resolved
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.cache import recall_policy

LIMIT = 2.3
#: Seconds after which a figure is steady, and the most runs made for one.
ENOUGH, MOST = 0.2, 15
SIZES = (512_000, 1_024_000, 2_048_000, 4_096_000, 8_192_000)
LEXICONS = Path(__file__).parents[1] / "policies" / "lexicons"
PROSE = (
    "I moved the reader into a module of its own, which might be slower. All tests pass, the writer is not "
    "done yet.\n\n- [x] reader\n- [ ] writer\nError: cannot open the port\n\n"
)
SHAPES = {
    "prose": PROSE,
    "one line": PROSE.replace("\n", " "),
    "gap": "nothing left to ",
    "quiet": "the reader was moved into its own module and the cache is keyed by digest now. ",
}
#: Sources that are no texts, and the task, which would make an echo of everything.
RECORDS = ("task", "result", "clock", "run", "circuit", "git", "files")
TEXT_SOURCES = ("response", "output", "plan", "task", "tool_results", "diff")


def document(name: str) -> dict[str, object]:
    return yaml.safe_load((LEXICONS / f"{name}.yaml").read_text(encoding="utf-8"))


def options() -> dict[str, dict[str, object]]:
    """Return what each extractor is run with: as in the default policy, others with lexicons of their own."""
    plain = {e.extractor: dict(e.options) for e in recall_policy("recommended").policy.extractions}
    return plain | {
        "phrases": {
            "lexicon": resolved.resolve(document("completion-en"), document),
            "phrases": ["nothing ... left ... to do"],
        },
        "questions": {"lexicon": resolved.resolve(document("questions-en"), document)},
        "work_summary": {"lexicon": resolved.resolve(document("work-words"), document)},
        "similarity": {"window": 3},
        "matching_lines": {"patterns": [r"\berror\b", r"^\s*FAIL"]},
        "artifacts": {"files": ["README.md"]},
        "task_file": {"name": "task.md", "open": "open", "done": "done"},
    }


def run_time(name: str, plain: dict[str, object], text: str, repeats: int) -> float:
    """Return the least processor time, in seconds, of one extraction."""
    module = registry.load(name)
    least = float("inf")
    # As `timeit` does: searches for circles of objects come when they come, and belong to no size.
    gc.disable()
    try:
        count, spent = 0, 0.0
        # a run of milliseconds is repeated until the noise of one does not matter
        while count < repeats or (spent < ENOUGH and count < MOST):
            # a text of its own each time: what was prepared of it is kept
            own = "".join((text[:-1], text[-1:]))
            named = (name for name in (*TEXT_SOURCES, module.SOURCE) if name not in RECORDS)
            sources = {source: Source(source, own) for source in named}
            iteration = Iteration(1, "benchmark#1", 0.0, sources)
            gc.collect()
            start = time.process_time()
            module.extract("x", module.SOURCE, JsonObject(plain), iteration)
            took = time.process_time() - start
            least, spent, count = min(least, took), spent + took, count + 1
    finally:
        gc.enable()
    return least


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="stop at 2 MB, one repeat")
    parser.add_argument("names", nargs="*", metavar="EXTRACTOR", help="only these")
    arguments = parser.parse_args()
    quick, wanted = arguments.quick, arguments.names
    sizes, repeats = (SIZES[:3], 1) if quick else (SIZES, 3)
    worst = 0.0
    print(f"{'extractor':14} {'text':10} {'10 KB':>9}  ratios for doubling from {sizes[0] // 1000} KB")
    for name in wanted or registry.names():
        plain = options().get(name, {})
        for shape, piece in SHAPES.items():
            small = run_time(name, plain, (piece * (10_000 // len(piece) + 1))[:10_000], 5)
            times = [run_time(name, plain, (piece * (n // len(piece) + 1))[:n], repeats) for n in sizes]
            # an extractor that does not read the text takes microseconds: their ratio is noise
            ratios = [b / a if b > 1e-3 else 1.0 for a, b in itertools.pairwise(times)]
            worst = max(worst, *ratios)
            shown = " ".join(f"{r:5.2f}" for r in ratios)
            print(
                f"{name:14} {shape:10} {small * 1e3:6.2f} ms  {shown}   {times[-1] * 1e3:8.0f} ms at the end",
                flush=True,
            )
    print(f"worst ratio {worst:.2f}, limit {LIMIT}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
