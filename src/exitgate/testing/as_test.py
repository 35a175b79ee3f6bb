"""
A decision that was made, as a case for tests.yaml: the facts that mattered, their history, what came of them.

The case is not believed: it is read as a file of tests would be and has to pass, and every fact that can be
left out without another decision, or a less certain one, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from exitgate.analysis.space.dependencies import dependent_facts
from exitgate.core.engine.program import Program
from exitgate.core.model.decision import EXIT, NOTHING_TO_DECIDE, Decision
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown, with_unit
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import read_document
from exitgate.report.decision.explanation import names_of
from exitgate.testing.cases.case import Case, Problems
from exitgate.testing.cases.load import WrittenCase
from exitgate.testing.cases.parse import read_case
from exitgate.testing.cases.recordings import Recordings
from exitgate.testing.cases.values import same
from exitgate.testing.compare import View, compare
from exitgate.testing.counterexample import case_of
from exitgate.testing.extract import Extracted, extract, follow, observe

Run = tuple[Mapping[str, object], ...]


#: Code -> what it means.
CODES = {"EP551": "the decision cannot be written as a case"}
_UNKNOWN = Unknown("given as unknown", "tests.yaml")


def as_test(name: str, program: Program, records: Sequence[Mapping[str, object]], decision: Decision) -> str:
    """
    Return a decision as one case for `tests:`, indented to be there, which passes under its policy.

    Args:
        name: What the case is called.
        program: The policy that decided, with the parameters of that time.
        records: What conditions read, oldest first, the decided iteration last.
        decision: What was decided on them.

    Raises:
        ExitgateError: 66 (EP551) for a decision that no case leads to: a person's or the state
            directory's, not the policy's; or one on a value that a test cannot give.
    """
    settings, stage = _settings(program.policy), decision.stage
    given = _given(program, records, stage)
    for silent in range((program.policy.exit_after_blind or 0) + 1):
        run: Run = (dict.fromkeys(given[0], _UNKNOWN),) * silent + given
        bench = _Bench(program, stage, len(run))
        decided = bench.decided(run)
        if _result(decided) != _result(decision):
            continue
        want = _expected(decided)

        def holds(tried: Run, bench: _Bench = bench, want: Mapping[str, object] = want) -> bool:
            return _expected(bench.decided(tried)) == want

        found = _needed(_recent(run, holds), _facts_to_show(program, run, decided), holds)
        text = case_of(found, name, want, stage, settings)
        case = read_one(text, program)
        if case is not None and passes(case, program):
            return text
    message = "no facts of this decision lead a test to it"
    help = "the rules did not decide alone, or a test cannot give one of the values; see `exitgate explain`"
    raise ExitgateError([Diagnostic("EP551", message, help=help)], NOTHING_TO_DECIDE)


class _Bench:
    """Decides runs of facts as a test without sources does; its extractors run once."""

    def __init__(self, program: Program, stage: str, length: int) -> None:
        self._program = program
        self._stage = stage
        self._silence = extract(of_facts(({},) * length, stage), program.policy)

    def decided(self, run: Run) -> Decision:
        """Return the decision on a run that is at most as long as `length`."""
        said = []
        for values, silent in zip(run, self._silence, strict=False):
            own = dependent_facts(values, self._program.policy)
            facts = {**silent.facts, **{name: Fact(name, value) for name, value in own.items()}}
            said.append(Extracted(facts, own, silent.now))
        observed = follow(said, self._program)
        return observed[-1].decide((self._stage,))


def _result(decision: Decision) -> tuple[object, ...]:
    return decision.verdict, decision.exit_class, decision.rule, decision.outcome


def _given(program: Program, records: Sequence[Mapping[str, object]], stage: str) -> Run:
    """Return facts as they were: what extractors find, and what was computed from more than these records."""
    run = tuple(_read(record, program.policy) for record in records)
    while computed := _differing(run, program, records, stage):
        # what is given changes what is computed from it in turn
        run = tuple(
            {**values, **{name: _value(record, name) for name in computed}}
            for values, record in zip(run, records, strict=True)
        )
    return run


def _differing(
    run: Run, program: Program, records: Sequence[Mapping[str, object]], stage: str
) -> frozenset[str]:
    """Return the facts that a test does not give and computes otherwise than they were."""
    observed = observe(of_facts(run, stage), program)
    return frozenset(
        name
        for record, one in zip(records, observed, strict=True)
        for name in one.record
        if name not in run[0] and not same(record.get(name, _UNKNOWN), one.record[name])
    )


def _read(record: Mapping[str, object], policy: CompiledPolicy) -> dict[str, object]:
    """Return every fact that extractors find, as it was in a record."""
    computed = {fact.name for fact in policy.derived}
    own = policy.breaker is not None
    return {
        name: _value(record, name)
        for name in policy.facts
        if name not in computed and not (own and name.startswith("circuit."))
    }


def _value(record: Mapping[str, object], name: str) -> object:
    """Return the value of a fact, unknown where the policy put another in its place."""
    return _UNKNOWN if name in getattr(record, "stand_ins", ()) else record.get(name, _UNKNOWN)


def _expected(decision: Decision) -> dict[str, object]:
    """Return what the case expects: the result, and how certain it is."""
    expect: dict[str, object] = {"verdict": decision.verdict}
    if decision.verdict == EXIT:
        expect["class"] = decision.exit_class
    expect["rule"] = decision.rule
    if decision.outcome not in (decision.rule, "otherwise"):
        expect["outcome"] = decision.outcome
    if decision.blind:
        expect["blind"] = True
    expect["firm"] = decision.firm
    if not decision.firm:
        expect["alternatives"] = tuple(dict.fromkeys(one.rule for one in decision.alternatives))
    return expect


def _settings(policy: CompiledPolicy) -> dict[str, object]:
    """Return the parameters that were set to something else than their defaults, as `set:` takes them."""
    return {
        name: _scalar(with_unit(one.value, one.type))
        for name, one in policy.parameters.items()
        if one.value != one.default
    }


def _scalar(value: object) -> object:
    """Return a list as one text, which both a test and the command line read; anything else as it is."""
    return "[" + ", ".join(f'"{item}"' for item in value) + "]" if isinstance(value, list) else value


def _recent(run: Run, holds: Callable[[Run], bool]) -> Run:
    """Return the fewest of the newest iterations that lead to the decision."""
    few, enough = 1, len(run)
    while few < enough:
        middle = (few + enough) // 2
        if holds(run[-middle:]):
            enough = middle
        else:
            few = middle + 1
    return run[-enough:]


def _facts_to_show(program: Program, run: Run, decision: Decision) -> frozenset[str]:
    """Return the facts that the rule which decided names and that are known: its reader wants to see them."""
    rule = next((rule for rule in program.policy.rules if rule.id == decision.rule), None)
    named = names_of(rule.when, program.policy) if rule is not None else ()
    known = {name for values in run for name, value in values.items() if not isinstance(value, Unknown)}
    return frozenset(known.intersection(named))


def _needed(run: Run, kept: frozenset[str], holds: Callable[[Run], bool]) -> Run:
    """Return the run without facts that change nothing: tried in halves, quarters, down to single ones."""
    names = [name for name in run[0] if name not in kept]
    size = len(names)
    while size:
        at = 0
        while at < len(names):
            left = {*kept, *names[:at], *names[at + size :]}
            tried = tuple({n: v for n, v in values.items() if n in left} for values in run)
            if left and holds(tried):
                run = tried
                del names[at : at + size]
            else:
                at += size
        size //= 2
    return run


# A single case that the program writes itself: read as a tests.yaml would be, and whether it passes.

HEAD = "format: 1\ntests:\n"
FILE = "<example>"
_PLACE = Location(FILE, 1, 1, 1, 1)


def of_facts(run: Run, stage: str) -> Case:
    """Return a case without expectations: facts of each iteration, oldest first, and the stage to ask."""
    sources: tuple[dict[str, object], ...] = ({},) * len(run)
    return Case(FILE, _PLACE, "", run, sources, {}, stage, None, ())


def read_one(text: str, program: Program) -> Case | None:
    """Return the case as tests.yaml would be read, or None where it would not be."""
    findings = Findings()
    document = read_document(HEAD + text, FILE, findings)
    if document is None or findings.errors():
        return None
    data = document.data
    assert isinstance(data, dict)
    remarks = Problems(document, findings)
    case = read_case(
        WrittenCase(data["tests"][0], ("tests", 0)), program.policy, document, remarks, Recordings(".")
    )
    return None if findings.errors() else case


def passes(case: Case, program: Program) -> bool:
    """Return whether everything that the case expects holds."""
    observed = observe(case, program)
    records = tuple(one.record for one in observed)
    decision = observed[-1].decide((case.stage,))
    view = View(program, case.stage, observed[-1], records, decision)
    return all(compare(want, view) is None for want in case.wants)
