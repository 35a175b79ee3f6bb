"""Awaited checks: the same decisions, a loop that goes on, cancellations that lose and double nothing."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import PATIENCE, wait_for

from exitgate import ExitgateError, Gate, Iteration
from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger import read
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.verify import verify
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.request import Request
from exitgate.surfaces.in_process import gate as module
from exitgate.surfaces.in_process.gate import queue_at

pytestmark = pytest.mark.usefixtures("own_event_loop")

OPEN = "- [x] a\n- [ ] b\n"
LEDGER = ".ralph/exitgate"
PLANS = st.sampled_from(["", OPEN, "- [ ] a\n- [ ] b\n", "- [x] a\n- [x] b\n"])
TURNS = st.lists(
    st.builds(
        Iteration,
        st.one_of(st.none(), st.text(max_size=30)),
        plan=PLANS,
        cost=st.one_of(st.none(), st.floats(0, 4)),
        exit_status=st.sampled_from([None, 0, 1]),
    ),
    min_size=1,
    max_size=6,
)


def iterations(place: Path) -> list[object]:
    return [line["iteration"] for line in read.lines(str(place / LEDGER)) if line["kind"] == "decision"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TURNS)
def test_both_ways_give_the_same_decisions(place: Path, turns: list[Iteration]) -> None:
    plain, awaited = Gate("small.yaml", root=None), Gate("small.yaml", root=None)

    async def all_of_them() -> list[object]:
        return [await awaited.abefore(), *[await awaited.acheck(turn) for turn in turns]]

    assert [plain.before(), *[plain.check(turn) for turn in turns]] == asyncio.run(all_of_them())


def test_the_event_loop_goes_on_while_a_ledger_is_locked(place: Path) -> None:
    gate = Gate("small.yaml")

    async def wait() -> int:
        with Ledger(str(place / LEDGER)):
            check = asyncio.create_task(gate.acheck("going on"))
            ticks = 0
            while ticks < 50:
                await asyncio.sleep(0.001)
                ticks += 1
            assert not check.done()
        assert (await check).go_on
        return ticks

    assert asyncio.run(wait()) == 50


def test_many_runs_at_once_in_one_folder(place: Path) -> None:
    gates = [Gate("small.yaml", run=f"agent-{n}", settings={"same": 2}) for n in range(12)]

    async def loop(gate: Gate) -> list[str]:
        return [(await gate.acheck(Iteration(f"step {n}", plan=OPEN))).outcome for n in range(3)]

    async def all_of_them() -> list[list[str]]:
        return await asyncio.gather(*[loop(gate) for gate in gates])

    assert asyncio.run(all_of_them()) == [["otherwise", "otherwise", "same"]] * 12
    assert verify(str(place / LEDGER)).whole
    assert len(iterations(place)) == 36


class Stopped:
    """The gate's check, held between what goes before it and the deciding itself, or behind it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, behind: bool) -> None:
        self.reached, self.go, self.behind, self.count = threading.Event(), threading.Event(), behind, 0
        self.decide = module.decide
        monkeypatch.setattr(module, "decide", self)

    def __call__(self, request: Request) -> CheckResult:
        self.count += 1
        made = self.decide(request) if self.behind else None
        if self.count == 1:
            self.reached.set()
            assert self.go.wait(PATIENCE)
        return self.decide(request) if made is None else made


@pytest.mark.parametrize("behind", [False, True])
def test_a_check_cancelled_under_way_is_made_once_and_told_at_the_next_asking(
    place: Path, monkeypatch: pytest.MonkeyPatch, behind: bool
) -> None:
    gate = Gate("small.yaml")
    stopped = Stopped(monkeypatch, behind=behind)

    async def cancel() -> None:
        check = asyncio.create_task(gate.acheck(Iteration("one", plan=OPEN)))
        while not stopped.reached.is_set():
            await asyncio.sleep(0.001)
        check.cancel()
        with pytest.raises(asyncio.CancelledError):
            await check
        again = asyncio.create_task(gate.acheck(Iteration("one", plan=OPEN)))
        await asyncio.sleep(0)
        stopped.go.set()
        assert (await again) == gate.last
        assert iterations(place) == [1]
        await gate.acheck(Iteration("one", plan=OPEN))

    asyncio.run(cancel())
    assert stopped.count == 2
    assert iterations(place) == [1, 2]


