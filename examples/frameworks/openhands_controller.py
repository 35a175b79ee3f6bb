"""
OpenHands-style controller: a conversation is run until the agent rests, and exitgate says whether it may.

The OpenHands SDK needs Python 3.12 and 360 MB, so the conversation here is a stand-in of our own, with what a
controller touches of the SDK's `Conversation`: `send_message`, `run`, `state.events`. `control` is the same
for both; where the SDK is installed, `--sdk` runs it with the SDK's own scripted model:

    python examples/frameworks/openhands_controller.py [--sdk]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import exitgate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROMISE = "<promise>COMPLETE</promise>"
TASK = f"Write a converter for dates: parse, format, README. When all is done, write {PROMISE}."
SCRIPT = ("The parser reads both forms.", f"Dates are formatted.\n\n{PROMISE}", PROMISE)


def control(
    conversation: Any, last_words: Callable[[Sequence[Any]], str], gate: exitgate.Gate, plan: Path
) -> exitgate.Decision:
    """
    Send the agent back to work until the gate says EXIT, and return that decision.

    Args:
        conversation: Of the SDK, or something with its shape.
        last_words: What the agent said last, out of the events; the SDK has `get_agent_final_response`.
        gate: Is asked each time the agent rests.
        plan: File with the task list that the agent keeps.
    """
    decision = gate.before()
    message = TASK
    while decision.go_on:
        print(f"> {message}")
        conversation.send_message(message)
        conversation.run()
        said = last_words(conversation.state.events)
        decision = gate.check(exitgate.Iteration(said, plan=plan, task=TASK))
        print(f"{decision.verdict} {decision.outcome}: {decision.message}")
        message = decision.advice or "Go on with the next open task."
    return decision


def tick(plan: Path) -> None:
    """Do the next task: the scripted agent's only work."""
    plan.write_text(plan.read_text().replace("[ ]", "[x]", 1))


class Event(NamedTuple):
    """Somebody said something."""

    source: str
    text: str


class State:
    """What a conversation remembers."""

    def __init__(self) -> None:
        self.events: list[Event] = []


class StandIn:
    """A conversation with a scripted agent; not the SDK's."""

    def __init__(self, plan: Path) -> None:
        self.state = State()
        self._plan = plan
        self._script = iter(SCRIPT)

    def send_message(self, message: str) -> None:
        """Take what a user says."""
        self.state.events.append(Event("user", message))

    def run(self) -> None:
        """Let the agent work until it rests."""
        tick(self._plan)
        self.state.events.append(Event("agent", next(self._script)))


def last_of_stand_in(events: Sequence[Event]) -> str:
    """Return what the agent said last."""
    return next((event.text for event in reversed(events) if event.source == "agent"), "")


def of_the_sdk(plan: Path) -> tuple[Any, Callable[[Sequence[Any]], str]]:
    """Return a conversation of the OpenHands SDK with its own scripted model, and its way to last words."""
    from openhands.sdk import Agent, Conversation, Message, TextContent
    from openhands.sdk.conversation import get_agent_final_response
    from openhands.sdk.testing import TestLLM

    replies = [Message(role="assistant", content=[TextContent(text=text)]) for text in SCRIPT]
    agent = Agent(llm=TestLLM.from_messages(replies), tools=[])

    def follow(event: Any) -> None:
        if event.source == "agent" and hasattr(event, "llm_message"):
            tick(plan)

    conversation = Conversation(agent, workspace=str(plan.parent), callbacks=[follow], visualizer=None)
    return conversation, get_agent_final_response


def main() -> None:
    """Let a scripted agent work in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.md")
        plan.write_text("- [ ] parse\n- [ ] format\n- [ ] README\n")
        gate = exitgate.Gate("recommended", root=None)
        if "--sdk" in sys.argv[1:]:
            control(*of_the_sdk(plan), gate, plan)
        else:
            control(StandIn(plan), last_of_stand_in, gate, plan)


if __name__ == "__main__":
    main()
