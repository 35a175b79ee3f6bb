"""The gate that a Python program asks after each turn of its agent."""

from __future__ import annotations

import os

from exitgate.engine.program import Program
from exitgate.engine.stages import BEFORE
from exitgate.gate import discover
from exitgate.gate.request import Request
from exitgate.gate.settings import policy_of
from exitgate.ledger.window import Window
from exitgate.surfaces.decide import decide
from exitgate.surfaces.in_process.asking import request_for
from exitgate.surfaces.in_process.delivery import Delivery
from exitgate.surfaces.in_process.iteration import (
    Iteration,
    refuse,
    written,
    wrong_kind,
    wrong_names,
)
from exitgate.surfaces.in_process.places import places_of
from exitgate.surfaces.in_process.queue import in_thread, turn_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.checked import Checked
    from exitgate.model.decision import Decision
    from exitgate.surfaces.in_process.iteration import Plain
    from exitgate.surfaces.in_process.places import StateDir


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
        places = places_of(self, root, state_dir)
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
        self._last: Checked | None = None
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
        with turn_at(self._directory):
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
        from exitgate.gate import begin

        refuse([] if self._asked.record else ["this gate has `record=False`; it cannot end a run"])

        with turn_at(self._directory):
            self._unheard = None
            return begin.reset(self._asked) is not None

    def explain(self) -> str:
        """
        Return why the last decision came out as it did: the rules in order, values, the words that counted.

        A gate that has made none yet explains the last one of its run in the ledger.

        Raises:
            ExitgateError: 66 when there is no decision, 74 when the ledger cannot be read.
        """
        from exitgate.surfaces.in_process.explanation import explain

        return explain(self._last, self._directory, discover.run_name(self._asked))

    def _check(self, one: Delivery) -> Decision:
        """Decide on an iteration, unless it was decided on and the caller did not hear."""
        request = request_for(one.iteration, self._asked, self._program.policy)
        with turn_at(self._directory):
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
