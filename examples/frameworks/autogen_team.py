"""
AutoGen: a termination condition that asks exitgate after each message of an agent.

The agent is a script of three replies, so the example runs without a network:

    python examples/frameworks/autogen_team.py
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response, TerminatedException, TerminationCondition
from autogen_agentchat.messages import BaseChatMessage, StopMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat

import exitgate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autogen_agentchat.messages import BaseAgentEvent
    from autogen_core import CancellationToken

PROMISE = "<promise>COMPLETE</promise>"
TASK = f"Write a converter for dates: parse, format, README. When all is done, write {PROMISE}."


class GateTermination(TerminationCondition):
    """Ends a team when the gate says EXIT. The words of the task are not a signal; an agent's are."""

    def __init__(self, gate: exitgate.Gate, plan: Path | None = None) -> None:
        self._gate = gate
        self._plan = plan
        self._task = ""
        self._terminated = False

    @property
    def terminated(self) -> bool:
        """Whether the gate said EXIT since the last reset."""
        return self._terminated

    async def __call__(self, messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> StopMessage | None:
        """Ask about each message that came since the last call."""
        if self._terminated:
            raise TerminatedException("the gate said EXIT; reset the condition to go on")
        for message in messages:
            if not isinstance(message, BaseChatMessage):
                continue
            if message.source == "user":
                self._task = message.to_text()
                continue
            decision = await self._gate.acheck(
                exitgate.Iteration(message.to_text(), plan=self._plan, task=self._task, turn=message.id)
            )
            print(f"{decision.verdict} {decision.outcome}: {decision.message}")
            if decision.is_exit:
                self._terminated = True
                return StopMessage(content=f"{decision.outcome}: {decision.message}", source="exitgate")
        return None

    async def reset(self) -> None:
        """Begin another run; after an EXIT the next check does so by itself."""
        if not self._terminated:
            await asyncio.to_thread(self._gate.reset)
        self._terminated = False


class Scripted(BaseChatAgent):
    """An agent that ticks one task a turn, and gives its promise one task too early."""

    def __init__(self, plan: Path) -> None:
        super().__init__("coder", "works on the plan")
        self._plan = plan
        self._said = iter(("The parser reads both forms.", f"Dates are formatted.\n\n{PROMISE}", PROMISE))

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Texts only."""
        return (TextMessage,)

    async def on_messages(
        self,
        messages: Sequence[BaseChatMessage],  # noqa: ARG002
        cancellation_token: CancellationToken,  # noqa: ARG002
    ) -> Response:
        """Do the next task and say so."""
        self._plan.write_text(self._plan.read_text().replace("[ ]", "[x]", 1))
        return Response(chat_message=TextMessage(content=next(self._said), source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Keep nothing."""


async def main() -> None:
    """Let the scripted agent work in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.md")
        plan.write_text("- [ ] parse\n- [ ] format\n- [ ] README\n")
        gate = exitgate.Gate("recommended", root=None)
        team = RoundRobinGroupChat([Scripted(plan)], termination_condition=GateTermination(gate, plan))
        result = await team.run(task=TASK)
    print(result.stop_reason)


if __name__ == "__main__":
    asyncio.run(main())
