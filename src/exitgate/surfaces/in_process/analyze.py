"""One analysis without state: the response, and what was before it as arrays of the caller's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, cast

from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.stages import stages_due
from exitgate.core.gate.extract import extract
from exitgate.core.gate.settings import policy_of
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.value import is_whole
from exitgate.core.observe import clock
from exitgate.core.observe.envelope import unwrapped
from exitgate.core.observe.files import given_text
from exitgate.core.observe.sources import wanted
from exitgate.core.state.request import Request
from exitgate.report.decision.response_analyzer import analysis_result
from exitgate.surfaces.in_process.iteration import refuse

POLICY = "response-analyzer"
#: Keys of a context, as Python and as the interface in TypeScript write them.
_KEYS = {
    "iteration": "iteration", "max_iterations": "maxIterations", "previous_responses": "previousResponses",
    "error_history": "errorHistory", "task_description": "taskDescription",
}  # fmt: skip
_LISTS = ("previous_responses", "error_history")


class CompletionSignal(TypedDict):
    """What speaks for completion."""

    detected: bool
    keywords: list[str]
    testOnly: bool
    confidence: float


class StuckSignal(TypedDict):
    """What speaks for a loop that stands still."""

    detected: bool
    repeatedPatterns: list[str]
    errorFrequency: dict[str, int]
    confidence: float


class AnalysisResult(TypedDict):
    """The result object of the response analyzer's interface; confidences are 0 to 100."""

    shouldExit: bool
    exitReason: str | None
    confidence: float
    completionSignal: CompletionSignal
    stuckSignal: StuckSignal
    workSummary: str


def analyze(
    response: str, context: Mapping[str, object] | None = None, *, policy: str = POLICY
) -> AnalysisResult:
    """
    Return the analysis of a response. Nothing is read, kept or looked for: no file, no ledger, no project.

    Args:
        response: What the agent said last.
        context: `iteration`, `max_iterations`, `previous_responses` and `error_history` (texts, oldest
            first), `task_description`; each may be left out, and may be written in camel case. Errors
            belong to the iterations before this one, the last to the last.
        policy: Shipped name or path of another policy than `response-analyzer`.

    Raises:
        ExitgateError: 64 for a context with another key or a value of the wrong kind, 65 for a policy
            that cannot be used.
    """
    known = _read(context or {})
    texts = _texts(known)
    limit = known.get("max_iterations")
    compiled = policy_of(Request(policy=policy, root="/"))
    if limit is not None and "max_iterations" in compiled.parameters:
        compiled = policy_of(Request(policy=policy, root="/", settings={"max_iterations": str(limit)}))
    number = known.get("iteration", len(texts) + 1)
    assert isinstance(number, int)
    evaluation = Evaluation(Program(compiled))
    task = known.get("task_description")
    for at, text in enumerate((*texts, response)):
        count = max(1, number - len(texts) + at)
        sources = _sources(text, None if task is None else str(task), count, wanted(compiled))
        earlier = tuple(reversed(texts[:at]))
        iteration = Iteration(count, "analyze", 0.0, sources, {"response": earlier})
        facts = extract(compiled, iteration)
        observed = evaluation.observe(facts.values())
    decision = evaluation.decide(stages_due(response=True, begun=True))
    return cast(
        "AnalysisResult",
        analysis_result(compiled, decision, {**facts, **observed.facts}, evaluation.records, response),
    )


def _read(context: Mapping[str, object]) -> dict[str, object]:
    """Return a context with the names of Python; refuse what is none."""
    names = {**{name: name for name in _KEYS}, **{other: name for name, other in _KEYS.items()}}
    wrong = [f"a context has no key `{key}`" for key in context if key not in names]
    found = {names[key]: value for key, value in context.items() if key in names and value is not None}
    for name, value in found.items():
        if name in _LISTS:
            listed = isinstance(value, Sequence) and not isinstance(value, str)
            good = listed and all(isinstance(one, str) for one in cast("Sequence[object]", value))
            wanted_kind = "a list of texts"
        elif name == "task_description":
            good, wanted_kind = isinstance(value, str), "a text"
        else:
            good = is_whole(value) and value >= 0
            wanted_kind = "a whole number from 0"
        if not good:
            wrong.append(f"`{name}` of a context is {type(value).__name__}; {wanted_kind} was expected")
    refuse(wrong)
    return found


def _texts(known: Mapping[str, object]) -> tuple[str, ...]:
    """Return what was said in each earlier iteration, oldest first, with the error it ended in."""
    said = [str(one) for one in cast("Sequence[object]", known.get("previous_responses", ()))]
    errors = [str(one) for one in cast("Sequence[object]", known.get("error_history", ()))]
    length = max(len(said), len(errors))
    said = [""] * (length - len(said)) + said
    errors = [""] * (length - len(errors)) + errors
    return tuple("\n\n".join(part for part in pair if part) for pair in zip(said, errors, strict=True))


def _sources(text: str, task: str | None, number: int, wants: frozenset[str]) -> dict[str, Source]:
    """Return what is known of an iteration; of all else, that it was not given."""
    sources = {name: Source(name, reason=f"no {name} was given") for name in wants}
    sources |= unwrapped(given_text("response", text), "auto", None, wants)
    if task is not None:
        sources["task"] = given_text("task", task)
    return {**sources, "run": clock.run(number, {}, None)}
