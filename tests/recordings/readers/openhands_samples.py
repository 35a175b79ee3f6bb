"""Small transcripts of OpenHands, made up for these tests in the shapes it writes."""

from __future__ import annotations

from typing import Any

TASK = "Rename the port setting and list it in TODO.md"


def action(
    id: int, kind: str, source: str = "agent", second: int | None = None, **args: Any
) -> dict[str, Any]:
    at = f"2025-05-01T08:00:{id if second is None else second:02d}.500000"
    return {"id": id, "timestamp": at, "source": source, "message": "…", "action": kind, "args": args}


def observed(id: int, kind: str, content: str, cause: int, **extras: Any) -> dict[str, Any]:
    at = f"2025-05-01T08:00:{id:02d}.500000"
    return {
        "id": id, "timestamp": at, "source": "agent", "message": "…", "cause": cause,
        "observation": kind, "content": content, "extras": extras,
    }  # fmt: skip


def metered(event: dict[str, Any], cost: float, tokens: int, call: str, tool: str) -> dict[str, Any]:
    """Return an action as the model called it, with the sums so far."""
    usage = {"prompt_tokens": tokens - 10, "completion_tokens": 10}
    return {
        **event,
        "llm_metrics": {"accumulated_cost": cost, "accumulated_token_usage": usage},
        "tool_call_metadata": {
            "function_name": tool,
            "tool_call_id": call,
            "model_response": {"id": f"gen-{call}", "model": "maker/model-1", "usage": usage},
        },
    }


def history() -> list[dict[str, Any]]:
    """Four steps: a command that fails, a plan that is written, an edit that fails, the end."""
    plan = "- [x] rename\n- [ ] list\n"
    return [
        action(0, "system", content="You are an agent. All tasks are complete."),
        action(1, "message", "user", content=TASK),
        action(2, "recall", "user", query=TASK, recall_type="workspace_context", thought=""),
        observed(3, "recall", "Added workspace context", 2),
        metered(action(4, "run", command="pytest -q", thought="I run the tests."), 0.01, 100, "c1", "bash"),
        observed(5, "run", "2 failed", 4, metadata={"exit_code": 1}) | {"success": False},
        metered(
            action(6, "edit", path="/w/TODO.md", command="create", file_text=plan, old_str=None, content="",
                   start=1, end=-1, thought="A plan.", security_risk=None),
            0.03, 250, "c2", "str_replace_editor",
        ),
        observed(7, "edit", "File created", 6, path="/w/TODO.md"),
        metered(
            action(8, "edit", path="/w/app.py", command="str_replace", old_str="a", new_str="b", content="",
                   start=1, end=-1, thought=""),
            0.03, 250, "c3", "str_replace_editor",
        ),
        observed(9, "edit", "ERROR:\nNo replacement was performed", 8),
        metered(action(10, "finish", final_thought="Renamed; the list is open.", thought="So."),
                0.06, 400, "c4", "finish"),
    ]  # fmt: skip


def row(id: str = "acme__port-1", events: Any = None, error: str | None = None) -> dict[str, Any]:
    return {
        "instance_id": id,
        "instruction": TASK,
        "metadata": {"agent_class": "CodeActAgent", "max_iterations": 30},
        "history": history() if events is None else events,
        "test_result": {"git_patch": "diff"},
        "metrics": {"accumulated_cost": 0.06},
        "error": error,
    }


def resolver_row() -> dict[str, Any]:
    """Return a row of the resolver: events are flat and have neither ids nor sources nor instants."""
    return {
        "issue": {"owner": "acme", "repo": "port", "number": 7, "title": "Add a port"},
        "issue_type": "issue",
        "instruction": TASK,
        "git_patch": "diff",
        "history": [
            {"content": TASK, "wait_for_response": False, "action": "message"},
            {"command": "ls", "thought": "First a look.", "action": "run", "is_confirmed": "confirmed"},
            {"content": "app.py\r\n", "command": "ls", "exit_code": 0, "observation": "run"},
            {"content": "Shall I go on?", "wait_for_response": True, "action": "message"},
            {"content": "Go on.", "wait_for_response": False, "action": "message"},
            {"outputs": {}, "thought": "The port is there.", "action": "finish"},
        ],
        "metrics": {"accumulated_cost": 0.6, "costs": [0.1, 0.2, 0.3]},
        "success": True,
        "error": None,
    }


def pairs_row() -> dict[str, Any]:
    """Return a row of the oldest kind: pairs of an action and its observation."""
    none = {"message": "No observation", "observation": "null", "content": "", "extras": {}}
    return {
        "id": "logic-1",
        "instruction": "Is it so?",
        "metadata": {"agent_class": "CodeActAgent", "max_iterations": 10},
        "history": [
            [action(0, "message", "user", content="Is it so?"), none],
            [action(3, "run_ipython", code="print(1)", thought="I ask Python."),
             observed(4, "run_ipython", "1", 3, code="print(1)")],
            [action(5, "message", content="It is so.", wait_for_response=True), none],
            [action(6, "message", "user", content="Please go on."), none],
            [action(9, "finish", outputs={}, thought=""), none],
        ],
        "error": None,
        "test_result": {"result": True},
    }  # fmt: skip
