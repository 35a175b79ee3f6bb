"""
Signs that the way to completion was made shorter: what was done to tests, checks, hooks and exitgate's
files.

Each fact speaks of the whole run. A change of a file counts no matter how often it was committed since, and
one that was undone does not; commands and changes of exitgate's own files count even then. A run begins
with `exitgate new-run`, or with a check before the agent's first turn. Where neither was, as with a hook at
the end of a turn, the first check compares with HEAD: all that is not committed counts. No fact says who
changed a file, or why: a skip that is right counts as well.

Protected files are looked for on disk, in every folder in which git lists a file, whether git ignores them
or is made not to look at them. Files that the commands of probes name are protected, too. Without git,
protected files that were there when the run began are compared, and new ones found in the upper 2,000
folders; lines are not compared.

Not seen are

- what was committed before the first check of a run without such a beginning, and its plan until then;
- marks in files that git ignores or that are under `ignore` of the git facts; protected files in folders in
  which git ignores everything, as in those of installed packages, and within another repository below this
  one; files that a command names and that git ignores, as the command may write them;
- marks in prose (`except`), in binary files, and behind the first 2,000 characters of a line; tests that
  were emptied or made weaker; tests that were deleted or renamed in files that are not protected;
- a mark that is taken from one test and put on another in the same words: the line has moved;
- commands in scripts that the agent wrote, in aliases, behind `env`, `xargs` or `timeout`, of sub-agents,
  and those that a line makes up only when it runs (`$(...)`, variables);
- changes of the ledger by programs: `exitgate ledger verify` finds those.

An item of the plan that is ticked and removed within one iteration counts as gone: no check saw it done. A
mark counts where a line of a text in quotes begins with it, as only lines are looked at. A file under a
filter of git (LFS) counts as changed once it was touched.
"""

from __future__ import annotations

from exitgate.core.facts.file_patterns import FilePatterns
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.plans.gone import DONE, gone, seen_done
from exitgate.core.facts.plans.items import STATES
from exitgate.core.facts.turn.own_writes import counts_before, signs
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.json_object import array_of, object_of
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.facts.lexicons.lexicon import Entry, Lexicon
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "tampering"
SOURCE = "tampering"
#: Nothing is looked at unless a policy names a fact of it.
ONLY_IF_NAMED = True
#: Files in which words are prose, or that programs write.
EXCEPT = (
    "*.md", "*.markdown", "*.mdx", "*.rst", "*.adoc", "*.txt", "*.lock", "*-lock.json", "*-lock.yaml",
    "*.sum", "*.svg", "*.csv", "*.tsv", "*.map", "*.min.js", "*.min.css",
)  # fmt: skip
OPTIONS: dict[str, object] = {
    "protected": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": [],
        "description": "Files that the agent has no reason to change. A name (`conftest.py`) or, with "
        "a trailing `/`, a folder (`tests/`) anywhere; with a `/` inside, a path from the root of the "
        "working tree. `*` matches any characters.",
        "examples": [["conftest.py", "Makefile", ".github/", "tests/store/*.py"]],
    },
    "except": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": list(EXCEPT),
        "description": "Files in which marks do not count, in the same form. The list replaces the default.",
        "examples": [["*.md", "docs/"]],
    },
    "task_sections": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": [],
        "description": "Headings whose items of the plan count, as for `checklist`; empty for all.",
    },
    "plan_marks": {
        "type": "object",
        "propertyNames": {"minLength": 1, "maxLength": 2},
        "additionalProperties": {"enum": list(STATES)},
        "default": {},
        "description": "State of other marks in the boxes of the plan, as `marks` of `checklist`.",
    },
    "lexicon": {
        "type": "string",
        "default": "tampering",
        "description": "Name or path of the lexicon of marks in code and of commands.",
        "examples": ["tampering"],
    },
}

