"""Recorded runs made in Python, and policies walked over them, for tests of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiled import shipped_policy

from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.model import Begin, End, Provenance, RecordedIteration
from exitgate.recordings.replay.replay_pool import PolicyReplay, Table
from exitgate.recordings.replay.result import DryRun, RunResult

START = 1_772_000_000.0

#: A policy of four rules: one that waits for history, one that can be unknown, one that warns.
POLICY = """\
policy: four
format: 1
version: 2.1.0
title: Four rules
parameters:
  goal: {type: percent, default: 80, doc: Share of ticked tasks that ends the run.}
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, lexicon: errors}
rules:
  - {id: done, when: tasks.percent >= $goal, exit: complete, because: "{tasks.done} of {tasks.total} done"}
  - {id: still, when: tasks.done unchanged for 3 iterations, exit: stuck, because: nothing ticked}
  - {id: many, when: errors.count > 50, exit: review, because: many errors}
  - {id: some, when: errors.count > 0, warn: true, because: "{errors.count} errors"}
otherwise: continue
"""


def written(folder: Path, text: str = POLICY, name: str = "four.yaml") -> str:
    """Write a policy and return its path."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def plan(done: int, total: int) -> str:
    return "# Plan\n\n" + "".join(f"- [{'x' if at < done else ' '}] task {at}\n" for at in range(total))


def iteration(number: int, response: str | None = "Went on.", **parts: object) -> RecordedIteration:
    """Return an iteration of 100 seconds that cost half a dollar, unless `parts` say otherwise."""
    begun = START + 120 * number
    told: dict[str, object] = {
        "response": response,
        "output": response,
        "started_at": begun,
        "ended_at": begun + 100,
        "record": {"cost": 0.5, "tokens": 1000},
        "exit_status": 0,
        **parts,
    }
    return RecordedIteration(number, Provenance("runs/night.jsonl", number * 10), **told)  # type: ignore[arg-type]


def ticking(done: Sequence[int], total: int = 10) -> list[RecordedIteration]:
    """Return an iteration for each count of ticked tasks."""
    return [iteration(at, f"Task {at} is under way.", plan=plan(n, total)) for at, n in enumerate(done, 1)]


def _loaded(name: str) -> CompiledPolicy:
    return shipped_policy(name) if name in shipped.policies() else load_policy(name)


def played(
    runs: Mapping[str, Sequence[RecordedIteration]],
    policies: Sequence[str] = ("bb3", "recommended"),
    title: str = "",
    **end: object,
) -> tuple[DryRun, dict[str, CompiledPolicy]]:
    """Return a dry run of policies over runs by id, everything kept, and the policies."""
    loaded = {name: _loaded(name) for name in policies}
    players = [PolicyReplay(name, policy) for name, policy in loaded.items()]
    results: list[RunResult] = []
    for id, iterations in runs.items():
        table = Table(
            players, Begin(id, "turn", "runs/night.jsonl", START, title), to_the_end=True, keep=True
        )
        for one in iterations:
            table.take(one)
        results += table.results(End(**end), "claude-stream")  # type: ignore[arg-type]
    return DryRun(tuple(results)), loaded
