"""
What a type checker sees of the public interface. Nothing here runs: `mypy` reads it with the rest of the
code, and an `ignore` that is not needed, because a mistake is no longer seen, is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_type

import exitgate
from exitgate import TEMPORARY, Decision, ExitgateError, Gate, Iteration

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def made(folder: Path) -> list[Gate]:
    """Every way to make a gate."""
    return [
        Gate(),
        Gate("bb3"),
        Gate(folder / "policy.yaml", settings={"min_confidence": 80, "cooldown": "30m", "strict": True}),
        Gate("bb3", run="agent-7", root=folder, state_dir=folder / "state", record=False),
        exitgate.Gate("bb3", root=None),
        exitgate.Gate("bb3", state_dir=exitgate.TEMPORARY),
        Gate(state_dir=TEMPORARY),
        Gate().for_run("agent-8"),
    ]


def asked(gate: Gate, plan: Path) -> str:
    """Every way to ask one, and what there is to a decision."""
    assert_type(gate.check("text"), Decision)
    assert_type(gate.before(), Decision)
    assert_type(gate.last, Decision | None)
    assert_type(gate.reset(), bool)
    assert_type(gate.explain(), str)
    decision = gate.check(
        Iteration(
            "text",
            plan=plan,
            task="do it",
            tool_results="passed",
            exit_status=0,
            cost=0.1,
            tokens=1200,
            number=3,
            turn="message-3",
            facts={"tasks.done": 3, "work.refused": None, "confidence": 80.5},
            sources={"notes": plan, "log": "text"},
        )
    )
    assert_type(decision.go_on, bool)
    assert_type(decision.is_exit, bool)
    assert_type(decision.verdict, str)
    assert_type(decision.exit_class, str | None)
    assert_type(decision.rule, str | None)
    assert_type(decision.retry_at, float | None)
    assert_type([warning.message for warning in decision.warnings], list[str])
    return f"{decision.outcome} {decision.message} {decision.advice} {decision.escalation}"


async def awaited(gate: Gate) -> Decision:
    """The same for those who wait."""
    assert_type(await gate.abefore(), Decision)
    ask: Callable[[Iteration | str], Awaitable[Decision]] = gate.acheck
    return await ask("text")


def caught(gate: Gate) -> int:
    """One kind of error for everything."""
    try:
        gate.check("text")
    except ExitgateError as error:
        return assert_type(error.exit_code, int) + len([one.help for one in error.diagnostics])
    return 0


def mistaken(gate: Gate) -> None:
    """What a type checker must not let through."""
    gate.check(3)  # type: ignore[arg-type]
    gate.check(b"text")  # type: ignore[arg-type]
    gate.check("text", "plan")  # type: ignore[arg-type, call-arg]
    gate.acheck("text").outcome  # type: ignore[attr-defined]  # noqa: B018
    Iteration("text", "plan")  # type: ignore[call-arg]
    Iteration("text", cost="3 USD")  # type: ignore[arg-type]
    Iteration("text", turn=3)  # type: ignore[arg-type]
    Gate("bb3", settings={"same": {1}})  # type: ignore[dict-item]
    Gate("bb3", {"same": 1})  # type: ignore[call-arg]
    Gate("bb3", state_dir=True)  # type: ignore[arg-type]
    exitgate.Gaet  # type: ignore[attr-defined]  # noqa: B018


def analyzed() -> str | None:
    """The call without state, and what there is to its result."""
    found = exitgate.analyze("text", {"iteration": 2, "previous_responses": ["before"]}, policy="bb3")
    assert_type(found["shouldExit"], bool)
    assert_type(found["completionSignal"]["keywords"], list[str])
    assert_type(found["stuckSignal"]["errorFrequency"], dict[str, int])
    exitgate.analyze(1)  # type: ignore[arg-type]
    return found["exitReason"]
