"""What a text says was done: files changed and errors fixed, by the entries of a lexicon."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts.runner_hits import JUDGED_LIMIT, judged, matches
from exitgate.facts.runner_lines import whole
from exitgate.facts.scan import MATCH_LIMIT
from exitgate.facts.scan_patterns import PIECE
from exitgate.facts.structural import EMPHASIS, list_mark
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.facts.lexicon import Lexicon
    from exitgate.facts.scan import Text
    from exitgate.facts.scan_lexicon import Hit
    from exitgate.facts.scan_task import Task

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


def words(resolved: Mapping[str, object]) -> Words:
    """Return the entries on work of a resolved lexicon, ready for searching."""
    entries = [e for e in lexicons.listed(resolved.get("entries")) if isinstance(e, dict)]
    guards = resolved.get("guards", {})
    return Words(
        lexicons.ready({"entries": [e for e in entries if e.get("reports") in ROLES], "guards": guards}),
        lexicons.ready({"entries": [e for e in entries if e.get("reports") == FILE], "guards": guards}),
    )


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
