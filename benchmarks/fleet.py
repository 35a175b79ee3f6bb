"""
How well two processes share the work: a cluster of one worker and of two over the same transcripts.

    python benchmarks/fleet.py [--megabytes N] [--rounds N]

Session files of Claude Code's shape are made up (`replay_sessions.py`), decided on by `recommended` to their
end, without kept facts. A cluster runs before its time is taken, and has done a first batch; the processes of
`--jobs` are started within it. Efficiency is time with one over two times that with two, each the best of the
rounds. The first row is the same work twice at once, in processes that share nothing but the machine: no more
can be had on it at that moment. Processor time is that of all processes together, client and scheduler too.
Prints Markdown; the exit code is 1 where the cluster has less than 0.85, and less than 0.95 of what the
machine gives.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import psutil
from replay_sessions import Sessions

from exitgate.core.policy.compile import load_policy
from exitgate.fleet.cluster.cluster import Cluster
from exitgate.fleet.cluster.connection import Connection
from exitgate.recordings.discovery import discover, size_of
from exitgate.recordings.replay.dry_run import Replaying
from exitgate.recordings.replay.executors import Executor, Processes, Sized
from exitgate.recordings.replay.transcript import ReplayedTranscript, Wanted

GOAL, OF_MACHINE = 0.85, 0.95
TURNS = 10
#: Bytes of a batch: some for each worker also of a small benchmark.
LIMIT = 1_000_000


def work() -> Replaying:
    """Return what is done with each transcript."""
    return Replaying(
        (("recommended", load_policy("recommended")),), Wanted(to_the_end=True, detail=False), None
    )


def nothing(_: object) -> ReplayedTranscript:
    raise AssertionError("no worker dies")


def spent() -> float:
    """Return the processor time of this process and all that it started."""
    own = psutil.Process()
    whole = own.cpu_times()
    living = [one.cpu_times() for one in own.children(recursive=True)]
    return (
        whole.children_user + whole.children_system + sum(one.user + one.system for one in [whole, *living])
    )


def timed(executor: Executor, found: list[Sized]) -> tuple[float, float]:
    """Return the seconds in which an executor reads transcripts, and its processor time."""
    begun, before = time.perf_counter(), spent()
    read = sum(1 for one in executor.each(work(), found, nothing) if not one.failed)
    assert read == len(found)
    return time.perf_counter() - begun, spent() - before


def best(executor: Executor, found: list[Sized], rounds: int) -> tuple[float, float]:
    """Return the least of each of several times."""
    times = [timed(executor, found) for _ in range(rounds)]
    return min(seconds for seconds, _ in times), min(used for _, used in times)


def clustered(workers: int, found: list[Sized], rounds: int) -> tuple[float, float]:
    with Cluster(Connection("", workers), limit=LIMIT) as cluster:
        timed(cluster, found[: 8 * workers])
        return best(cluster, found, rounds)


def alone(found: list[Sized]) -> float:
    """Return the seconds that one process takes for its transcripts."""
    replay = work()
    replay(found[0][0])
    begun = time.perf_counter()
    for one, _ in found:
        replay(one)
    return time.perf_counter() - begun


def machine(found: list[Sized], rounds: int) -> tuple[float, float]:
    """Return the seconds of one process, and those of two at once that each do the same."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        one = min(pool.submit(alone, found).result() for _ in range(rounds))
        return one, min(max(pool.map(alone, [found, found])) for _ in range(rounds))


def main() -> int:
    """Print a row for each way to share the work."""
    parser = argparse.ArgumentParser(description="how well two processes share the work")
    parser.add_argument("--megabytes", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        made, size, number = Sessions(["The work is done."]), 0, 0
        while size < asked.megabytes * 1_000_000:
            size += made.write(Path(place) / f"{number:04}.jsonl", TURNS)
            number += 1
        found = [(one, size_of(one)) for one in discover([place])]
        whole, both = machine(found, asked.rounds)
        rows = {
            "cluster": tuple(clustered(n, found, asked.rounds) for n in (1, 2)),
            "`--jobs`": tuple(best(Processes(n), found, asked.rounds) for n in (1, 2)),
        }
    size = sum(size for _, size in found) / 1e6
    print(f"{len(found)} transcripts, {size:.0f} MB; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| | one process | two | efficiency | processor time of one | of two |")
    print("|---|---:|---:|---:|---:|---:|")
    possible = whole / both
    print(f"| twice the work, nothing shared | {whole:.2f} s | {both:.2f} s | {possible:.2f} | | |")
    for name, ((one, used), (two, together)) in rows.items():
        times = f"{one:.2f} s | {two:.2f} s | {one / (2 * two):.2f} | {used:.2f} s | {together:.2f} s"
        print(f"| {name} | {times} |")
    (one, _), (two, _) = rows["cluster"]
    return 1 if one / (2 * two) < min(GOAL, OF_MACHINE * possible) else 0


if __name__ == "__main__":
    sys.exit(main())
