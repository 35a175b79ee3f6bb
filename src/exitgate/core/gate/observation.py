"""What a check observes: the texts of the agent and the user first, then what must be made."""

from __future__ import annotations

from exitgate.core.engine.stages import BEFORE, stages_due
from exitgate.core.gate.notes import digest_read, is_unchanged
from exitgate.core.ledger.line import DECISION, RUN_START
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value
from exitgate.core.observe.envelope import TAKEN_OUT, was_there
from exitgate.core.observe.sources import PLAN, read_made, read_texts, run_source, wanted
from exitgate.core.state import discover, earlier, faults
from exitgate.core.state.history import Reported, reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.gate.prior import Prior
    from exitgate.core.model.fact import Source
    from exitgate.core.observe.sources import Begun
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.day import Days
    from exitgate.core.state.history import History
    from exitgate.core.state.request import Request


class Texts(Value):
    """
    The sources that are files.

    Args:
        sources: By name, without what an earlier iteration left.
        reported: What the agent's result says it used up.
        begun: Instants, totals and the state of git when the iteration began.
    """

    __slots__ = ("begun", "reported", "sources")

    def __init__(self, sources: Mapping[str, Source], reported: Reported, begun: Begun) -> None:
        self.sources = sources
        self.reported = reported
        self.begun = begun


class Observation(Value):
    """
    Everything a check knows of an iteration before facts are extracted.

    Args:
        iteration: Its number, run and sources.
        stages: Stages that are due, in the order in which they are asked.
        texts: The sources that are files.
        needed: Source -> how many earlier texts of it the policy compares with.
        compared: The iteration with secrets hidden, for what compares with those; None where nothing does.
        days: What all runs of the day used up, where the policy asks for it.
        lost: Remarks on earlier texts that could not be read.
    """

    __slots__ = ("compared", "days", "iteration", "lost", "needed", "stages", "texts")

    def __init__(
        self,
        iteration: Iteration,
        stages: tuple[str, ...],
        texts: Texts,
        needed: Mapping[str, int],
        compared: Iteration | None,
        days: Days | None,
        lost: tuple[str, ...],
    ) -> None:
        self.iteration = iteration
        self.stages = stages
        self.texts = texts
        self.needed = needed
        self.compared = compared
        self.days = days
        self.lost = lost

    @property
    def ended(self) -> bool:
        """Whether an iteration ended: only the stage before one is asked otherwise."""
        return self.stages != (BEFORE,)


def read(request: Request, policy: CompiledPolicy, prior: Prior, heard: dict[str, Source]) -> Texts:
    """
    Return the sources that are files, without what an earlier iteration left, and what they report.

    `heard` keeps what can be read only once, such as standard input, should the check look again.
    """
    history, begun = prior.history, prior.begun()
    texts: Mapping[str, Source] = read_texts(request, policy, str(begun.totals.get(PLAN, "")), heard)
    try:
        texts = without_stale(without_left_over(texts, history, request), history, request)
        texts, report = reported(texts, history.totals(), is_unchanged(texts, history))
    except ExitgateError:
        raise
    except Exception as error:  # what is left over could not be known from what is new
        texts, report = {**texts, "response": faults.unread("response", error)}, Reported()
    return Texts(texts, report, begun)


def observe(request: Request, policy: CompiledPolicy, prior: Prior, texts: Texts) -> Observation:
    """Return the iteration with every source the policy uses, and the stages that are due."""
    history, where = prior.history, prior.history.standing
    sources: dict[str, Source] = dict(texts.sources)
    stages = tuple(
        stages_due(
            request.stage,
            # a loop begins with status 0, before any agent ran
            None if request.agent_exit == 0 and where.new else request.agent_exit,
            response=was_there(sources["response"]),
            begun=history.begun or request.ended,
            is_error=texts.reported.is_error is True,
        )
    )
    # Before an iteration the one that counts is the last that was, or 0.
    number = where.iteration - 1 if stages == (BEFORE,) else where.iteration
    directory = discover.state_dir(request)
    # calls of an iteration that was counted before
    again = stages == (BEFORE,) or is_unchanged(texts.sources, history)
    plan = texts.sources.get("plan")
    sources.update(read_made(request, policy, texts.begun, number, prior.now, texts.reported, again, plan))
    days = None
    if "day" in wanted(policy):
        from exitgate.core.state.day import Days

        totals = run_source(request, texts.begun, number, texts.reported).record or JsonObject()
        days = Days(policy, directory, prior.now, where.run)
        sources["day"] = days.source(texts.begun.totals, totals)
    needed = earlier.needs(policy)
    recalled = earlier.recall(directory, needed, where.run, number, history.lines)
    iteration = Iteration(number, where.run, prior.now, sources, recalled.texts)
    compared = earlier.comparable(iteration, needed, policy) if needed else None
    return Observation(iteration, stages, texts, needed, compared, days, recalled.remarks)


# The response that an earlier loop left behind: of no iteration of a run that was begun by hand.


def without_stale(sources: Mapping[str, Source], history: History, request: Request) -> Mapping[str, Source]:
    """
    Return the sources, the response without its text if it was not written since it was decided on.

    It is the same file with the same text, written when it was written at the last check with a
    response. A look that records nothing, and a caller that names iteration, turn or stage, get it as
    it is: they ask on purpose.
    """
    asked = (request.iteration, request.turn, request.stage)
    response, known = sources["response"], history.response_digest()
    if not request.record or known is None or any(one is not None for one in asked):
        return sources
    digest, line = known
    kept = line.get("sources")
    before = kept.get("response") if isinstance(kept, dict) else None
    if not response.written or not isinstance(before, dict) or before.get("written") != response.written:
        return sources
    if line.get("kind") != DECISION or digest != digest_read(response):
        return sources
    where = f"iteration {line['iteration']} of `{line['run']}`"
    said = f"`{response.path}` has not been written since {where}"
    return _without(sources, request, said, f"{said}: its content was counted then")


def without_left_over(
    sources: Mapping[str, Source], history: History, request: Request
) -> Mapping[str, Source]:
    """
    Return the sources, the response without its text where it was there before any work of its run.

    It was when the run has only its first line, `exitgate new-run` kept the same file with the same
    text there, and the caller names no iteration, turn, stage or exit status but 0, with which a loop
    begins. Asked once more the same text counts: an agent may well say again what it said before.
    """
    asked = (request.iteration, request.turn, request.agent_exit or None, request.stage)
    first = history.lines[-1] if history.lines else {}
    response = sources["response"]
    if response.text is None or first.get("kind") != RUN_START or any(one is not None for one in asked):
        return sources
    kept = first.get("sources")
    before = kept.get("response") if isinstance(kept, dict) else None
    if not isinstance(before, dict) or before.get("path") != response.path:
        return sources
    if before.get("digest") != digest_read(response):
        return sources
    said = f"`{response.path}` was there before `{history.standing.run}` began"
    return _without(sources, request, said, f"{said} and is ignored")


def _without(
    sources: Mapping[str, Source], request: Request, said: str, warning: str
) -> Mapping[str, Source]:
    """Return the sources without the response and what was taken out of it; `said` is why."""
    response = sources["response"]
    gone = Source("response", path=response.path, reason=said, warnings=(warning,))
    apart = {name: Source(name, reason=said) for name in TAKEN_OUT if name in sources}
    return {**sources, **{n: s for n, s in apart.items() if n not in request.sources}, "response": gone}
