"""`tests`: what the agent's tests did, by what their runners printed and by what it says of them."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons import search
from exitgate.core.facts.lexicons.lexicon import Lexicon
from exitgate.core.facts.lexicons.patterns import Patterns
from exitgate.core.facts.lexicons.search import Hit
from exitgate.core.facts.test_runs import lines as lines_module
from exitgate.core.facts.test_runs.asides import DOUBT, EARLIER, PAST, RELIEF, Asides
from exitgate.core.facts.test_runs.figures import Figures, failing_checks, figures
from exitgate.core.facts.test_runs.lines import STATEMENT, candidates, is_line
from exitgate.core.facts.text.structure import fence_mark, is_heading, is_key, is_rule
from exitgate.core.facts.text.text import (
    EVIDENCE_LIMIT,
    MATCH_LIMIT,
    PIECE,
    Match,
    Text,
    evidence,
    sentence_of,
)
from exitgate.core.facts.text.text import ready as ready_text
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject, objects_of
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.core.facts.lexicons.lexicon import Entry, Lexicon
    from exitgate.core.facts.lexicons.search import Hit
    from exitgate.core.facts.lexicons.task_copies import Task
    from exitgate.core.facts.test_runs.lines import Reading
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Evidence, Iteration


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


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the facts on tests in `source`; all unknown when it is missing.

    Where the commands of the iteration that ran tests are known with what they returned, the last of each
    runner says how tests went, no matter what the source says of them. Entries with `calls_only` are asked of
    what commands returned alone: in a text they could be the agent's words.
    """
    found = iteration.source(source)
    if found.text is None:
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(found.reason, f"{prefix}.{s.name}")) for s in _SPECS)
    task = search.task_of(iteration)
    ready = _ready(options)
    text = ready_text(ready.asides.without_earlier(found.text))
    readings = ready.read(text, task)
    only = _only(text, readings, ready, options, f"{prefix}.only", task)
    told = iteration.calls()
    returned: tuple[Figures, tuple[Evidence, ...]] | None = None
    failing: tuple[Evidence, ...] = ()
    if told:
        from exitgate.core.facts.test_runs import calls

        made, words = objects_of(told), calls.ready(options)
        returned = calls.of_calls(made, words)
        failing = calls.failing_checks(made, words)
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
        return lines_module.read(text, self.runners, task, self.asides)


def ready(options: JsonObject) -> Ready:
    """Return the option `lexicon`, resolved, ready for reading."""
    plain = options.object("lexicon")
    entries, guards = lexicons.entries_of(plain), plain.object("guards")
    runners = [e for e in entries if e.get("reports") in lines_module.ROLES and not e.flag("calls_only")]
    work = [e for e in entries if e.get("reports") == "work"]
    return Ready(
        lexicons.ready(JsonObject(entries=runners, guards=guards)),
        lexicons.ready(JsonObject(entries=work, guards=guards)),
        Asides(
            _written(entries, PAST, "pattern"),
            _written(entries, DOUBT, "pattern"),
            _written(entries, RELIEF, "pattern"),
            _written(entries, EARLIER, "pattern"),
            _written(entries, PAST, "unless"),
        ),
    )


def _written(entries: Sequence[JsonObject], what: str, key: str) -> Patterns:
    """Return the patterns that the entries that report `what` have under `key`, or one that never matches."""
    asked = [e for e in entries if e.get("reports") == what]
    written = [str(e.get(key) or lexicons.NEVER) for e in asked]
    if key != "pattern":
        return Patterns(written)
    return Patterns(written, [lexicons.needed(e) for e in asked])


_ready = lexicons.kept(ready)


def _only(
    text: Text,
    readings: tuple[Reading, ...],
    ready: Ready,
    options: JsonObject,
    name: str,
    task: Task | None,
) -> Only:
    if "only_patterns" in options:
        share = options.number("only_share", 100)
        return lines_match(text, options.texts("only_patterns"), share, name)
    return only_tests(text, readings, ready.work, task, options.number("only_share", 50))


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
    counting = [r for r in readings if r.guard is None and r.role != lines_module.CHECK]
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


# Whether a response is test output and nothing else.


class Only(Value):
    """
    Whether a response is only test output, and why.

    `value` is a bool, or `Unknown` where a pattern cannot be used; `work` is a hit that reports work.
    """

    __slots__ = ("value", "work")

    def __init__(self, value: object, work: tuple[Hit, ...] = ()) -> None:
        self.value = value
        self.work = work