#: What a fact is where its extraction fails: nothing was compared then.
ON_FAULT: dict[str, object] = {"compared": False}
#: Characters of the longest `report`, and names of one kind in it.
REPORT_LENGTH, REPORT_NAMES = 500, 5
#: Items of a list, at most: all of them or none, as a part would mislead.
LISTED = 500
#: Lines that patterns are asked about at once.
TOGETHER = 24
#: Kinds of lexicon entries -> the fact that counts lines with their marks.
MARKS = {"tests": "marks", "checks": "silenced"}

_NO_FILES = "if git does not say what changed since the run began, or it was not recorded how that was"
_NO_LINES = f"{_NO_FILES}; if lines of a changed file cannot be known. What was found is then the least"
_NO_CALLS = (
    "if single calls of an iteration are not known, or a command line has more than 64,000 characters. What "
    "was found is then the least"
)


def _spec(name: str, type: Type, doc: str, unknown_when: str) -> FactSpec:
    return FactSpec(name, type, doc, unknown_when, low=0 if type is COUNT else None, read=False)


_TEXTS = Type("list", item=TEXT)
_MANY = f"or if they are more than {LISTED}"
_SPECS = (
    _spec("protected", COUNT, "Protected files that were changed, deleted or added.", _NO_FILES),
    _spec("protected_deleted", COUNT, "Those of them that were deleted.", _NO_FILES),
    _spec(
        "protected_paths", _TEXTS, "Their paths from the root of the working tree.", f"{_NO_FILES}, {_MANY}"
    ),
    _spec(
        "marks",
        COUNT,
        "Lines that were added and that switch tests off, or let their failures pass.",
        _NO_LINES,
    ),
    _spec(
        "silenced",
        COUNT,
        "Lines that were added and that silence linters, type checkers or coverage.",
        _NO_LINES,
    ),
    _spec("marked", _TEXTS, "Where the lines of `marks` are: `path:line`.", f"{_NO_LINES}, {_MANY}"),
    _spec(
        "items_gone",
        COUNT,
        "Items of the plan that were open when the run began, and are gone without having been done.",
        "if the plan is not known, or was not when the run began; if either has more than 64,000 characters",
    ),
    _spec(
        "no_verify",
        COUNT,
        "Commands of the agent that bypass git's hooks or remove them, refused ones included.",
        _NO_CALLS,
    ),
    _spec(
        "gate_commands",
        COUNT,
        "Commands of the agent that begin or end runs of exitgate, move its breaker, or give consent.",
        _NO_CALLS,
    ),
    _spec(
        "own_writes",
        COUNT,
        "Files of exitgate (policy, settings, state directory) that the agent's calls wrote or removed.",
        _NO_CALLS,
    ),
    _spec(
        "own_files",
        COUNT,
        "Files of exitgate (policy, settings) that a check found to differ from what they were.",
        "if the start of the run was not recorded",
    ),
    _spec(
        "policy_changed",
        BOOL,
        "What decides, settings included, is not what it was when the run began.",
        "if the start of the run was not recorded",
    ),
    _spec(
        "compared",
        BOOL,
        "Whether it can be said which protected files changed, and which lines were added unless that could "
        "not be known from the start.",
        "in a recording, which has no files to compare",
    ),
    _spec("uncompared", TEXT, "Why it cannot be said; for messages.", "if it can, or in a recording"),
    _spec("report", TEXT, "What was found, on one line; for messages.", "in a recording"),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the signs in the source's record and in the agent's calls.

    The record is that of `exitgate.core.observe.tampering`: `changed`, pairs of a path and how it changed,
    `added`, lines as path, number and text, `more` where there were more of those, `unread`, path -> why its
    lines are not known, or the `reason` why none of it is; `own`, paths of exitgate's own files that changed,
    `policy_changed`, `named`, paths that commands of probes name, `uncompared`, why it cannot be said what
    changed or the empty text, `unrecorded` where HEAD is what is compared with, and what
    `exitgate.core.facts.plans.gone` and `exitgate.core.facts.turn.own_writes` read.
    """
    given = iteration.source(source)
    record = given.record if given.record is not None else object_of({"reason": given.reason})
    lexicon = _ready(options)
    found = [
        *_protected(record, options),
        *_marks(record, options, lexicon),
        gone(prefix, record, options),
        *signs(prefix, record, lexicon, iteration),
        _policy(record),
        *_compared(record),
    ]
    found.append(_report(record, {fact.name: fact for fact in found}))
    return tuple(
        Fact(name, _named(one.value, name), one.evidence, note=one.note)
        for one in found
        for name in (f"{prefix}.{one.name}",)
    )


def kept(
    prefix: str, source: str, options: JsonObject, facts: Mapping[str, Fact], iteration: Iteration
) -> dict[str, object]:
    """Return what a run keeps so that its later facts behind a prefix count on; the rest as for `extract`."""
    record = iteration.source(source).record
    done = seen_done(prefix, record, options) if record is not None else []
    return {**counts_before(prefix, facts), **({DONE: done} if done else {})}


def _named(value: object, name: str) -> object:
    return Unknown(value.reason, name, value.least, value.most) if isinstance(value, Unknown) else value


def _protected(record: JsonObject, options: JsonObject) -> Iterator[Fact]:
    reason = _reason(record, "changed")
    if reason:
        for name in ("protected", "protected_deleted", "protected_paths"):
            yield Fact(name, Unknown(reason))
        return
    meant = FilePatterns((), options.texts("protected"))
    listed = [array_of(pair) for pair in record.array("changed")]
    pairs = [(str(pair[0]), str(pair[1])) for pair in listed if len(pair) == 2]
    named = {*record.texts("named")}  # by commands; what was not there before may be what they wrote
    pairs = [(path, how) for path, how in pairs if meant(path) or (path in named and how != "added")]
    deleted = [pair for pair in pairs if pair[1] == "deleted"]
    note = _since(record)
    yield Fact("protected", len(pairs), _files(pairs), note=note)
    yield Fact("protected_deleted", len(deleted), _files(deleted), note=note)
    paths = tuple(sorted(path for path, _ in pairs))
    few = len(paths) <= LISTED
    yield Fact(
        "protected_paths", paths if few else Unknown(f"{len(paths)} protected files: too many to list")
    )


def _since(record: JsonObject) -> str:
    if record.flag("unrecorded"):
        return _SINCE_COMMIT
    number = record.whole("since", 0)
    return f"since iteration {number}, the first check of the run" if number > 0 else ""


_NOTHING = "nothing is compared before the first turn"
_SINCE_COMMIT = "since the last commit, as it was not recorded how the run began"


def _compared(record: JsonObject) -> Iterator[Fact]:
    why = record.text("uncompared")
    if why is None:
        reason = record.text("reason", "") or _NOTHING
        yield Fact("compared", Unknown(reason))
        yield Fact("uncompared", Unknown(reason))
        return
    yield Fact("compared", not why)
    yield Fact("uncompared", why or Unknown("it was compared"))


def _report(record: JsonObject, found: Mapping[str, Fact]) -> Fact:
    """Return what the other facts found as a text."""
    if "uncompared" not in record:
        return Fact(
            "report", Unknown(record.text("reason", "") or "nothing is compared before the first turn")
        )
    files = [f"{one.excerpt} ({one.note})" for one in found["protected"].evidence]
    marks = [one.excerpt.partition(": ")[0] for one in found["marks"].evidence]
    own = {one.excerpt: None for name in ("own_writes", "own_files") for one in found[name].evidence}
    root = f"{record.text('root', '')}/"
    parts = [
        ("protected files", _listed(files)),
        ("tests switched off", _listed(marks)),
        ("tasks gone from the plan", _least(found["items_gone"])),
        ("commands past git's hooks", _least(found["no_verify"])),
        ("commands to exitgate", _least(found["gate_commands"])),
        ("exitgate's own files", _listed([path.removeprefix(root) for path in own])),
    ]
    said = "; ".join(f"{what}: {value}" for what, value in parts if value)
    since = f", {_SINCE_COMMIT}" if said and record.flag("unrecorded") else ""
    return Fact("report", f"{said[:REPORT_LENGTH] or 'nothing in files, commands and tasks'}{since}")


def _least(fact: Fact) -> str:
    """Return a count, or the least that it is; empty for none."""
    value = fact.value
    if isinstance(value, Unknown):
        return f"at least {value.least}" if isinstance(value.least, int) and value.least > 0 else ""
    return str(value) if value else ""


def _listed(names: Sequence[str]) -> str:
    more = len(names) - REPORT_NAMES
    return ", ".join(names[:REPORT_NAMES]) + (f" and {more} more" if more > 0 else "")


def _reason(record: JsonObject, field: str) -> str:
    """Return why a field of the record is not known, the empty text where it is."""
    return (
        ""
        if field in record
        else record.text("reason", "") or "it is not known what changed since the run began"
    )


def _files(pairs: Iterable[tuple[str, str]]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(SOURCE, number, 1, 0, len(path), path[:EXCERPT_LIMIT], how)
        for number, (path, how) in enumerate(sorted(pairs), 1)
    )


# Marks in lines that were added.


def _marks(record: JsonObject, options: JsonObject, lexicon: Lexicon) -> Iterator[Fact]:
    reason = _reason(record, "added")
    if reason:
        for name in (*MARKS.values(), "marked"):
            yield Fact(name, Unknown(reason))
        return
    passed = FilePatterns((), options.texts("except") if "except" in options else EXCEPT)
    listed = [array_of(row) for row in record.array("added")]
    rows = [(str(row[0]), row[1], str(row[2])) for row in listed if len(row) == 3]
    wanted = [row for row in rows if not passed(row[0])]
    found: dict[str, list[tuple[str, object, str, str]]] = {kind: [] for kind in MARKS}
    for path, at, line, entry in _marked(wanted, lexicon):
        kind = entry.options.text("kind", "")
        if kind in found and (not found[kind] or found[kind][-1][:2] != (path, at)):
            found[kind].append((path, at, line, entry.id))
    unread = [f"`{path}`: {why}" for path, why in record.object("unread").items() if not passed(path)]
    why = f"not all lines are known: {unread[0]}" if unread else ""
    if record.flag("more"):
        why = f"more than {len(rows)} lines were added"
    for kind, name in MARKS.items():
        count = len(found[kind])
        value = Unknown(why, "", count, float("inf")) if why else count
        yield Fact(name, value, tuple(_line(*row) for row in found[kind]), note=_since(record))
    places = tuple(f"{path}:{at}" for path, at, _, _ in found["tests"])
    if len(places) > LISTED:
        why = f"{len(places)} lines: too many to list"
    yield Fact("marked", Unknown(why) if why else places)


def _line(path: str, at: object, line: str, id: str) -> Evidence:
    shown = f"{path}:{at}: {line.strip()}"[:EXCERPT_LIMIT]
    number = at if isinstance(at, int) else 1
    return Evidence(SOURCE, number, 1, 0, len(shown), shown, id)


def _marked(
    rows: Sequence[tuple[str, object, str]], lexicon: Lexicon
) -> Iterator[tuple[str, object, str, Entry]]:
    """Yield the lines with a mark, with each entry that they hold a mark of."""
    patterns, refusals = lexicon.patterns, lexicon.refusals
    if patterns is None or refusals is None:
        return
    entries = lexicon.patterned()
    for start in range(0, len(rows), TOGETHER):
        some = rows[start : start + TOGETHER]
        if not patterns.which("\n".join(line for _, _, line in some)):
            continue
        for path, at, line in some:
            for index in patterns.which(line):
                if not refusals.occurs(index, line):
                    yield path, at, line, entries[index]


def _policy(record: JsonObject) -> Fact:
    changed = record.flag("policy_changed")
    value = (
        Unknown(record.text("reason", "") or "it is not known what decided before")
        if changed is None
        else changed
    )
    return Fact("policy_changed", value)


@lexicons.kept
def _ready(options: JsonObject) -> Lexicon:
    return lexicons.ready(options.object("lexicon"))
