"""What a check observes: the texts of the agent and the user first, then what must be made."""

from __future__ import annotations

from exitgate.core.engine.stages import BEFORE, stages_due
from exitgate.core.gate.notes import is_unchanged
from exitgate.core.gate.stale_response import without_left_over, without_stale
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration
from exitgate.core.model.value import Value
from exitgate.core.observe.envelope import was_there
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
        ended: Whether an iteration ended: only the stage before one is asked otherwise.
        texts: The sources that are files.
        needed: Source -> how many earlier texts of it the policy compares with.
        compared: The iteration with secrets hidden, for what compares with those; None where nothing does.
        days: What all runs of the day used up, where the policy asks for it.
        lost: Remarks on earlier texts that could not be read.
    """

    __slots__ = ("compared", "days", "ended", "iteration", "lost", "needed", "stages", "texts")

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
        self.ended = stages != (BEFORE,)
        self.texts = texts
        self.needed = needed
        self.compared = compared
        self.days = days
        self.lost = lost


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
    sources.update(read_made(request, policy, texts.begun, number, prior.now, texts.reported))
    days = None
    if "day" in wanted(policy):
        from exitgate.core.state.day import Days

        totals = run_source(request, texts.begun, number, texts.reported).record or {}
        days = Days(policy, directory, prior.now, where.run)
        sources["day"] = days.source(texts.begun.totals, totals)
    needed = earlier.needs(policy)
    recalled = earlier.recall(directory, needed, where.run, number, history.lines)
    iteration = Iteration(number, where.run, prior.now, sources, recalled.texts)
    compared = earlier.comparable(iteration, needed, policy) if needed else None
    return Observation(iteration, stages, texts, needed, compared, days, recalled.remarks)