def only_tests(
    text: Text, readings: Sequence[Reading], work: Lexicon, task: Task | None, share: float
) -> Only:
    """
    Return whether tests were run, nothing reports work, and `share` percent of the text are of tests.

    A sentence without a number (that tests pass) does not show that they were run. Words on lines that
    a runner prints, such as names of tests, report no work. The share is of lines: what is between
    the first and the last line that one run of a runner printed is of tests; blank lines, rules, fences,
    headings and lines of the form ``KEY: value`` are left out.
    """
    ran = [r for r in readings if r.guard is None and (r.role != STATEMENT or r.figures)]
    if not ran:
        return Only(False)
    printed = {r.line for r in readings if is_line(r.entry)}
    if not _mostly(text, ran, readings, share):
        return Only(False)
    for asked, (number, match, entry) in enumerate(matches(text, work)):
        if number in printed:
            continue
        hit = judged(text, work, match, entry, task)
        if hit.guard is None:
            return Only(False, (hit,))
        if asked >= JUDGED_LIMIT:
            break
    return Only(True)


def _mostly(text: Text, readings: Sequence[Reading], told: Sequence[Reading], share: float) -> bool:
    """Return whether at least `share` percent of the lines are of tests; a line of prose in part."""
    of_tests = {r.line for r in readings}
    said: dict[int, list[Reading]] = {}
    for reading in told:
        if not is_line(reading.entry):
            said.setdefault(reading.line, []).append(reading)
    printed = {r.line for r in readings if is_line(r.entry)}
    edges: dict[int, tuple[int, int]] = {}
    for reading in readings:
        if is_line(reading.entry):
            first, _ = edges.get(reading.group, (reading.line, 0))
            edges[reading.group] = (first, reading.line)
    for first, last in edges.values():
        printed.update(range(first, last + 1))
    of_tests |= printed
    lines, matching = 0, 0.0
    for number, written in enumerate(text.plain.split("\n")):
        line = written[:PIECE].strip()
        if not line:
            continue
        if number in of_tests:
            lines += 1
            matching += 1 if number in printed else _share_of_line(text, number, said[number])
        elif not _is_mark(line):
            lines += 1
    return 100 * matching >= share * lines


def _is_mark(line: str) -> bool:
    """Return whether a line that is not blank is a rule, a fence, a heading or of the form ``KEY: value``."""
    first = line[0]
    if first.isalnum():
        return not first.islower() and is_key(line)
    return is_rule(line) or bool(fence_mark(line)) or is_heading(line) or is_key(line)


def _share_of_line(text: Text, number: int, readings: Sequence[Reading]) -> float:
    """Return the share of a line that its sentences on tests take, from 0 to 1."""
    if text.plain is not text.original:
        return 1.0
    first, last = text.lines.span(number)
    line = text.original[first:last]
    reached = told = 0
    for reading in sorted(readings, key=lambda r: r.start):
        if reading.start - first >= reached:
            left, reached = sentence_of(line, reading.start - first, reading.end - first)
            told += len(line[left:reached].strip())
    return min(1.0, told / max(1, len(line.strip())))


def lines_match(text: Text, written: Sequence[str], share: float, name: str) -> Only:
    """
    Return whether at least `share` percent of the lines that are not blank match one of the patterns.

    A text without such lines is not a test output. `name` is the fact's, for an unknown.
    """
    import re2

    patterns = Patterns(written)
    lines = matching = 0
    try:
        for pattern in written:
            re2.compile(pattern)
        for number in range(len(text.plain_lines.starts)):
            start, end = text.plain_lines.span(number)
            line = text.plain[start : min(end, start + PIECE)].rstrip()
            if line:
                lines += 1
                matching += bool(patterns.which(line))
    except re2.error:
        return Only(Unknown("RE2 rejects one of the patterns of test output", name))
    return Only(matching > 0 and 100 * matching >= share * lines)


# Where the patterns of a lexicon match, before any guard is asked: guards cost more than patterns.

#: So many matches are judged by guards in one text.
JUDGED_LIMIT = 500


def matches(text: Text, lexicon: Lexicon) -> Iterator[tuple[int, Match, Entry]]:
    """Yield line number, match and entry of every match, line by line, at most `MATCH_LIMIT`."""
    patterns, refusals = lexicon.patterns, lexicon.refusals
    if patterns is None or refusals is None:
        return
    entries = lexicon.patterned()
    budget = MATCH_LIMIT
    likely = candidates(text, patterns)
    for number in likely.numbers():
        start, end = text.lines.span(number)
        for at in range(start, end, PIECE):
            piece = text.original[at : min(end, at + PIECE)]
            for index in likely.which(number, piece):
                refused = entries[index].unless and refusals.occurs(index, piece)
                for first, last in patterns.spans(index, piece):
                    budget -= 1
                    if budget < 0:
                        return
                    if refused:
                        left, right = sentence_of(piece, first, last)
                        if refusals.occurs(index, piece[left:right]):
                            continue
                    yield number, Match(entries[index].id, at + first, at + last), entries[index]


def judged(text: Text, lexicon: Lexicon, match: Match, entry: Entry, task: Task | None) -> Hit:
    """Return the match with the guard that refuses it, if any."""
    return Hit(entry, match, lexicon.guards.refusing(entry.guards, text, match, task))
