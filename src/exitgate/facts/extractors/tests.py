"""`tests`: what the agent's tests did, by what their runners printed and by what it says of them."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts import runner_lines, scan_lexicon
from exitgate.facts.lexicon import Lexicon
from exitgate.facts.runner_asides import DOUBT, EARLIER, PAST, RELIEF, Asides
from exitgate.facts.runner_figures import Figures, failing_checks, figures
from exitgate.facts.runner_only import lines_match, only_tests
from exitgate.facts.scan import EVIDENCE_LIMIT, Text, evidence
from exitgate.facts.scan import ready as ready_text
from exitgate.facts.scan_patterns import Patterns
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, COUNT, TEXT, Type
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.facts.runner_lines import Reading
    from exitgate.facts.runner_only import Only
    from exitgate.facts.scan_task import Task
    from exitgate.model.evidence import Evidence
    from exitgate.model.iteration import Iteration

NAME = "tests"
SOURCE = "response"
OPTIONS: dict[str, object] = {
    "lexicon": {
        "description": "Name or path of the lexicon of test runners' output and of sentences "
        "that report work.",
        "type": "string",
        "default": "test-runners",
        "examples": ["test-runners"],
    },
    "only_patterns": {
        "description": "Instead of the rule for `only`: patterns (RE2) that lines of test output match.",
        "type": "array",
        "minItems": 1,
        "items": {"type": "string", "minLength": 1},
        "examples": [
            [r"^\s*(?-i:PASS|FAIL|SKIP)\s+", r"\d+ (tests?|specs?) (passed|failed)", "Test Suites?:"]
        ],
    },
    "only_share": {
        "description": "For `only`: percentage of the lines that must be about tests. By default 100 "
        "with `only_patterns` (of lines that are not blank), else 50.",
        "type": "number",
        "minimum": 1,
        "maximum": 100,
        "examples": [80],
    },
}

_NO_FIGURES = "there is no report of test results"
_SPECS = (
    FactSpec("ran", BOOL, "Whether tests were run, or their results are reported."),
    FactSpec("passed", COUNT, "Tests that passed in the last run.", _NO_FIGURES, low=0),
    FactSpec("failed", COUNT, "Tests that failed or had errors in it.", _NO_FIGURES, low=0),
    FactSpec("skipped", COUNT, "Tests that were skipped in it.", _NO_FIGURES, low=0),
    FactSpec("passing", BOOL, "Whether at least one test passed and none failed.", _NO_FIGURES),
    FactSpec("only", BOOL, "Whether the text is only about running tests."),
    FactSpec(
        "runner",
        TEXT,
        "The runners that printed the figures.",
        f"{_NO_FIGURES}; also if only the agent's own sentences do",
    ),
    FactSpec(
        "witness",
        BOOL,
        "Whether figures, printed or in a sentence, show that tests pass, and no other check fails.",
    ),
    FactSpec(
        "checks_failing",
        BOOL,
        "Whether another check is last reported to fail: build, types, lint, coverage, ci, commit.",
    ),
    FactSpec("names", Type("list", item=TEXT), "Names of tests that failed, as far as they are listed."),
)


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """
    Return the facts on tests in `source`; all unknown when it is missing.

    Where the commands of the iteration that ran tests are known with what they returned, the last of each
    runner says how tests went, no matter what the source says of them. Entries with `calls_only` are asked of
    what commands returned alone: in a text they could be the agent's words.
    """
    found = iteration.source(source)
    if found.text is None:
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(found.reason, f"{prefix}.{s.name}")) for s in _SPECS)
    task = scan_lexicon.task_of(iteration)
    ready = _ready.of(options)
    assert isinstance(ready, Ready)
    text = ready_text(ready.asides.without_earlier(found.text))
    readings = ready.read(text, task)
    only = _only(text, readings, ready, options, f"{prefix}.only", task)
    told = iteration.calls()
    returned: tuple[Figures, tuple[Evidence, ...]] | None = None
    failing: tuple[Evidence, ...] = ()
    if told:
        from exitgate.facts import runner_calls

        made = [one for one in told if isinstance(one, dict)]
        words = runner_calls.ready.of(options)
        assert isinstance(words, runner_calls.Words)
        returned = runner_calls.of_calls(made, words)
        failing = runner_calls.failing_checks(made, words)
    return _facts(prefix, source, text, readings, only, returned, failing)


class Ready(Value):
    """The entries of a lexicon on test runners, those asked of their sentences, those that report work."""

    __slots__ = ("asides", "runners", "work")

    def __init__(self, runners: Lexicon, work: Lexicon, asides: Asides) -> None:
        self.runners = runners
        self.work = work
        self.asides = asides

    def read(self, text: Text, task: Task | None) -> tuple[Reading, ...]:
        """Return what a text says of tests and other checks."""
        return runner_lines.read(text, self.runners, task, self.asides)


def ready(options: Mapping[str, object]) -> Ready:
    """Return the option `lexicon`, resolved, ready for reading."""
    plain = lexicons.option(options)
    entries = [e for e in lexicons.listed(plain.get("entries")) if isinstance(e, dict)]
    guards = plain.get("guards", {})
    runners = [
        e for e in entries if e.get("reports") in runner_lines.ROLES and e.get("calls_only") is not True
    ]
    work = [e for e in entries if e.get("reports") == "work"]
    return Ready(
        lexicons.ready({"entries": runners, "guards": guards}),
        lexicons.ready({"entries": work, "guards": guards}),
        Asides(
            _written(entries, PAST, "pattern"),
            _written(entries, DOUBT, "pattern"),
            _written(entries, RELIEF, "pattern"),
            _written(entries, EARLIER, "pattern"),
            _written(entries, PAST, "unless"),
        ),
    )


def _written(entries: Sequence[Mapping[str, object]], what: str, key: str) -> Patterns:
    """Return the patterns that the entries that report `what` have under `key`, or one that never matches."""
    asked = [e for e in entries if e.get("reports") == what]
    written = [str(e.get(key) or lexicons.NEVER) for e in asked]
    if key != "pattern":
        return Patterns(written)
    return Patterns(written, [lexicons.needed(e) for e in asked], [lexicons.besides(e) for e in asked])


_ready = lexicons.Kept(ready)


def _only(
    text: Text,
    readings: tuple[Reading, ...],
    ready: Ready,
    options: Mapping[str, object],
    name: str,
    task: Task | None,
) -> Only:
    written, given = options.get("only_patterns"), options.get("only_share")
    share = given if isinstance(given, int | float) else None
    if isinstance(written, list | tuple):
        return lines_match(text, [str(p) for p in written], 100 if share is None else share, name)
    return only_tests(text, readings, ready.work, task, 50 if share is None else share)


def _facts(
    prefix: str,
    source: str,
    text: Text,
    readings: tuple[Reading, ...],
    only: Only,
    returned: tuple[Figures, tuple[Evidence, ...]] | None,
    failing: tuple[Evidence, ...],
) -> tuple[Fact, ...]:
    """Return the facts; what commands returned ranks above what the text says."""
    counting = [r for r in readings if r.guard is None and r.role != runner_lines.CHECK]
    refused = _shown(source, text, (r for r in readings if r.guard is not None))
    told = figures(readings)
    known = told if told is not None else Figures()
    shown = _shown(source, text, known.readings)
    if returned is not None:
        told, shown = returned
        known = told
    checks = failing_checks(readings)
    values: dict[str, object] = {
        "ran": bool(counting) or returned is not None,
        "passed": known.passed,
        "failed": known.failed,
        "skipped": known.skipped,
        "passing": known.passing,
        "only": only.value,
        "runner": ", ".join(known.runners) or None,
        "witness": known.passing is True and bool(known.passed or known.runners) and not (checks or failing),
        "checks_failing": bool(checks or failing),
        "names": known.names,
    }
    work = tuple(
        evidence(source, text, h.match.start, h.match.end, h.entry.id) for h in only.work[:EVIDENCE_LIMIT]
    )
    seen = {
        "ran": _shown(source, text, counting),
        "only": work,
        "checks_failing": (*failing, *_shown(source, text, checks))[:EVIDENCE_LIMIT],
    }
    reason = _NO_FIGURES if told is None else "the text about tests is not conclusive"
    return tuple(
        Fact(name, Unknown(reason, name), (), refused)
        if (value := values[s.name]) is None
        else Fact(name, value, seen.get(s.name, shown), refused)
        for s in _SPECS
        for name in (f"{prefix}.{s.name}",)
    )


def _shown(source: str, text: Text, readings: Iterable[Reading]) -> tuple[Evidence, ...]:
    first = [r for _, r in zip(range(EVIDENCE_LIMIT), readings, strict=False)]
    return tuple(evidence(source, text, r.start, r.end, r.entry.id, r.guard) for r in first)
