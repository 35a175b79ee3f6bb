"""What the caller of a loop asks."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.state.request import Request
from exitgate.hosts.loop.child import Limits
from exitgate.hosts.loop.prompt import Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.state.request import Watch

#: Parameter of a policy that `--max-iterations` sets, where the policy has it.
MAX_ITERATIONS = "max_iterations"


class LoopOptions(Struct, frozen=True):
    """
    One loop.

    Args:
        command: The agent's command, word by word.
        prompt: Where its prompt comes from.
        limits: Of one iteration.
        policy: Shipped name or path; None for the default policy.
        settings: Parameter -> text, as ``--set`` takes them.
        layer, typed: As `Request` has them.
        facts: Fact -> text, as ``--fact`` takes them, for every check of the loop.
        plan: Path of the task list; None for the default paths.
        run: Name of the run, or None: then the environment or the default names it.
        state_dir: Folder of the ledger, or None for the default.
        most: Iterations of one run after which the loop ends regardless of the policy; None for no bound.
        longest_wait: Seconds that a `wait` may take; a longer one ends the loop.
        root: Folder that default paths, the state directory and git are looked for in.
    """

    command: tuple[str, ...]
    prompt: Prompt
    limits: Limits
    policy: str | None = None
    settings: Mapping[str, str] = {}
    plan: str | None = None
    run: str | None = None
    state_dir: str | None = None
    most: int | None = None
    longest_wait: float = 0.0
    root: str = "."
    facts: Mapping[str, str] = {}
    layer: str = ""
    typed: tuple[str, ...] = ()

    def request(
        self,
        *,
        texts: Mapping[str, str] | None = None,
        agent_exit: int | None = None,
        turn: str | None = None,
        stage: str | None = None,
        time: float | None = None,
        record: bool = True,
        remarks: tuple[str, ...] = (),
        watch: Watch | None = None,
    ) -> Request:
        """Return a question to the gate about this loop; the parts are as `Request` has them."""
        return Request(
            plan=self.plan,
            policy=self.policy,
            settings=self.settings,
            facts=self.facts,
            agent_exit=agent_exit,
            texts=texts,
            stage=stage,
            run=self.run,
            state_dir=self.state_dir,
            record=record,
            root=self.root,
            time=time,
            turn=turn,
            remarks=remarks,
            watch=watch,
            layer=self.layer,
            typed=self.typed,
        )


def bounded(asked: LoopOptions) -> LoopOptions:
    """
    Return the loop with its bound on iterations as a setting of the policy, where that has such a parameter.

    Raises `ExitgateError` (65) for a policy that cannot be used.
    """
    from exitgate.core.gate.settings import policy_of

    policy = policy_of(asked.request())
    if asked.most is None or MAX_ITERATIONS not in policy.parameters:
        return asked
    return replace(asked, settings={**asked.settings, MAX_ITERATIONS: str(asked.most)})
