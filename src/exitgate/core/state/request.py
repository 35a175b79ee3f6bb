"""What the caller of a check asks."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.core.engine.program import Program
    from exitgate.core.ledger.window import Window

    #: Called while the world is asked: the probe, seconds so far, and its last line; an empty probe while
    #: another check asks, with what is known of that.
    Watch = Callable[[str, float, str], None]


class Request(Value):
    """
    One question to the gate.

    Args:
        response: Path of the agent's response, ``-`` for standard input; None for the default path.
        plan: Path of the task list; None for the default paths.
        task: Path of the task given to the agent; None for the default paths, where it may be missing.
        policy: Shipped name or path; None for the default policy.
        settings: Parameter -> text, as ``--set`` takes them.
        agent_exit: The agent's exit status, or None when it is not known.
        sources: Name of a source -> path, for sources beside response, plan and task.
        texts: Name of a source -> its text, for callers that have it at hand, or None where they know
            that there is none; no file is read or looked for.
        facts: Fact -> text of its value, used instead of what is extracted.
        stage: The one stage to ask, or None for those that are due.
        run: Name of the run, or None: then the environment or the default names it.
        state_dir: Folder of the ledger, or None for the default.
        record: False to look only: no lock is taken, nothing is written.
        root: Folder that default paths, the state directory and git are looked for in.
        time: Seconds since the epoch to take for now, or None for the clock's.
        cost: What this iteration cost in USD, or None when it is not known.
        tokens: Tokens this iteration used, or None when it is not known.
        iteration: Number of the iteration, from 1, or None to count on. Asked again with the same
            number, a check gives the recorded decision and appends nothing.
        turn: The host's id of the turn, to the same end; or None.
        input_format: Format of the response: `auto` tells it by the content; `text`, `json`, `jsonl`.
        left_out: Files and folders, absolute, that are not the agent's work: git facts do not look at them.
        ended: True for a caller who knows that an iteration has ended, be there a response or not.
        program: The policy made ready, for callers that check many times; `policy` and `settings` are
            not looked at then, and no layer is read.
        window: Lines of the ledger that such a caller keeps from check to check, or None.
        remarks: What the caller knows of the iteration that a user should know; they become warnings.
        until: The instant of `time.monotonic` at which probes have to be done with, or None.
        layer: Text of settings above all files, for this run alone; the empty text for none.
        typed: Probes of `layer` whose commands a person typed for this run: they need no other consent.
        watch: Called with probe, seconds and a line while the world is asked, or None.
    """

    __slots__ = (
        "agent_exit", "cost", "ended", "facts", "input_format", "iteration", "layer", "left_out", "plan",
        "policy", "program", "record", "remarks", "response", "root", "run", "settings", "sources", "stage",
        "state_dir", "task", "texts", "time", "tokens", "turn", "typed", "until", "watch", "window",
    )  # fmt: skip

    def __init__(
        self,
        response: str | None = None,
        plan: str | None = None,
        task: str | None = None,
        policy: str | None = None,
        settings: Mapping[str, str] | None = None,
        agent_exit: int | None = None,
        sources: Mapping[str, str] | None = None,
        facts: Mapping[str, str] | None = None,
        stage: str | None = None,
        run: str | None = None,
        state_dir: str | None = None,
        record: bool = True,
        root: str = ".",
        time: float | None = None,
        cost: float | None = None,
        tokens: int | None = None,
        iteration: int | None = None,
        turn: str | None = None,
        input_format: str = "auto",
        texts: Mapping[str, str | None] | None = None,
        ended: bool = False,
        program: Program | None = None,
        left_out: tuple[str, ...] = (),
        window: Window | None = None,
        remarks: tuple[str, ...] = (),
        until: float | None = None,
        watch: Watch | None = None,
        layer: str = "",
        typed: tuple[str, ...] = (),
    ) -> None:
        self.response = response
        self.plan = plan
        self.task = task
        self.policy = policy
        self.settings = settings or {}
        self.agent_exit = agent_exit
        self.sources = sources or {}
        self.facts = facts or {}
        self.stage = stage
        self.run = run
        self.state_dir = state_dir
        self.record = record
        self.root = root
        self.time = time
        self.cost = cost
        self.tokens = tokens
        self.iteration = iteration
        self.turn = turn
        self.input_format = input_format
        self.texts = texts or {}
        self.left_out = left_out
        self.ended = ended
        self.program = program
        self.window = window
        self.remarks = remarks
        self.until = until
        self.watch = watch
        self.layer = layer
        self.typed = typed
