"""
How much faster recorded runs are walked again with other parameters, on facts kept of the first time.

    python benchmarks/rerun.py [--quick] [--rounds N] [--megabytes N]

Session files of Claude Code's shape are made up (`replay_sessions.py`). In each round: a dry run without the
cache, the first one with an empty cache, and again with other parameters of the same policies, each from the
paths to the results. Figures are the best processor time of the rounds. Prints Markdown; the exit code is 1
when walking again is not 20 times faster than the first time, or finds something else than a walk without
facts that were kept.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from replay_sessions import Sessions

from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.facts_cache import FactsCache
from exitgate.recordings.replay.result import DryRun

#: Goal of walking again against the first time.
FASTER = 20.0
TURNS = 60
PHRASES = Path(__file__).parent / "replay_policy.yaml"

Policies = dict[str, CompiledPolicy]


def main() -> int:
    parser = argparse.ArgumentParser(description="walking again on kept facts, as a ratio")
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--rounds", type=int, help="turns of each contender (3)")
    parser.add_argument("--megabytes", type=int, help="of sessions (64)")
    given = parser.parse_args()
    rounds = given.rounds or (1 if given.quick else 3)
    size = (given.megabytes or (16 if given.quick else 64)) * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        bytes_ = _sessions(Path(folder), size)
        missed = [not _measure(Path(folder), name, bytes_, rounds) for name in ("recommended", str(PHRASES))]
    return 1 if any(missed) else 0


def _measure(folder: Path, name: str, bytes_: int, rounds: int) -> bool:
    """Print the figures of one policy; return whether the goal is met and the results are the same."""
    plain, other = {"p": load_policy(name)}, {"p": _other(name)}
    best = dict.fromkeys(_WORDS, float("inf"))
    same = True
    for _ in range(rounds):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        seconds, expected = _timed(lambda: _run(folder, other, cache=False))
        best["without"] = min(best["without"], seconds)
        seconds, _found = _timed(lambda: _run(folder, plain, cache=True))
        best["first"] = min(best["first"], seconds)
        seconds, found = _timed(lambda: _run(folder, other, cache=True))
        best["again"] = min(best["again"], seconds)
        same = same and found.results == expected.results
        seconds, _found = _timed(lambda: _run(folder, other, cache=True, every=True))
        best["every"] = min(best["every"], seconds)
    kept = sum(path.stat().st_size for path in (folder / "cache").iterdir())
    runs, iterations = len(found.runs), sum(run.iterations for run in found.runs)
    ratio = best["first"] / best["again"]
    print(f"## {Path(name).stem}: {bytes_ / 1e6:.0f} MB, {runs} runs, {iterations} iterations\n")
    print("| | processor time | against walking again |\n|---|---:|---:|")
    for contender, words in _WORDS.items():
        print(f"| {words} | {best[contender]:.3f} s | {best[contender] / best['again']:.1f} |")
    print(f"\nKept: {kept / 1e6:.2f} MB. ", end="")
    print("The results are the same." if same else "THE RESULTS DIFFER.", end=" ")
    print(f"Goal: {FASTER:.0f} times; {'met' if ratio >= FASTER else 'MISSED'}: {ratio:.1f}.\n")
    return same and ratio >= FASTER


_WORDS = {
    "without": "nothing kept: read to the end, extract and decide up to the first stop",
    "first": "the first time: read to the end, extract, decide up to the first stop, keep",
    "again": "again with other parameters: recall, decide up to the first stop",
    "every": "the same, with a decision on every iteration",
}


def _run(folder: Path, policies: Policies, *, cache: bool, every: bool = False) -> DryRun:
    kept = FactsCache(str(folder / "cache")) if cache else None
    return dry_run([str(folder / "runs")], policies, cache=kept, to_the_end=every, detail=every)


def _other(name: str) -> CompiledPolicy:
    """Return the policy with other parameters of its rules."""
    policy = load_policy(name)
    settings: dict[str, str] = {}
    for parameter in policy.parameters.values():
        extracts = any(parameter.name in entry.parameters for entry in policy.extractions)
        if not extracts and parameter.type.kind == "count" and isinstance(parameter.value, int):
            settings[parameter.name] = str(parameter.value + 1)
    return load_policy(name, settings=settings)


def _timed(work: Callable[[], DryRun]) -> tuple[float, DryRun]:
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def _sessions(folder: Path, size: int) -> int:
    """Write sessions of about so many bytes; return how many there are."""
    facts = yaml.safe_load(PHRASES.read_text(encoding="utf-8"))["facts"]
    sessions = Sessions([phrase for fact in facts.values() for phrase in fact["phrases"]])
    (folder / "runs").mkdir()
    written = number = 0
    while written < size:
        written += sessions.write(folder / "runs" / f"session-{number:03}.jsonl", TURNS)
        number += 1
    return written


if __name__ == "__main__":
    sys.exit(main())
