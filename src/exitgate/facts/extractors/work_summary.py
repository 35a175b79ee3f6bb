"""`work_summary`: what an iteration did, in one line: files changed, tests, errors fixed."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts import scan_lexicon, summary_counts
from exitgate.facts.extractors import tests
from exitgate.facts.runner_figures import figures
from exitgate.facts.scan import EVIDENCE_LIMIT, Text, evidence
from exitgate.facts.scan import ready as ready_text
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import COUNT, TEXT, Type
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.facts.scan_lexicon import Hit
    from exitgate.model.evidence import Evidence
    from exitgate.model.iteration import Iteration

NAME = "work_summary"
SOURCE = "response"
OPTIONS: dict[str, object] = {
    "lexicon": {
        "description": "Name or path of the lexicon of test runners and of sentences about work.",
        "type": "string",
        "default": "test-runners",
        "examples": ["test-runners"],
    },
}

_SPECS = (
    FactSpec("", TEXT, "What was done, in one line.", "the text reports none of it"),
    FactSpec("files", COUNT, "Files changed.", "the text neither counts nor names them", low=0),
    FactSpec("tests", COUNT, "Tests that pass.", "the text does not say", low=0),
    FactSpec("fixed", COUNT, "Errors fixed.", "the text does not say", low=0),
    FactSpec("names", Type("list", item=TEXT), "Names of files said to be changed."),
)


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """Return the facts on the work that `source` tells; all unknown when it is missing."""
    found = iteration.source(source)
    names = [f"{prefix}.{s.name}" if s.name else prefix for s in _SPECS]
    if found.text is None:
        return tuple(Fact(name, Unknown(found.reason, name)) for name in names)
    text = ready_text(found.text)
    task = scan_lexicon.task_of(iteration)
    ready = _ready.of(options)
    assert isinstance(ready, _Ready)
    done = summary_counts.count(text, ready.words, task)
    run = figures(ready.tests.read(text, task))
    passed = None if run is None else run.passed
    failed = None if run is None else run.failed
    by = tuple(
        evidence(source, text, r.start, r.end, r.entry.id)
        for r in (run.readings if run else ())[:EVIDENCE_LIMIT]
    )
    files_by, fixed_by = _shown(source, text, done.files_by), _shown(source, text, done.fixed_by)
    refused = _shown(source, text, done.refused)
    line = sentence(done.files, passed, failed, done.fixed)
    values = (line or None, done.files, passed, done.fixed, done.names)
    shown = ((*files_by, *by, *fixed_by)[:EVIDENCE_LIMIT], files_by, by, fixed_by, files_by)
    return tuple(
        Fact(name, Unknown(spec.unknown_when, name), (), refused)
        if value is None
        else Fact(name, value, seen, refused)
        for name, spec, value, seen in zip(names, _SPECS, values, shown, strict=True)
    )


def sentence(files: int | None, passed: int | None, failed: int | None, fixed: int | None) -> str:
    """Return the line; what is None is left out, and so are failures when there are none."""
    parts = []
    if files is not None:
        parts.append(f"Modified {_many(files, 'file')}")
    if passed is not None:
        parts.append(f"{_many(passed, 'test')} passing")
    if failed:
        parts.append(f"{failed} failing" if passed is not None else f"{_many(failed, 'test')} failing")
    if fixed is not None:
        parts.append(f"{_many(fixed, 'error')} fixed")
    return ", ".join(parts)


def _many(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


class _Ready(Value):
    """The lexicon, ready for counting work and reading tests."""

    __slots__ = ("tests", "words")

    def __init__(self, words: summary_counts.Words, ready: tests.Ready) -> None:
        self.words = words
        self.tests = ready


def _make(options: Mapping[str, object]) -> _Ready:
    return _Ready(summary_counts.words(lexicons.option(options)), tests.ready(options))


_ready = lexicons.Kept(_make)


def _shown(source: str, text: Text, hits: Iterable[Hit]) -> tuple[Evidence, ...]:
    first = [h for _, h in zip(range(EVIDENCE_LIMIT), hits, strict=False)]
    return tuple(evidence(source, text, h.match.start, h.match.end, h.entry.id, h.guard) for h in first)
