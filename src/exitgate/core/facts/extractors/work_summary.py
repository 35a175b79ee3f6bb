"""`work_summary`: what an iteration did, in one line: files changed, tests, errors fixed."""

from __future__ import annotations

from exitgate.core.facts.extractors import tests
from exitgate.core.facts.extractors.tests import JUDGED_LIMIT, judged, matches
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons import search
from exitgate.core.facts.test_runs.figures import figures
from exitgate.core.facts.test_runs.lines import whole
from exitgate.core.facts.text.structure import EMPHASIS, list_mark
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, MATCH_LIMIT, PIECE, Text, evidence
from exitgate.core.facts.text.text import ready as ready_text
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import COUNT, TEXT, Type, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.core.facts.lexicons.lexicon import Lexicon
    from exitgate.core.facts.lexicons.search import Hit
    from exitgate.core.facts.lexicons.task_copies import Task
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Evidence, Iteration


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


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts on the work that `source` tells; all unknown when it is missing."""
    found = iteration.source(source)
    names = [f"{prefix}.{s.name}" if s.name else prefix for s in _SPECS]
    if found.text is None:
        return tuple(Fact(name, Unknown(found.reason, name)) for name in names)
    text = ready_text(found.text)
    task = search.task_of(iteration)
    ready = _ready(options)
    done = count(text, ready.words, task)
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

    def __init__(self, words: Words, ready: tests.Ready) -> None:
        self.words = words
        self.tests = ready


@lexicons.kept
def _ready(options: JsonObject) -> _Ready:
    return _Ready(words(options.object("lexicon")), tests.ready(options))


def _shown(source: str, text: Text, hits: Iterable[Hit]) -> tuple[Evidence, ...]:
    first = [h for _, h in zip(range(EVIDENCE_LIMIT), hits, strict=False)]
    return tuple(evidence(source, text, h.match.start, h.match.end, h.entry.id, h.guard) for h in first)


# What a text says was done: files changed and errors fixed, by the entries of a lexicon.

#: What entries report.
FILES = "files"
FIXED = "fixed"
CHANGED = "changed"
FILE = "file"
ROLES = frozenset((FILES, FIXED, CHANGED))
#: Lines of a list of files that are read.
LIST_LIMIT = 500
#: Different names that are kept.
NAMES_LIMIT = 1_000


class Words(Value):
    """The entries that report work, and those that say how the name of a file looks."""

    __slots__ = ("names", "work")

    def __init__(self, work: Lexicon, names: Lexicon) -> None:
        self.work = work
        self.names = names


class Done(Value):
    """
    What was done.

    Args:
        files: Files changed, or None when the text does not say.
        fixed: Errors fixed, or None.
        names: Names of files said to be changed, sorted.
        files_by: What `files` rests on.
        fixed_by: What `fixed` rests on.
        refused: Matches that a guard refused.
    """

    __slots__ = ("files", "files_by", "fixed", "fixed_by", "names", "refused")

    def __init__(
        self,
        files: int | None,
        fixed: int | None,
        names: tuple[str, ...],
        files_by: tuple[Hit, ...],
        fixed_by: tuple[Hit, ...],
        refused: tuple[Hit, ...],
    ) -> None:
        self.files = files
        self.fixed = fixed
        self.names = names
        self.files_by = files_by
        self.fixed_by = fixed_by
        self.refused = refused


def words(resolved: JsonObject) -> Words:
    """Return the entries on work of a resolved lexicon, ready for searching."""
    entries, guards = lexicons.entries_of(resolved), resolved.object("guards")
    work = [e for e in entries if e.get("reports") in ROLES]
    names = [e for e in entries if e.get("reports") == FILE]
    made = (lexicons.ready(JsonObject(entries=some, guards=guards)) for some in (work, names))
    return Words(*made)


def count(text: Text, ready: Words, task: Task | None) -> Done:
    """
    Return the files changed and errors fixed that `text` tells.

    A number of files that is said counts, the largest where several are; else the different names that
    follow a word for changing, on its line or in the list that the line leads. Errors are added up.
    """
    stated: list[Hit] = []
    fixed: list[Hit] = []
    refused: list[Hit] = []
    names: set[str] = set()
    named_by: list[Hit] = []
    reached, asked, reading = -1, 0, _may_name(text, ready.names)
    for number, match, entry in matches(text, ready.work):
        here: set[str] = set()
        last = number
        if entry.options.get("reports") == CHANGED:
            if number <= reached or not reading or len(names) >= NAMES_LIMIT:
                continue
            for last, line in _lines(text, number, match.end):  # noqa: B007 - no line is read twice
                here.update(_in(line, ready.names))
            # a list is read once; behind a refused word another on the same line is still asked
            reached = max(reached, last - 1)
            if not here:
                continue
        hit = judged(text, ready.work, match, entry, task)
        asked += 1
        if asked > JUDGED_LIMIT:
            break
        if hit.guard is not None:
            refused.append(hit)
        elif here:
            reached = last
            names |= here
            named_by.append(hit)
        else:
            (stated if entry.options.get("reports") == FILES else fixed).append(hit)
    fixed = _apart(fixed)
    paths = {name.rpartition("/")[2] for name in names if "/" in name}
    names = {name for name in names if "/" in name or name not in paths}
    files: int | None = len(names) or None
    if stated:
        files = max(_number(text, h, ready.work) for h in stated)
    return Done(
        files,
        sum(_number(text, h, ready.work) for h in fixed) if fixed else None,
        tuple(sorted(names)),
        tuple(stated or named_by),
        tuple(fixed),
        tuple(refused),
    )


def _may_name(text: Text, lexicon: Lexicon) -> bool:
    """Return whether the name of a file is anywhere in the text."""
    return lexicon.patterns is not None and bool(lexicon.patterns.among(text).which(text.original))


def _apart(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those that begin within the one before."""
    found: list[Hit] = []
    for hit in hits:
        if not found or hit.match.start >= found[-1].match.end:
            found.append(hit)
    return found


def _number(text: Text, hit: Hit, lexicon: Lexicon) -> int:
    """Return the number that the entry's groups have in the match; 1 for an entry without groups."""
    patterns = lexicon.patterns
    if patterns is None:
        return 1
    index = next(i for i, entry in enumerate(lexicon.patterned()) if entry is hit.entry)
    for match in patterns.matches(index, text.original[hit.match.start : hit.match.end]):
        digits = next((v for v in match.groupdict().values() if v), None)
        return 1 if digits is None else whole(digits)
    return 1


def _lines(text: Text, number: int, start: int) -> Iterator[tuple[int, str]]:
    """Yield the rest of line `number`, and where that ends in a colon the items of the list behind it."""
    line = text.original[start : min(text.lines.span(number)[1], start + PIECE)]
    yield number, line
    if not line.rstrip(" \t\r" + EMPHASIS).endswith(":"):
        return
    for below in range(number + 1, min(len(text.lines.starts), number + LIST_LIMIT)):
        item = text.lines.line(below)[:PIECE].strip()
        if item and not list_mark(item):
            return
        yield below, item


def _in(line: str, lexicon: Lexicon) -> Iterator[str]:
    patterns, refusals = lexicon.patterns, lexicon.refusals
    if patterns is None or refusals is None:
        return
    left = MATCH_LIMIT
    for index in patterns.which(line):
        for start, end in patterns.spans(index, line):
            left -= 1
            if left < 0:
                return
            name = line[start:end]
            if not (lexicon.patterned()[index].unless and refusals.occurs(index, name)):
                yield name.removeprefix("./")
