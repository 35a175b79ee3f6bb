"""
How fast recorded sessions are walked over: read, extracted, decided on; ratios within one run.

    python benchmarks/replay.py [--quick] [--rounds N] [--megabytes N]

Session files of Claude Code's shape are made up (`replay_sessions.py`): about 4 KB a line, a quarter of the
bytes text of the agent's, ten lines a turn, one of 24 phrases in one of a hundred turns. Contenders take
turns; figures are the best processor time of the rounds (of two processes the time by the clock). Prints
Markdown; the exit code is 1 when less is reached than asked: ten times the naive way, a tenth of the speed of
counting newlines in the same bytes and with `recommended` 0.06 of it (goal 0.1), 1.8 with two processes (goal
1.9), cost linear in the length and number of runs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import replay_naive
import yaml
from replay_sessions import Sessions

from exitgate.core.policy.compile import load_policy
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.replay.extraction import wants_of
from exitgate.recordings.replay.replay_pool import PolicyReplay, Table

POLICY = Path(__file__).parent / "replay_policy.yaml"
READER = "claude-session"
#: What is asked, and how far from linear four times as much may be.
NAIVE, NEWLINES, PROCESSES, LINEAR = 10.0, 0.10, 1.8, 1.25
#: Of the speed of counting newlines, with `recommended`: asked, and aimed at. The same of two processes.
RECOMMENDED, GOAL, GOAL_OF_TWO = 0.06, 0.1, 1.9
TURNS = 120


def walk(paths: list[str], policy: str = str(POLICY)) -> int:
    """Walk a policy over session files; return how many iterations were decided on."""
    player = _players.get(policy) or _players.setdefault(policy, PolicyReplay("p", load_policy(policy)))
    wants = wants_of([player.policy])
    decided = 0
    for path in paths:
        table: Table | None = None
        for part in registry.load(READER).read(Location(path), wants):
            if isinstance(part, Begin):
                table = Table([player], part, True)
            elif isinstance(part, End):
                assert table is not None
                decided += sum(len(result.rows) for result in table.results(part, READER))
            elif isinstance(part, Problem):
                raise TypeError(part)
            else:
                assert table is not None
                table.take(part)
    return decided


_players: dict[str, PolicyReplay] = {}


def newlines(paths: list[str]) -> int:
    """Count the newlines in files."""
    count = 0
    for path in paths:
        with Path(path).open("rb", buffering=0) as file:
            while piece := file.read(1 << 20):
                count += piece.count(b"\n")
    return count


def spin(_paths: list[str]) -> int:
    """Keep a core busy: how much two of these gain on one says what two processes can at all."""
    return sum(range(4_000_000))


def best(
    contenders: dict[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Return the shortest time of each contender over the rounds, each beginning with another one."""
    times = dict.fromkeys(contenders, float("inf"))
    names = list(contenders)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            begun = clock()
            contenders[name]()
            times[name] = min(times[name], clock() - begun)
    return times


def sessions(folder: Path, megabytes: int) -> tuple[list[str], int]:
    """Write sessions of `TURNS` turns, until they are so many megabytes; return paths and bytes."""
    document = yaml.safe_load(POLICY.read_text(encoding="utf-8"))
    maker = Sessions([phrase for fact in document["facts"].values() for phrase in fact["phrases"]])
    paths: list[str] = []
    size = 0
    while size < megabytes * 1_000_000:
        path = folder / f"{len(paths):03}.jsonl"
        size += maker.write(path, TURNS)
        paths.append(str(path))
    return paths, size


