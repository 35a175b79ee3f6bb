"""The facts that would have caught a mutant, as a case for tests.yaml that is known to catch it."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.model.verdict import EXIT
from exitgate.testing.counterexample import case_of
from exitgate.testing.given import observe
from exitgate.testing.one_case import of_facts, passes, read_one
from exitgate.testing.values import same, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.engine.program import Program
    from exitgate.model.decision import Decision
    from exitgate.testing.given import Observed

    Run = tuple[Mapping[str, object], ...]


def example(name: str, runs: Sequence[Run], stage: str, original: Program, mutant: Program) -> str:
    """
    Return a case that passes on the original and fails on the mutant; empty where no run gives one.

    Args:
        name: What the case is called.
        runs: Facts of each iteration, oldest first, unknown ones left out; the first that does is taken.
        stage: The stage that is asked.
        original: Its decision is what the case expects.
        mutant: It.
    """
    for start in runs:
        text = _caught(name, start, stage, original, mutant)
        if text:
            return text
        silenced = _silenced(start, stage, original)
        text = _caught(name, silenced, stage, original, mutant)
        if text:
            return _needed(name, start, silenced, text, stage, original, mutant)
    return ""


def _caught(name: str, run: Run, stage: str, original: Program, mutant: Program) -> str:
    """Return the case of one run; empty where the mutant passes it."""
    before, after = (_decided(run, stage, program) for program in (original, mutant))
    for expect in _expectations(before, after):
        text = case_of(run, name, expect, stage)
        case = read_one(text, original)
        if case is not None and passes(case, original) and not passes(case, mutant):
            return text
    return ""


def _needed(
    name: str, start: Run, silenced: Run, text: str, stage: str, original: Program, mutant: Program
) -> str:
    """Return the case with no more facts given as unknown than it needs."""
    for fact in sorted({fact for values in silenced for fact in values} - {f for v in start for f in v}):
        smaller = tuple({n: v for n, v in values.items() if n != fact} for values in silenced)
        found = _caught(name, smaller, stage, original, mutant)
        if found:
            silenced, text = smaller, found
    return text


def _silenced(run: Run, stage: str, program: Program) -> Run:
    """Return the run with all that a test would know by itself given as unknown."""
    observed = observe(of_facts(run, stage), program)
    computed = {fact.name for fact in program.policy.derived}
    return tuple(
        {
            **{
                name: Unknown("given as unknown", name)
                for name, fact in one.facts.items()
                if name not in computed
                and name in program.policy.facts
                and not isinstance(fact.value, Unknown)
            },
            **values,
        }
        for values, one in zip(run, observed, strict=True)
    )


def _expectations(
    before: tuple[Observed, Decision], after: tuple[Observed, Decision]
) -> Iterator[dict[str, object]]:
    """Yield what the case may expect: of the decision as little as tells the two apart, then of facts."""
    decision = before[1]
    expect: dict[str, object] = {"verdict": decision.verdict}
    if decision.verdict == EXIT:
        expect["class"] = decision.exit_class
    expect["rule"] = decision.rule
    yield expect
    yield {**expect, "outcome": decision.outcome}
    yield {**expect, "warnings": [w.rule or w.message for w in decision.warnings]}
    other = after[0].record
    for name, value in before[0].record.items():
        if name in other and not same(value, other[name]):
            yield {**expect, "facts": {name: write(value)}}


def _decided(run: Run, stage: str, program: Program) -> tuple[Observed, Decision]:
    observed = observe(of_facts(run, stage), program)
    records = tuple(one.record for one in observed)
    return observed[-1], program.decide(records, stage, notes=observed[-1].notes)
