"""The gate that a Python program asks after each turn of its agent."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from weakref import WeakValueDictionary

from exitgate.analysis.counterfactuals.outlook import outlook
from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.core.engine.program import Program
from exitgate.core.engine.stages import BEFORE
from exitgate.core.gate import new_run
from exitgate.core.gate.decision import CheckResult
from exitgate.core.gate.settings import policy_of
from exitgate.core.ledger.window import Window
from exitgate.core.model.decision import Decision
from exitgate.core.observe.files import STANDARD_INPUT
from exitgate.core.observe.masking import covered
from exitgate.core.observe.sources import wanted
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state import discover
from exitgate.core.state.request import Request
from exitgate.core.system import portable
from exitgate.recordings.ledger.recall import Recalled, recall
from exitgate.report.decision.counterfactuals import TURNS
from exitgate.report.decision.explanation import Explanation, rungs
from exitgate.report.decision.ladder import ladder_text
from exitgate.report.probes import probes_of
from exitgate.report.terminal import Style
from exitgate.surfaces.decide import decide
from exitgate.surfaces.in_process.directory import directory_of
from exitgate.surfaces.in_process.iteration import (
    Iteration,
    Plain,
    Text,
    refuse,
    written,
    wrong_kind,
    wrong_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from exitgate.core.model.json_object import JsonObject
    from exitgate.surfaces.in_process.directory import StateDir


class Gate:
    """
    Decides after each iteration of one run whether it continues.

    The policy is loaded when the gate is made and is the gate's from then on. History is that of the
    ledger, as for `exitgate check`: a second gate on the same run continues where the first one ended.
    Gates may be shared among threads and tasks; checks on one state directory are made one after the other.

    Args:
        policy: Shipped name or path; None for what the project's settings choose, else `recommended`.
        settings: Parameter -> value, as ``--set`` takes them.
        run: Name of the run; None for `EXITGATE_RUN`, else `default`. Programs with several agents
            at work give each run its own.
        root: Folder of the project: settings, plan, task and git are looked for there, and the ledger
            is kept there. None where there is no project: no file is looked for, and none stays.
        state_dir: Folder of the ledger; None for `.ralph/exitgate` below the root; `exitgate.TEMPORARY` for
            one that goes with the gate, which is what a gate without a project has.
        record: False to look only: nothing is kept, so history is what the ledger already has.

    Raises:
        ExitgateError: 64 for a setting, a name or a root that cannot be used, 65 for a policy or layers
            that cannot be used, with everything that is wrong in them; 73 where no temporary folder can
            be made.
    """

    def __init__(
        self,
        policy: str | os.PathLike[str] | None = None,
        *,
        settings: Mapping[str, Plain] | None = None,
        run: str | None = None,
        root: str | os.PathLike[str] | None = ".",
        state_dir: StateDir = None,
        record: bool = True,
    ) -> None:
        refuse(
            [
                *wrong_names("settings", settings),
                *wrong_kind("policy", policy, os.PathLike),
                *wrong_kind("run", run),
            ]
        )
        texts = {name: written(name, value) for name, value in (settings or {}).items()}
        named = None if policy is None else os.fspath(policy)
        places = directory_of(self, root, state_dir)
        self._program = Program(policy_of(Request(policy=named, settings=texts, root=places.layers)))
        self._asked = Request(
            run=discover.run_name(Request(run=run)),
            root=places.root,
            state_dir=places.ledger,
            record=record,
            texts=dict.fromkeys(places.not_looked_for),
            program=self._program,
            window=Window(),
        )
        self._directory = discover.state_dir(self._asked)
        self._kin: Gate | None = None
        self._last: CheckResult | None = None
        self._unheard: Delivery | None = None

    def for_run(self, run: str) -> Gate:
        """
        Return a gate on another run, with the policy and the folders of this one; nothing is loaded.

        Args:
            run: Name of the run: of a conversation, a thread, an agent.

        Raises:
            ExitgateError: 64 for a name that cannot be used.
        """
        refuse(["`run` is None; a name was expected"] if run is None else [*wrong_kind("run", run)])
        other = Gate.__new__(Gate)
        other._program, other._directory = self._program, self._directory
        other._asked = self._asked.but(run=discover.run_name(Request(run=run)))
        other._kin = self  # a temporary folder is there as long as a gate that keeps its ledger in it
        other._last = other._unheard = None
        return other

    @property
    def last(self) -> Decision | None:
        """The last decision this gate made, whether its caller heard it or not; None before the first."""
        return None if self._last is None else self._last.decision

    def check(
        self, iteration: Iteration | str, *, facts: Mapping[str, Plain | None] | None = None
    ) -> Decision:
        """
        Decide on an iteration that has ended, and keep the decision.

        Args:
            iteration: The turn; a text is what the agent said in it.
            facts: Fact -> value, as `Iteration` takes them, in addition to its own: above all for what the
                policy declares under `given:`.

        Raises:
            ExitgateError: 64 for what does not match the policy, 66 and 74 for a path that is missing or
                cannot be read, 73 when the ledger cannot be written, 75 when another process keeps it
                locked. Nothing is recorded then, and the iteration may be asked about again.
        """
        return self._check(Delivery(_noun(iteration, facts)))

    async def acheck(
        self, iteration: Iteration | str, *, facts: Mapping[str, Plain | None] | None = None
    ) -> Decision:
        """
        Decide as `check` does, in a thread: the event loop continues.

        A cancelled check is made wholly or not at all. If it was made and the decision was not received, the
        next check on an equal iteration returns it in place of counting the iteration twice.

        Raises:
            ExitgateError: As `check`.
        """
        import asyncio

        one = Delivery(_noun(iteration, facts))
        try:
            return await in_thread(lambda: self._check(one))
        except asyncio.CancelledError:
            if one.cancel():
                self._unheard = one
            raise

    def before(self) -> Decision:
        """
        Decide whether a first iteration may begin: only rules of the stage before an iteration are asked.

        `check` asks them too, for the iteration that follows.

        Raises:
            ExitgateError: As `check`.
        """
        with queue_at(self._directory):
            return self._decide(self._asked.but(stage=BEFORE))

    async def abefore(self) -> Decision:
        """Decide as `before` does, in a thread."""
        return await in_thread(self.before)

    def reset(self) -> bool:
        """
        End the run; the next check begins another. Return whether there was a run to end.

        Raises:
            ExitgateError: 64 of a gate that only looks, 73 or 75 when the ledger cannot be written.
        """
        refuse([] if self._asked.record else ["this gate has `record=False`; it cannot end a run"])

        with queue_at(self._directory):
            self._unheard = None
            return new_run.reset(self._asked) is not None

    def explain(self) -> str:
        """
        Return why the last decision came out as it did: the rules in order, values, the words that counted.

        A gate that has made none yet explains the last one of its run in the ledger.

        Raises:
            ExitgateError: 66 when there is no decision, 74 when the ledger cannot be read.
        """

        return explain(self._last, self._directory, discover.run_name(self._asked))

    def _check(self, one: Delivery) -> Decision:
        """Decide on an iteration, unless it was decided on and the caller did not hear."""
        request = request_for(one.iteration, self._asked, self._program.policy)
        with queue_at(self._directory):
            one.begin()
            unheard, self._unheard = self._unheard, None
            if unheard is not None and unheard.decision is not None and unheard.iteration == one.iteration:
                decision = unheard.decision
            else:
                decision = self._decide(request)
            if one.made(decision):
                self._unheard = one
            return decision

    def _decide(self, request: Request) -> Decision:
        self._last = decide(request)
        return self._last.decision


def _noun(iteration: Iteration | str, facts: Mapping[str, Plain | None] | None) -> Iteration:
    """Return the iteration with these facts, too; of two values for one fact that of `facts` counts."""
    if not isinstance(iteration, Iteration):
        return Iteration(iteration, facts=facts)
    if facts is None:
        return iteration
    more = Iteration(facts=facts)  # refuses what facts cannot be
    return iteration.but(facts={**iteration.facts, **more.facts})


# An iteration as a request to the gate.


def request_for(iteration: Iteration, asked: Request, policy: CompiledPolicy) -> Request:
    """
    Return the request that asks about one iteration.

    Args:
        iteration: As the caller gave it.
        asked: What the gate asks every time: run, places, the policy made ready.
        policy: That policy.
    """
    texts = dict(asked.texts)
    paths: dict[str, str] = {}
    for name, value in _offered(iteration, policy).items():
        if isinstance(value, str):
            texts[name] = value
        else:
            texts.pop(name, None)
            paths[name] = _path(value)
    return asked.but(
        texts=texts,
        response=paths.pop("response", None),
        plan=paths.pop("plan", None),
        task=paths.pop("task", None),
        sources=paths,
        facts={name: written(name, value) for name, value in iteration.facts.items()},
        agent_exit=iteration.exit_status,
        cost=iteration.cost,
        tokens=iteration.tokens,
        iteration=iteration.number,
        turn=iteration.turn,
        ended=True,
    )


def _path(value: os.PathLike[str]) -> str:
    """Return the path of a file; what the command line takes for standard input is a file here."""
    path = os.fsdecode(value)
    return os.path.join(os.curdir, path) if path == STANDARD_INPUT else path


def _offered(iteration: Iteration, policy: CompiledPolicy) -> dict[str, Text]:
    """Return what was given by name; results of tools only where the policy reads them."""
    named = {
        "response": iteration.response,
        "plan": iteration.plan,
        "task": iteration.task,
        "tool_results": iteration.tool_results if "tool_results" in wanted(policy) else None,
    }
    return {name: value for name, value in named.items() if value is not None} | iteration.sources


# Whether a decision that was made in a thread reached the one who waited for it.


class Undelivered(Exception):  # noqa: N818 - it is never shown
    """The caller no longer waits for the check, and it was not begun."""


class Delivery:
    """
    One awaited check: made in a thread, cancelled perhaps in the event loop, in any order.

    Args:
        iteration: That is decided on.
    """

    def __init__(self, iteration: Iteration) -> None:
        self.iteration = iteration
        self.decision: Decision | None = None
        self._cancelled = False
        self._guard = threading.Lock()

    def begin(self) -> None:
        """Raise `Undelivered` if the caller no longer waits: then nothing may be recorded."""
        with self._guard:
            if self._cancelled:
                raise Undelivered

    def made(self, decision: Decision) -> bool:
        """Keep the decision; return whether the caller no longer waits for it."""
        with self._guard:
            self.decision = decision
            return self._cancelled

    def cancel(self) -> bool:
        """Say that the caller no longer waits; return whether the decision was made already."""
        with self._guard:
            self._cancelled = True
            return self.decision is not None


# Checks of one process on one state directory, one after the other.

#: Threads in which awaited checks run. More would only be in line: a check keeps its folder locked.
THREADS = 8


class _Queue:
    """The locks and threads of one process."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        # A lock is there as long as somebody holds it or waits for it: folders come and go.
        self.locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self.threads: ThreadPoolExecutor | None = None

    def begin_again(self) -> None:
        """In the child of a fork: threads are gone, and with them the holders of locks."""
        self.guard = threading.Lock()
        self.locks = WeakValueDictionary()
        self.threads = None