def test_an_unheard_decision_is_not_that_of_another_iteration(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate("small.yaml")
    stopped = Stopped(monkeypatch, behind=True)

    async def cancel() -> None:
        check = asyncio.create_task(gate.acheck("one"))
        while not stopped.reached.is_set():
            await asyncio.sleep(0.001)
        check.cancel()
        with pytest.raises(asyncio.CancelledError):
            await check
        stopped.go.set()
        assert (await gate.acheck(Iteration("two", plan="- [x] a\n"))).outcome == "done"
        assert (await gate.acheck("one")).outcome == "otherwise"

    asyncio.run(cancel())
    runs = [line["run"] for line in read.lines(str(place / LEDGER)) if line["kind"] == "decision"]
    assert runs == ["default#1", "default#1", "default#2"]


def test_a_check_cancelled_in_the_queue_is_never_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Gate("small.yaml", run="a"), Gate("small.yaml", run="b")
    stopped = Stopped(monkeypatch, behind=False)

    async def cancel() -> None:
        held = asyncio.create_task(first.acheck("one"))
        while not stopped.reached.is_set():
            await asyncio.sleep(0.001)
        waiting = [asyncio.create_task(second.acheck("two")) for _ in range(20)]
        await asyncio.sleep(0.01)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        stopped.go.set()
        assert (await held).go_on
        assert (await second.acheck("two")).go_on

    asyncio.run(cancel())
    assert iterations(place) == [1, 1]


def test_a_check_cancelled_between_queue_and_ledger_is_never_made(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate("small.yaml")
    reached = threading.Event()
    request_for = module.request_for

    def reach(iteration: Iteration, asked: Request, policy: CompiledPolicy) -> Request:
        reached.set()
        return request_for(iteration, asked, policy)

    monkeypatch.setattr(module, "request_for", reach)

    async def cancel() -> None:
        with queue_at(str(place / LEDGER)):
            check = asyncio.create_task(gate.acheck("one"))
            while not reached.is_set():
                await asyncio.sleep(0.001)
            check.cancel()
            with pytest.raises(asyncio.CancelledError):
                await check
        assert (await gate.acheck("two")).go_on
        assert (await gate.acheck("three")).go_on

    asyncio.run(cancel())
    assert iterations(place) == [1, 2]


def test_a_decision_that_was_made_when_the_cancellation_came_is_told_at_the_next_asking(place: Path) -> None:
    gate = Gate("small.yaml")

    async def cancel() -> None:
        check = asyncio.create_task(gate.acheck("one"))
        await asyncio.sleep(0)
        # the event loop stands still: nobody hears the decision
        wait_for(lambda: gate.last is not None, "the decision")
        with queue_at(str(place / LEDGER)):
            check.cancel()
        with pytest.raises(asyncio.CancelledError):
            await check
        assert (await gate.acheck("one")) is gate.last
        assert iterations(place) == [1]

    asyncio.run(cancel())


def test_a_timeout_and_a_second_try_count_one_iteration(place: Path) -> None:
    gate = Gate("small.yaml")

    async def wait() -> None:
        with Ledger(str(place / LEDGER)):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(gate.acheck("one"), 0.01)
            again = asyncio.create_task(gate.acheck("one"))
            await asyncio.sleep(0.01)
        assert (await again).go_on

    asyncio.run(wait())
    assert iterations(place) == [1]


def test_errors_come_out_of_the_thread(place: Path) -> None:
    gate = Gate("small.yaml")
    with pytest.raises(ExitgateError, match="EP840"):
        asyncio.run(gate.acheck(Iteration("one", facts={"tsaks.done": 1})))
    assert asyncio.run(gate.acheck("one")).go_on
    assert iterations(place) == [1]


def test_the_thread_knows_the_context_of_its_caller(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = contextvars.ContextVar("mark", default="none")
    seen: list[str] = []

    def decide(request: Request) -> CheckResult:
        seen.append(mark.get())
        return original(request)

    original = module.decide
    monkeypatch.setattr(module, "decide", decide)

    async def marked() -> None:
        mark.set("span")
        await Gate("small.yaml").acheck("one")

    asyncio.run(marked())
    assert seen == ["span"]
