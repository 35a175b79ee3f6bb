"""Worked examples for agent frameworks run with their scripted models, and print what their page says."""

from __future__ import annotations

import asyncio
import re
import runpy
import sys
from collections.abc import AsyncIterator, Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compiled import COMPILED

from exitgate import Gate
from exitgate.core.ledger import read

pytestmark = pytest.mark.usefixtures("own_event_loop")

FOLDER = Path(__file__).parents[2] / "examples" / "frameworks"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"```console\n\$ python examples/frameworks/(\S+)\n(.*?)```", PAGE, re.S))
#: Needs what is too large for every run of the tests; the page says with what it was run by hand.
BY_HAND = "claude_agent_sdk_stop.py"
PROMISE = "<promise>COMPLETE</promise>"
SMALL = """
policy: small
format: 1
version: 1.0.0
rules:
  - {id: none, when: run.iterations >= 0, exit: exhausted, stage: before_iteration}
otherwise: continue
"""
PLAIN = """
policy: plain
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.complete, exit: complete}
otherwise: continue
"""
OPEN = "- [x] parse\n- [ ] format\n"


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder and settings apart from the machine's own."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    for name in ("EXITGATE_RUN", "EXITGATE_PRESET", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Gives an example as a module, by its file's name."""

    def load(name: str) -> Any:
        spec = spec_from_file_location(Path(name).stem, FOLDER / name)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return load


def test_the_page_shows_every_example() -> None:
    assert sorted(SHOWN) == sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", sorted({*SHOWN} - {BY_HAND}))
def test_an_example_prints_what_the_page_says(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(FOLDER / name), run_name="__main__")
    assert capsys.readouterr().out == SHOWN[name]
    assert list(Path().rglob("*")) == []


def decided(folder: Path) -> list[object]:
    """Return the run of each decision in a ledger."""
    return [line["run"] for line in read.lines(str(folder)) if line["kind"] == "decision"]


def test_an_edge_that_runs_again_counts_once(tmp_path: Path, example: Callable[[str], Any]) -> None:
    from langchain_core.messages import AIMessage, HumanMessage

    gate = Gate("recommended", root=None, state_dir=tmp_path)
    graph = example("langgraph_loop.py").loop(lambda _: (AIMessage("going on"), OPEN), gate)
    edge = graph.builder.branches["agent"]["next_node"].path
    state = {"messages": [HumanMessage("task"), AIMessage("going on", id="m1")], "plan": OPEN}
    assert [asyncio.run(edge.ainvoke(state)) for _ in range(5)] == ["agent"] * 5
    assert decided(tmp_path) == ["default#1"]


def test_a_graph_whose_agent_turns_in_circles_ends(example: Callable[[str], Any]) -> None:
    from langchain_core.messages import AIMessage, HumanMessage

    gate = Gate("recommended", root=None)
    graph = example("langgraph_loop.py").loop(lambda _: (AIMessage("I fixed the import."), OPEN), gate)
    state = asyncio.run(graph.ainvoke({"messages": [HumanMessage("task")], "plan": ""}))
    assert gate.last is not None and gate.last.exit_class == "stuck"
    assert sum(one.content == "I fixed the import." for one in state["messages"]) == 3


def test_blocks_of_a_message_are_read_as_the_text_they_are(example: Callable[[str], Any]) -> None:
    from langchain_core.messages import AIMessage, HumanMessage

    gate = Gate("recommended", root=None)
    graph = example("langgraph_loop.py").loop(lambda _: (AIMessage("going on"), OPEN), gate)
    edge = graph.builder.branches["agent"]["next_node"].path
    blocks = [{"type": "text", "text": f"Done.\n\n{PROMISE}\n"}, {"type": "thinking", "thinking": "hm"}]
    state = {"messages": [HumanMessage("task"), AIMessage(blocks)], "plan": OPEN.replace("[ ]", "[x]")}
    asyncio.run(edge.ainvoke(state))
    assert gate._last is not None
    assert gate._last.iteration.source("response").text == f"Done.\n\n{PROMISE}\n"


def test_words_of_the_task_end_no_team(example: Callable[[str], Any]) -> None:
    from autogen_agentchat.base import TerminatedException
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.messages import StopMessage, TextMessage

    condition = example("autogen_team.py").GateTermination(Gate("recommended", root=None))

    async def talk() -> None:
        assert await condition([TextMessage(content=f"when done write {PROMISE}", source="user")]) is None
        assert await condition([TextMessage(content="The parser is written.", source="coder")]) is None
        said = await condition([TextMessage(content=f"Done.\n\n{PROMISE}", source="coder")])
        assert isinstance(said, StopMessage) and said.content.startswith("project_complete")
        assert condition.terminated
        with pytest.raises(TerminatedException):
            await condition([])
        await condition.reset()
        either = MaxMessageTermination(1) | condition
        assert await either([TextMessage(content="Another run.", source="coder")]) is not None
        assert not condition.terminated

    asyncio.run(talk())


def test_a_team_that_is_reset_begins_another_run(tmp_path: Path, example: Callable[[str], Any]) -> None:
    from autogen_agentchat.messages import TextMessage

    gate = Gate("recommended", root=None, state_dir=tmp_path)
    condition = example("autogen_team.py").GateTermination(gate)

    async def talk() -> None:
        await condition([TextMessage(content="one", source="coder")])
        await condition.reset()
        await condition([TextMessage(content="two", source="coder")])

    asyncio.run(talk())
    assert decided(tmp_path) == ["default#1", "default#2"]


def test_a_stop_hook_sends_back_to_work_until_the_gate_says_exit(
    tmp_path: Path, example: Callable[[str], Any]
) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text(OPEN)
    stop = example(BY_HAND).stop_hook(Gate("recommended", root=None), plan)
    payload = {
        "hook_event_name": "Stop",
        "session_id": "5f0c",
        "transcript_path": "/nowhere/5f0c.jsonl",
        "cwd": str(tmp_path),
        "stop_hook_active": False,
        "last_assistant_message": f"Done.\n\n{PROMISE}",
    }

    async def ask() -> None:
        first = await stop(payload, None, {"signal": None})
        assert first["decision"] == "block" and "open tasks (1)" in first["reason"]
        without = {key: payload[key] for key in payload if key != "last_assistant_message"}
        assert (await stop({**without, "stop_hook_active": True}, None, {"signal": None}))[
            "decision"
        ] == "block"
        plan.write_text(OPEN.replace("[ ]", "[x]"))
        last = await stop(payload, None, {"signal": None})
        assert last == {"systemMessage": "exitgate: plan_complete"}

    asyncio.run(ask())


class Capped:
    """As much of the SDK as the example touches; it ends a turn that was blocked eight times in a row."""

    def __init__(self, ends_at: int, plan: Path) -> None:
        self.ends_at, self.plan, self.turns = ends_at, plan, 0
        self.asked: list[tuple[str, object]] = []
        self.ClaudeAgentOptions = self.HookMatcher = SimpleNamespace
        self.ResultMessage = SimpleNamespace

    async def query(self, *, prompt: str, options: Any, transport: object) -> AsyncIterator[object]:
        self.asked.append((prompt, options.resume))
        (hook,) = options.hooks["Stop"][0].hooks
        for _ in range(9 if len(self.asked) < 5 else 0):
            self.turns += 1
            if self.turns == self.ends_at:
                self.plan.write_text(OPEN.replace("[ ]", "[x]"))
            said = f"Turn {self.turns} changed file {self.turns}."
            told = await hook({"last_assistant_message": said}, None, {})
            if told.get("decision") != "block":
                break
        yield SimpleNamespace(result=f"{self.turns}", session_id="s")


@pytest.mark.parametrize(("ends_at", "last", "asked"), [(20, "20", 3), (9, "9", 1), (99, "36", 5)])
def test_a_session_ended_after_eight_blocks_goes_on(
    tmp_path: Path,
    example: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
    ends_at: int,
    last: str,
    asked: int,
) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text(OPEN)
    sdk = Capped(ends_at, plan)
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", sdk)  # type: ignore[arg-type]
    policy = tmp_path / "plain.yaml"
    policy.write_text(PLAIN)
    gate = Gate(policy, root=None)
    assert asyncio.run(example(BY_HAND).work(gate, plan)) == last
    assert [session for _, session in sdk.asked] == [None, *["s"] * (asked - 1)]


def test_a_controller_begins_nothing_where_a_budget_is_used_up(
    tmp_path: Path, example: Callable[[str], Any]
) -> None:
    policy = tmp_path / "small.yaml"
    policy.write_text(SMALL)
    module = example("openhands_controller.py")
    gate = Gate(policy, root=None)
    decision = module.control(None, module.last_of_stand_in, gate, tmp_path / "plan.md")
    assert decision.exit_class == "exhausted"
