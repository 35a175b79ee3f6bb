"""The facts that would have caught a mutant, as a case for tests.yaml that is known to catch it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from exitgate.analysis.edits import Edit, apply, end_of, ending, offset, quoted_scalar
from exitgate.analysis.results.answer import Answer
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.model.decision import BAD_POLICY, EXIT, Decision
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import Document, read_document
from exitgate.testing.as_test import of_facts, passes, read_one
from exitgate.testing.cases.values import same, write
from exitgate.testing.counterexample import case_of
from exitgate.testing.extract import Observed, observe

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    return observed[-1], observed[-1].decide((stage,))


# Runs that may show what a mutant does: as the analysis found it, or with what goes before it.


def leads(policy: CompiledPolicy, judged: Answer, limits: Limits) -> tuple[Run, ...]:
    """
    Return the run on which a mutant decides otherwise; for the breaker also with a beginning.

    A condition that closes the breaker says nothing while it is CLOSED: the beginnings are runs that open
    it, or bring it to HALF_OPEN.

    Args:
        policy: The original.
        judged: What the analysis said of the mutant, REFUTED.
        limits: Of the question for each beginning.
    """
    from exitgate.analysis.mutation.equivalence import IN_BREAKER
    from exitgate.analysis.walk.queries import REFUTED, can_be

    assert judged.run is not None
    run = tuple({name: _plain(value) for name, value in values.items()} for values in judged.run)
    found: list[Run] = [run]
    breaker = policy.breaker
    if judged.kind == IN_BREAKER and breaker is not None:
        trees = [opening.when for opening in breaker.openings]
        for tree in ([breaker.watch] if breaker.watch is not None else []) + trees:
            answer = can_be(policy, tree, True, limits)
            if answer.status == REFUTED and answer.run is not None:
                found.append((*answer.run, *run))
    return tuple(found)


def _plain(value: object) -> object:
    """Return a number as people write it: 80, not 80.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Ready-made cases written into a file of tests: what is there stays as it is.

#: Columns before the dash of a case as `case_of` writes it.
INDENT = 2


def new_file(policy: str, cases: Sequence[str]) -> str:
    """Return a file of tests for the policy that `policy` names, relative to it, with these cases."""
    return f"format: 1\npolicy: {quoted_scalar(policy, 'plain', False)}\ntests:\n" + "\n".join(cases)


def with_cases(text: str, file: str, cases: Sequence[str]) -> str:
    """
    Return the text of a file of tests with cases behind its last one.

    Args:
        text: It is read as YAML; its comments, order, layout and line ends are kept.
        file: Where it came from, for messages.
        cases: Each as `exitgate.testing.counterexample.case_of` writes it.

    Raises:
        ExitgateError: 65, where it cannot be read, or its cases are not one below the other (EP518).
    """
    findings = Findings()
    document = read_document(text, file, findings)
    findings.raise_errors()
    assert document is not None
    lines = document.lines
    tests = document.root.get("tests")
    if tests is None or not tests.items:
        raise _refused(document)
    last = tests.items[-1]
    start = offset(lines, last.place.line, 1)
    before = text[start : offset(lines, last.place.line, last.place.column)]
    if before.strip() != "-":
        raise _refused(document)
    dash = len(before) - len(before.lstrip())
    end = end_of(lines, last)
    line_end = ending(lines)
    made = "".join(line_end + _shifted(case, dash).replace("\n", line_end) for case in cases)
    if not text[:end].endswith("\n"):
        made = line_end + made
    return apply(text, [Edit(end, end, made)])


def check_cases(text: str, path: str) -> None:
    """Raise `ExitgateError` (65) where a case of a file of tests as it would be does not pass."""
    from exitgate.testing.cases.load import load_suite
    from exitgate.testing.runner import run_case

    suite = load_suite(text, path, os.path.dirname(path) or ".")
    failed = [case for case in suite.cases if run_case(case, suite.program(case)).failures]
    if failed:
        help = "add them to a file for the same policy and settings"
        problems = [
            Diagnostic("EP518", f"`{case.name}` would fail in `{path}`", case.place, help) for case in failed
        ]
        raise ExitgateError(problems, BAD_POLICY)


def _shifted(case: str, dash: int) -> str:
    """Return the case with its dash behind as many blanks."""
    lines = case.split("\n")
    return "\n".join(" " * dash + line[INDENT:] if line else line for line in lines)


def _refused(document: Document) -> ExitgateError:
    place = (document.root.get("tests") or document.root).place
    help = "write each case on lines of its own, `- name: ...`, or name a file that does not exist yet"
    message = "cases cannot be added here: they are not one below the other"
    problem = Diagnostic("EP518", message, place, help, source=document.lines.line(place.line))
    return ExitgateError([problem], BAD_POLICY)
