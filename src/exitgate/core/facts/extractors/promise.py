"""`promise`: a phrase that the agent says in a tag when it is through, ``<promise>COMPLETE</promise>``."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.guards.catalogue import GuardWords
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.status import reading
from exitgate.core.facts.status.reading import Examples, commented, guard_of, last_message
from exitgate.core.facts.text import structure, words
from exitgate.core.facts.text.blocks import CODE, PATCH, QUOTATION
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, Text, evidence, ready
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, Type, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.facts.guards.catalogue import GuardWords
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "promise"
SOURCE = "output"

OPTIONS: dict[str, object] = {
    "text": {
        "description": "The content of the tag, or several phrases that count. White space in it "
        "makes no difference. A single word that is not an ordinary word (`LOOP_COMPLETE`) also counts "
        "without the tag, as the last line, if there is no tag.",
        "anyOf": [
            {"type": "string", "minLength": 1},
            {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        ],
        "default": "COMPLETE",
        "examples": ["COMPLETE", ["ALL TESTS PASS", "NOTHING LEFT"]],
    },
    "tag": {
        "description": "Name of the tag.",
        "type": "string",
        "pattern": "^[A-Za-z][A-Za-z0-9_-]*$",
        "default": "promise",
        "examples": ["promise"],
    },
    "case": {
        "description": "`any`: case makes no difference. `exact`: it does.",
        "enum": ["any", "exact"],
        "default": "any",
        "examples": ["exact"],
    },
    "alone": {
        "description": "Whether the tag must be on its own line. `false` also accepts a tag at the "
        "end of a line after a whole sentence.",
        "type": "boolean",
        "default": True,
        "examples": [False],
    },
    "scope": {
        "description": "What the agent promises with it: that the current `task` is done, or the whole "
        "`run`. It becomes the fact `scope`; a rule that ends the run tests `scope is RUN`.",
        "enum": ["task", "run"],
        "default": "run",
        "examples": ["task"],
    },
    "apply": {
        "description": "Guards that make a tag on its own line a mere mention. `fenced`: code or a "
        "patch. `quoted`: a quotation. `echoed`: copied from the task with the line above it. `negated`: "
        "negated. `hypothetical`, `continued`: introduced as something that will be said.",
        "type": "array",
        "items": {"enum": ["fenced", "quoted", "echoed", "negated", "hypothetical", "continued"]},
        "default": ["fenced", "quoted", "echoed", "negated", "hypothetical", "continued"],
        "examples": [["fenced", "quoted"]],
    },
    "lexicon": {
        "description": "Words that introduce an example (`illustrations`), and the guards' own.",
        "type": "string",
        "default": "illustrations",
        "examples": ["illustrations"],
    },
}

_SPECS = (
    FactSpec("emitted", BOOL, "Whether the promise is given: the last tag on its own line contains it."),
    FactSpec("count", COUNT, "How often it is given.", low=0),
    FactSpec("mentioned", BOOL, "Whether a tag was seen that does not count."),
    FactSpec(
        "scope", Type("enum", ("TASK", "RUN")), "What it applies to, according to the policy.", read=False
    ),
)
#: The guard of a tag that holds something else.
OTHER = "other text"


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; all are known on a readable source, `scope` always."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return whether the promise is given in `source`, and what looks like it."""
    wanted = _wanted(options)
    scope = Fact(f"{prefix}.scope", "TASK" if options.get("scope") == "task" else "RUN")
    given = iteration.source(source)
    if given.text is None:
        names = [f"{prefix}.{spec.name}" for spec in _SPECS[:-1]]
        return (*(Fact(name, Unknown(given.reason, name)) for name in names), scope)
    text = ready(given.text)
    fences = Fences(text)
    every = list(tags_in(text, wanted.tag))
    tags = every[-TAG_LIMIT:]
    task = iteration.source("task").text if tags else None
    leads = led_in(ready(task), wanted.tag) if task else frozenset()
    if not tags and (bare := bare_line(text, wanted.bare)) is not None:
        tags = every = [bare]
    border = last_message(iteration, source, wanted.wordings) if tags else 0
    found = [(tag, wanted.guard(text, tag, leads, fences, border)) for tag in tags]
    alone = [guard for _, guard in found if guard in (None, OTHER)]
    emitted = bool(alone) and alone[-1] is None
    hits = [tag for tag, guard in found if guard is None]
    counting = tuple(evidence(source, text, t.start, t.end, "promise") for t in hits[-EVIDENCE_LIMIT:])
    refused = tuple(
        evidence(source, text, tag.start, tag.end, "promise", guard)
        for tag, guard in [pair for pair in found if pair[1] is not None][-EVIDENCE_LIMIT:]
    )
    note = "" if emitted or not hits else "another promise follows it"
    left = f"only the last {len(tags)} of {len(every)} tags were looked at" if len(tags) < len(every) else ""
    return (
        Fact(f"{prefix}.emitted", emitted, counting, refused, note),
        Fact(f"{prefix}.count", len(hits), counting, refused, left),
        Fact(f"{prefix}.mentioned", bool(refused), (), refused),
        scope,
    )