def lengths(folder: Path, rounds: int) -> dict[str, float]:
    """Return how much longer two and four times as long, and as many, runs take."""
    maker = Sessions(["all tasks complete"], seed=11)
    files = {}
    for times in (1, 2, 4):
        path = folder / f"long-{times}.jsonl"
        maker.write(path, TURNS // 2 * times)
        files[f"{times}x as long"] = [str(path)]
    one = files["1x as long"]
    files |= {f"{times}x as many": one * times for times in (1, 2, 4)}
    found = best({name: lambda paths=paths: walk(paths) for name, paths in files.items()}, rounds)
    return {name: found[name] / found[f"1x{name[2:]}"] for name in found if not name.startswith("1x")}


def processes(paths: list[str], rounds: int) -> tuple[float, float]:
    """
    Return how much two processes gain on one, walking with `recommended` and spinning.

    Each gets as many sessions as the other: where one has a session more, the other waits for it.
    """
    paths = paths[: len(paths) // 2 * 2]
    with ProcessPoolExecutor(2) as two:
        halves = [paths[::2], paths[1::2]]
        walked = partial(walk, policy="recommended")
        list(two.map(walked, halves))
        found = best(
            {
                "walk one": lambda: two.submit(walked, paths).result(),
                "walk two": lambda: list(two.map(walked, halves)),
                "spin one": lambda: [two.submit(spin, []).result() for _ in range(2)],
                "spin two": lambda: list(two.map(spin, [[], []])),
            },
            rounds,
            time.perf_counter,
        )
    return found["walk one"] / found["walk two"], found["spin one"] / found["spin two"]


def main() -> int:
    parser = argparse.ArgumentParser(description="speed of walking over recorded sessions, as ratios")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each contender (9)")
    parser.add_argument("--megabytes", type=int, default=24, help="of sessions (24)")
    parser.add_argument("--quick", action="store_true", help="few rounds over few bytes")
    arguments = parser.parse_args()
    rounds = 3 if arguments.quick else arguments.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths, size = sessions(folder, 10 if arguments.quick else arguments.megabytes)
        assert walk(paths) == replay_naive.walk(paths) == len(paths) * TURNS
        found = best(
            {
                "counting newlines": lambda: newlines(paths),
                "24 phrases": lambda: walk(paths),
                "json and four patterns": lambda: replay_naive.walk(paths),
                "recommended": lambda: walk(paths, "recommended"),
            },
            rounds,
        )
        gained, spun = processes(paths, rounds)
        linear = lengths(folder, rounds)
    return report(found, size, (gained, spun), linear)


def report(found: dict[str, float], size: int, two: tuple[float, float], linear: dict[str, float]) -> int:
    """Print the tables; return 1 when a goal is missed."""
    ours = found["24 phrases"]
    print(f"{size / 1e6:.0f} MB, {os.cpu_count()} cores\n")
    print("| | MB/s | of counting newlines | times json and four patterns |\n|---|---:|---:|---:|")
    for name, seconds in found.items():
        share, times = found["counting newlines"] / seconds, found["json and four patterns"] / seconds
        print(f"| {name} | {size / seconds / 1e6:.0f} | {share:.3f} | {times:.1f} |")
    print(f"\n`recommended`: asked {RECOMMENDED:g} of counting newlines, goal {GOAL:g}.")
    print(
        f"Two processes against one: {two[0]:.2f} (asked {PROCESSES:g}, goal {GOAL_OF_TWO:g}); "
        f"two busy loops against one: {two[1]:.2f}.\n"
    )
    print("| runs | time |\n|---|---:|")
    for name, times in linear.items():
        print(f"| {name} | {times:.2f} |")
    missed = []
    if found["json and four patterns"] / ours < NAIVE:
        missed.append(f"less than {NAIVE:g} times the naive way")
    if found["counting newlines"] / ours < NEWLINES:
        missed.append(f"less than {NEWLINES:g} of the speed of counting newlines")
    if found["counting newlines"] / found["recommended"] < RECOMMENDED:
        missed.append(f"less than {RECOMMENDED:g} of the speed of counting newlines with `recommended`")
    if two[0] < PROCESSES <= two[1] * 0.85:
        missed.append(f"two processes gain less than {PROCESSES:g}")
    missed += [f"{n} takes {t:.2f} times as long" for n, t in linear.items() if t > LINEAR * int(n[0])]
    for one in missed:
        print(f"\nMissed: {one}", file=sys.stderr)
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
