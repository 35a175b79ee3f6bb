"""
LangGraph: a conditional edge asks exitgate whether the agent takes another turn.

The model is a script of three replies, so the example runs without a network:

    python examples/frameworks/langgraph_loop.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

import exitgate

if TYPE_CHECKING:
    from collections.abc import Callable

    from langgraph.graph.state import CompiledStateGraph

    Model = Callable[[list[AnyMessage]], tuple[AIMessage, str]]

PROMISE = "<promise>COMPLETE</promise>"
TASK = f"Write a converter for dates: parse, format, README. When all is done, write {PROMISE}."


class State(TypedDict):
    """What goes round in the graph: the conversation, and the task list as it stands."""

    messages: Annotated[list[AnyMessage], add_messages]
    plan: str


def loop(model: Model, gate: exitgate.Gate) -> CompiledStateGraph:
    """Return a graph in which the model takes turns until the gate says EXIT."""

    def agent(state: State) -> dict[str, object]:
        # The policy's advice goes into the next prompt: what is missing, what to try instead.
        advice = gate.last.advice if gate.last is not None else ""
        prompt = [*state["messages"], *([HumanMessage(advice)] if advice else [])]
        reply, plan = model(prompt)
        return {"messages": [*prompt[len(state["messages"]) :], reply], "plan": plan}

    async def next_node(state: State) -> str:
        said = state["messages"][-1]
        # The id of the message makes the check idempotent: an edge that LangGraph runs again counts once.
        turn = exitgate.Iteration(said.text, plan=state["plan"], task=TASK, turn=said.id)
        decision = await gate.acheck(turn)
        print(f"{decision.verdict} {decision.outcome}: {decision.message}")
        return "agent" if decision.go_on else END

    graph = StateGraph(State)
    graph.add_node("agent", agent)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", next_node, ["agent", END])
    return graph.compile()


def scripted() -> Model:
    """Return a model that says it is done one task too early, and does that task when it is asked to."""
    script = iter(
        [
            ("The parser reads both forms of a date.", "- [x] parse\n- [ ] format\n- [ ] README\n"),
            (f"Dates are formatted.\n\n{PROMISE}", "- [x] parse\n- [x] format\n- [ ] README\n"),
            (f"The README explains it.\n\n{PROMISE}", "- [x] parse\n- [x] format\n- [x] README\n"),
        ]
    )

    def model(prompt: list[AnyMessage]) -> tuple[AIMessage, str]:
        print(f"> {prompt[-1].content}")
        text, plan = next(script)
        return AIMessage(text), plan

    return model


async def main() -> None:
    """Let the scripted model work; no project and no files are needed."""
    gate = exitgate.Gate("recommended", root=None, run="thread-1")
    await loop(scripted(), gate).ainvoke({"messages": [HumanMessage(TASK)], "plan": ""})
    print(gate.explain().splitlines()[0])


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