_QUEUE = _Queue()
portable.at_fork(_QUEUE.begin_again)


def queue_at(directory: str) -> threading.Lock:
    """
    Return the lock that the threads of this process take before that of the ledger.

    The lock of a ledger is asked for again and again until a bounded wait is over, which is right among
    processes: many threads of one would starve each other there. Here each waits for its turn.
    """
    with _QUEUE.guard:
        return _QUEUE.locks.setdefault(os.path.realpath(directory), threading.Lock())


async def in_thread(make: Callable[[], Decision]) -> Decision:
    """Return what `make` returns in a thread of ours: those of the event loop are left to others."""
    import asyncio
    from contextvars import copy_context

    with _QUEUE.guard:
        if _QUEUE.threads is None:
            from concurrent.futures import ThreadPoolExecutor

            _QUEUE.threads = ThreadPoolExecutor(THREADS, "exitgate")
        threads = _QUEUE.threads
    return await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, make)


# Why a gate decided as it did: the text that `exitgate explain` prints, without colour.

WIDTH = 100


def explain(last: CheckResult | None, directory: str, name: str) -> str:
    """
    Return the explanation of a check that was made just now, else of the newest decision in the ledger.

    Args:
        last: The check. Its texts are quoted; of a decision in the ledger there is the evidence kept.
        directory: The state directory.
        name: Name of the run, for the ledger.

    Raises:
        ExitgateError: 66 when there is no decision, 74 when the ledger cannot be read.
    """
    if last is not None and not _is_repeated(last):
        texts = covered(last.iteration.sources, last.policy)
        return _text(last, last.probes, last.iteration.run, last.iteration.number, texts)
    sequence = None if last is None or last.line is None else int(str(last.line["sequence"]))
    recalled = recall(directory, sequence, name)
    probes = probes_of(recalled.line.plain)
    return _text(recalled, probes, recalled.line.run, recalled.line.number, None)


def _is_repeated(last: CheckResult) -> bool:
    """Return whether the answer was in the ledger already: its line is of an earlier instant."""
    return last.line is not None and last.line["time"] != last.iteration.time


def _text(
    made: CheckResult | Recalled,
    probes: Mapping[str, JsonObject],
    run: str,
    number: int,
    texts: Mapping[str, str] | None,
) -> str:
    policy, decision, records = made.policy, made.decision, made.records
    program = Program(policy)
    ask_second_opinion(program, records, decision.stage)
    ladder = rungs(policy, decision, records)
    seen = outlook(program, records, decision, False, enough=TURNS)
    explained = Explanation(policy, decision, ladder, made.facts, run, number, texts, seen, False)
    return ladder_text(explained.but(probes=probes), Style(False, WIDTH))
