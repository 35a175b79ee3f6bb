"""
Claude Agent SDK: a Stop hook asks exitgate each time the agent wants to end its turn.

The agent is a script of three replies behind the SDK's own interface for transports, so the example runs
without a network and without the program `claude`. The SDK is not installed with exitgate:

    pip install claude-agent-sdk
    python examples/frameworks/claude_agent_sdk_stop.py
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import exitgate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

PROMISE = "<promise>COMPLETE</promise>"
NEXT = "Go on with the next open task."
TASK = f"Write a converter for dates: parse, format, README. When all is done, write {PROMISE}."


def stop_hook(gate: exitgate.Gate, plan: Path) -> Callable[[Any, str | None, Any], Awaitable[dict[str, Any]]]:
    """Return a callback for the event `Stop`: CONTINUE sends the agent back to work, EXIT lets it stop."""

    async def stop(payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:  # noqa: ARG001
        said = payload.get("last_assistant_message")
        decision = await gate.acheck(exitgate.Iteration(said, plan=plan, task=TASK))
        print(f"{decision.verdict} {decision.outcome}: {decision.message}")
        if decision.is_exit:
            return {"systemMessage": f"exitgate: {decision.outcome}"}
        return {"decision": "block", "reason": decision.advice or NEXT}

    return stop


async def work(gate: exitgate.Gate, plan: Path, transport: Any = None) -> str:
    """Let the agent work until the gate says EXIT; return its last words."""
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, ResultMessage, query

    hooks = {"Stop": [HookMatcher(hooks=[stop_hook(gate, plan)])]}
    prompt, session, last = TASK, None, ""
    while True:
        options = ClaudeAgentOptions(hooks=hooks, cwd=plan.parent, resume=session)
        before = gate.last
        async for message in query(prompt=prompt, options=options, transport=transport):
            if isinstance(message, ResultMessage):
                last, session = message.result or "", message.session_id
        # `claude` lets an agent stop that was sent back eight times in a row, whatever the hook says: then
        # the same session is asked to go on. Where the hook was not asked at all, something else ended it.
        if gate.last is None or gate.last is before or gate.last.is_exit:
            return last
        prompt = gate.last.advice or NEXT


class Scripted:
    """
    Stands in for the program `claude`: speaks its protocol, ticks one task a turn, and asks the hook.

    A real program has no use for this class; `query` without `transport` starts `claude`.
    """

    def __init__(self, plan: Path) -> None:
        self.plan = plan
        self.written: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.said = iter(("The parser reads both forms.", f"Dates are formatted.\n\n{PROMISE}", PROMISE))

    async def connect(self) -> None:
        """There is nothing to start."""

    async def close(self) -> None:
        """There is nothing to end."""

    async def end_input(self) -> None:
        """There is no stream to end."""

    def is_ready(self) -> bool:
        """Return whether it can be written to."""
        return True

    async def write(self, data: str) -> None:
        """Take a line from the SDK."""
        await self.written.put(json.loads(data))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what `claude` would write."""
        first = await self.written.get()
        yield answer(first["request_id"])
        (hook,) = first["request"]["hooks"]["Stop"][0]["hookCallbackIds"]
        prompt = (await self.written.get())["message"]["content"]
        for number, text in enumerate(self.said):
            print(f"> {prompt}")
            self.plan.write_text(self.plan.read_text().replace("[ ]", "[x]", 1))
            yield {"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": reply(text)}
            payload = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": text}
            asked = {"subtype": "hook_callback", "callback_id": hook, "input": payload, "tool_use_id": None}
            yield {"type": "control_request", "request_id": f"stop-{number}", "request": asked}
            told = (await self.written.get())["response"]["response"]
            if told.get("decision") != "block":
                break
            prompt = told["reason"]
        counts = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": number + 1}
        result = {"subtype": "success", "is_error": False, "session_id": "s", "result": text}
        yield {"type": "result", **result, **counts}


def answer(request: str) -> dict[str, Any]:
    """Return the answer to a control request."""
    return {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request, "response": {}},
    }


def reply(text: str) -> dict[str, Any]:
    """Return a message of the assistant."""
    return {"role": "assistant", "model": "scripted", "content": [{"type": "text", "text": text}]}


async def main() -> None:
    """Let the scripted agent work in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.md")
        plan.write_text("- [ ] parse\n- [ ] format\n- [ ] README\n")
        gate = exitgate.Gate("recommended", root=None)
        print(await work(gate, plan, Scripted(plan)))


if __name__ == "__main__":
    asyncio.run(main())
