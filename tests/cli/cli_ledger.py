"""A small ledger for the tests of commands: every kind of line, and texts that an attacker might choose."""

from __future__ import annotations

from pathlib import Path

from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.line import BREAKER, DECISION, RESET, RUN_START

HOSTILE = '=cmd|"/c calc"!A1,\x1b[2J\u202egnp\nEXIT complete'
START = 1_770_000_000.0
POLICY = {"name": "small", "version": "1.0.0", "digest": "ab12", "path": "policy.yaml"}


def decided(verdict: str, exit_class: str | None, outcome: str, message: str = "") -> dict[str, object]:
    return {
        "verdict": verdict, "class": exit_class, "outcome": outcome, "rule": outcome, "message": message,
        "stage": "after_iteration", "firm": True, "blind": False, "warnings": [], "steps": [],
    }  # fmt: skip


def lines() -> list[dict[str, object]]:
    """Return the lines to append, oldest first: two runs, the breaker, a reset."""
    first, second = {"run": "night#1"}, {"run": "day#1"}
    done = {"policy": POLICY, "decision": decided("EXIT", "complete", "done", HOSTILE)}
    more = {"policy": POLICY, "decision": decided("CONTINUE", None, "otherwise")}
    made: list[dict[str, object]] = [
        {**first, "kind": RUN_START, "iteration": 0, "policy": POLICY, "reason": "a new run was asked for"},
        {**first, "kind": DECISION, "iteration": 1, **more},
        {**second, "kind": DECISION, "iteration": 1, **done},
        {**first, "kind": BREAKER, "iteration": 1, "breaker": {"state": "OPEN"}, "reason": HOSTILE},
        {**first, "kind": RESET, "iteration": 1, "reason": "asked for"},
    ]  # fmt: skip
    return [
        {**line, "time": START + n, "at": f"2026-02-02T02:40:0{n}.000+00:00"} for n, line in enumerate(made)
    ]


def write_ledger(directory: Path) -> Path:
    """Write the lines into a state directory and return the ledger's path."""
    with Ledger(str(directory)) as ledger:
        for line in lines():
            ledger.append(line)
    return directory / "ledger.jsonl"