class _Wanted(Value):
    """The options made ready."""

    __slots__ = ("alone", "bare", "denial", "exact", "guards", "phrases", "tag", "wordings")

    def __init__(self, options: JsonObject) -> None:
        written = [str(p) for p in options.array("text") or (options.get("text", "COMPLETE"),)]
        self.exact = options.get("case") == "exact"
        self.phrases = frozenset(self._form(p) for p in written)
        self.bare = frozenset(p for p in written if is_distinctive(p))
        self.tag = str(options.get("tag") or "promise")
        self.alone = options.flag("alone", True)
        self.guards = lexicons.guard_names(options, "apply")
        self.wordings = reading.examples(options)
        self.denial = GuardWords(options.object("lexicon").object("guards").object("negated"))

    def guard(
        self, text: Text, tag: Tag, leads: frozenset[str], fences: Fences, border: int = 0
    ) -> str | None:
        """
        Return what keeps a tag from counting: a guard, or `OTHER` for other words in it; else None.

        `border` is where the agent's last message begins.
        """
        refused = refusing(text, tag, self.wordings, self.denial, self.alone, fences)
        if refused is None and copied(text, tag, leads):
            refused = "echoed"
        if refused is None and tag.end <= border:
            refused = "continued"
        if refused is not None and (refused == "mentioned" or self.guards is None or refused in self.guards):
            return refused
        return None if self._form(tag.said or "") in self.phrases else OTHER

    def _form(self, said: str) -> str:
        shown = plain(said)
        return shown if self.exact else words.fold(shown)


_wanted = lexicons.kept(_Wanted)


# Promise tags in a text: where they are, what is in them, and what keeps one from being an emission.

#: At most so many of the last tags are looked at: a later one counts more.
TAG_LIMIT = 1_000
#: Characters that a tag may hold, and that are looked at on each side of it.
LONGEST, BESIDE = 2_000, 120
#: A line above that agrees with the task's in fewer words does so by accident.
COPIED_WORDS = 3
#: A negation further from the tag than so many words says something else.
DENIAL = 8


class Tag(Value):
    """A tag at ``start..end`` and the text in it; without a closing tag `said` is None."""

    __slots__ = ("end", "said", "start")

    def __init__(self, start: int, end: int, said: str | None) -> None:
        self.start = start
        self.end = end
        self.said = said


class Fences:
    """
    Which code of a text is in a fence or a comment; code that is only indented, a screen may have made.

    Args:
        text: The text; its lines are looked at once, when the first code is asked about.
    """

    __slots__ = ("_fenced", "_text")

    def __init__(self, text: Text) -> None:
        self._text = text
        self._fenced: list[bool] = []

    def hold(self, offset: int) -> bool:
        """Return whether the code at `offset` is in a fence or a comment."""
        number = self._text.lines.number(offset)
        if self._text.blocks.of_line(number) != CODE:
            return True
        if not self._fenced:
            inside = False
            for line in range(len(self._text.lines.starts)):
                if self._text.blocks.of_line(line) != CODE:
                    inside = False
                elif structure.fence_mark(_bare(self._text, line)):
                    inside = True
                self._fenced.append(inside)
        return self._fenced[number]


def tags_in(text: Text, name: str) -> Iterator[Tag]:
    """Yield the tags `name` of `text` in order."""
    opening, closing = f"<{words.fold(name)}>", f"</{words.fold(name)}>"
    at = text.folded.find(opening)
    while at >= 0:
        inside = at + len(opening)
        following = text.folded.find(opening, inside)
        limit = min(inside + LONGEST, len(text.folded) if following < 0 else following)
        end = text.folded.find(closing, inside, limit)
        if end < 0:
            yield Tag(at, inside, None)
        else:
            yield Tag(at, end + len(closing), text.original[inside:end])
        at = following


def is_distinctive(phrase: str) -> bool:
    """Return whether a promise is one word that is not in ordinary text: parts joined by underscores."""
    joined = [part for part in phrase.split("_") if part.isalnum()]
    return len(joined) > 1 and "_".join(joined) == phrase


def bare_line(text: Text, phrases: frozenset[str]) -> Tag | None:
    """Return the last line of the text, where it is one of `phrases` and nothing else."""
    if not phrases:
        return None
    end = len(text.original.rstrip())
    start = max(text.original.rfind("\n", 0, end), text.original.rfind("\r", max(0, end - LONGEST), end)) + 1
    said = text.original[start:end]
    return Tag(start, end, said) if plain(said[:LONGEST]) in phrases else None


