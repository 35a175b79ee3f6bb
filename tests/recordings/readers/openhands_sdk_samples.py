"""Small conversations of OpenHands' SDK, made up for these tests in the shapes it writes."""

from __future__ import annotations

from typing import Any


def event(number: int, kind: str, source: str = "environment", **parts: Any) -> dict[str, Any]:
    at = f"2026-01-02T10:00:{number:02d}.250000"
    return {"id": f"e{number}", "timestamp": at, "source": source, **parts, "kind": kind}


def text(said: str) -> list[dict[str, Any]]:
    return [{"cache_prompt": False, "type": "text", "text": said}]


def state(number: int, key: str, value: Any) -> dict[str, Any]:
    return event(number, "ConversationStateUpdateEvent", key=key, value=value)


def stats(number: int, cost: float, tokens: int, condenser: int = 0) -> dict[str, Any]:
    def used(count: int, spent: float) -> dict[str, Any]:
        return {
            "accumulated_cost": spent,
            "accumulated_token_usage": {"prompt_tokens": count, "completion_tokens": 0},
        }

    return state(
        number, "stats", {"usage_to_metrics": {"default": used(tokens, cost), "c": used(condenser, 0)}}
    )


def action(number: int, said: str, call: str, tool: str = "terminal", **given: Any) -> dict[str, Any]:
    kind = given.pop("kind", "TerminalAction")
    return event(
        number, "ActionEvent", "agent", thought=text(said), action={**given, "kind": kind}, tool_name=tool,
        tool_call_id=call, llm_response_id=f"r-{given.pop('answer', number)}",
        tool_call={"id": call, "name": tool, "arguments": "{}"},
    )  # fmt: skip


def observed(number: int, said: str, cause: str, call: str, **told: Any) -> dict[str, Any]:
    return event(
        number, "ObservationEvent", tool_name="terminal", tool_call_id=call, action_id=cause,
        observation={"content": text(said), "kind": "TerminalObservation", **told},
    )  # fmt: skip


def conversation() -> list[dict[str, Any]]:
    """Three steps: a command that fails, a plan that is written, the end."""
    return [
        event(0, "SystemPromptEvent", "agent", system_prompt=text("You are an agent.")),
        event(1, "MessageEvent", "user", llm_message={"role": "user", "content": text("Add a port.")}),
        state(2, "execution_status", "running"),
        stats(3, 0.01, 100),
        action(4, "I look.", "c1", command="make test", timeout=None, is_input=False),
        observed(5, "boom", "e4", "c1", is_error=False, exit_code=2),
        stats(6, 0.03, 300, condenser=50),
        action(7, "A plan.", "c2", "file_editor", kind="FileEditorAction", command="create",
               path="/w/PLAN.md", file_text="- [ ] port\n", old_str=None),
        observed(8, "created", "e7", "c2", is_error=False),
        stats(9, 0.04, 400, condenser=50),
        action(10, "So.", "c3", "finish", kind="FinishAction", message="The port is added."),
        observed(11, "The port is added.", "e10", "c3"),
        state(12, "execution_status", "finished"),
    ]  # fmt: skip