def plain(said: str) -> str:
    """Return the words of a promise, one blank between, without invisible characters and emphasis."""
    shown = "".join(letter for letter in said if letter not in structure.INVISIBLE)
    return " ".join(shown.split()).strip(structure.KEY_MARKS)


def refusing(
    text: Text, tag: Tag, wordings: Examples, denial: GuardWords, alone: bool, fences: Fences
) -> str | None:
    """
    Return the guard that makes a mention of a tag, or None for an emission.

    `mentioned`: it is not closed, or other words are on its line (with `alone` False, what is
    before it may be a whole sentence), or it is in the middle of a sentence that runs over lines.
    `fenced`, `quoted`: code, a patch, a comment; inline code or quotation. `negated`: the line above
    denies it. Others as for status blocks (`status_examples.guard_of`).
    """
    if tag.said is None or not _stands_alone(text, tag, alone):
        return "mentioned"
    kind = text.blocks.kind(tag.start)
    if kind == PATCH or (kind == CODE and fences.hold(tag.start)) or commented(text, tag.start):
        return "fenced"
    if kind == QUOTATION or _in_quotes(text, tag):
        return "quoted"
    above, below = _above(text, tag.start), _below(text, tag.end)
    if above and _denied(above, denial, wordings):
        return "negated"
    if above and below[:1].islower() and above[-1] not in structure.SENTENCE_ENDS + structure.COLONS:
        return "mentioned"
    return guard_of(text, tag.start, tag.end, wordings)


def led_in(text: Text, name: str) -> frozenset[str]:
    """Return the lines above the tags of a task, folded: an agent that repeats them gives no promise."""
    return frozenset(line for line in (_folded_above(text, tag) for tag in tags_in(text, name)) if line)


def copied(text: Text, tag: Tag, leads: frozenset[str]) -> bool:
    """Return whether the line above the tag is one of `leads`."""
    return _folded_above(text, tag) in leads


def _folded_above(text: Text, tag: Tag) -> str:
    line = words.fold(plain(_line_above(text, tag.start)))
    return line if len(line.split()) >= COPIED_WORDS else ""


def _stands_alone(text: Text, tag: Tag, alone: bool) -> bool:
    left, _ = text.lines.span(text.lines.number(tag.start))
    before = text.original[max(left, tag.start - BESIDE) : tag.start]
    _, right = text.lines.span(text.lines.number(tag.end - 1))
    after = text.original[tag.end : min(right, tag.end + BESIDE)]
    if any(map(str.isalnum, after)):
        return False
    if not any(map(str.isalnum, before)):
        return tag.start - left <= BESIDE
    ended = before.rstrip(structure.KEY_MARKS)
    return not alone and ended[-1:] in tuple(structure.SENTENCE_ENDS)


def _bare(text: Text, number: int) -> str:
    """Return a line without its marks of lists and quotations."""
    line = text.plain_lines.line(number).strip(structure.QUOTED_LINE)
    return line[structure.list_mark(line) :]


def _in_quotes(text: Text, tag: Tag) -> bool:
    spans, offset = text.quoted(tag.start)
    at = bisect_right(spans, (tag.start - offset, tag.start - offset)) - 1
    return at >= 0 and spans[at][0] < tag.start - offset < spans[at][1]


def _above(text: Text, start: int) -> str:
    """Return the end of the line right above, or of one further up that ends with a colon."""
    number = text.lines.number(start) - 1
    line = _end_of(text, number)
    if line:
        return line
    far = _line_above(text, start)
    return far if far.rstrip(structure.KEY_MARKS).endswith(tuple(structure.COLONS)) else ""


def _line_above(text: Text, start: int) -> str:
    number = text.lines.number(start)
    for above in range(number - 1, max(-1, number - 1 - len("...")), -1):
        line = _end_of(text, above)
        if line:
            return line
    return ""


def _end_of(text: Text, number: int) -> str:
    if number < 0:
        return ""
    start, end = text.lines.span(number)
    return text.original[max(start, end - 2 * BESIDE) : end].strip(structure.QUOTED_LINE)


def _below(text: Text, end: int) -> str:
    number = text.lines.number(end - 1) + 1
    if number >= len(text.lines.starts):
        return ""
    start, stop = text.lines.span(number)
    return text.original[start : min(stop, start + BESIDE)].strip(structure.QUOTED_LINE)


def _denied(above: str, denial: GuardWords, wordings: Examples) -> bool:
    """Return whether the unfinished sentence above speaks of saying it, and denies that."""
    if above[-1] in structure.SENTENCE_ENDS:
        return False
    folded = words.fold(above)
    row = [folded[a:b] for a, b in words.tokens(folded, 0, len(folded))]
    last = row[-DENIAL:]
    return denial.cues("words").within(last) and wordings.hypothetical.cues("intents").within(last)
