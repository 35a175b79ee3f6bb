"""The recurring faults of our English: a table, and the prose of pages, policies and programs to search."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[2]


class Fault(NamedTuple):
    """
    A fault that recurs.

    Attributes:
        pattern: What it looks like.
        write: What to write instead.
        wrong: A sentence that has it.
        right: Sentences that look alike and are good English.
        pages_only: Only running text is searched: in cells, headings and docstrings it is a definition.
        words: One of them is in every text that has the fault, so most texts need no search.
    """

    pattern: re.Pattern[str]
    write: str
    wrong: str
    right: tuple[str, ...] = ()
    pages_only: bool = False
    words: frozenset[str] = frozenset()


class Passage(NamedTuple):
    """A paragraph, cell, heading or literal: its text in one line, with the line each part begins at."""

    text: str
    starts: tuple[tuple[int, int], ...]
    running: bool

    def line(self, offset: int) -> int:
        """Return the line of the file that an offset of the text is in."""
        return self.starts[bisect.bisect_right([at for at, _ in self.starts], offset) - 1][1]


#: A sentence begins here.
_BEGIN = r"(?:^|(?<=[.:;!?)] ))"


def _fault(
    words: str, pattern: str, write: str, wrong: str, right: tuple[str, ...] = (), pages_only: bool = False
) -> Fault:
    return Fault(re.compile(pattern), write, wrong, right, pages_only, frozenset(words.split()))


FAULTS = (
    _fault(
        "told Told",
        r"\b[Tt]old\b(?!:| (?:apart|to|the|a|an|you|it|them|us|me|him|her|its|their|your|otherwise)\b)"
        r"(?<!agent was told)(?<!agent is told)",
        "reported, shown, said, known by, notified",
        "A damaged line is told.",
        ("The user told the agent to stop.", "Formats are told apart by content.", "Unless told otherwise."),
    ),
    _fault(
        "tells",
        r"\btells (?:what|how|why|where|which|whether|when|of|nothing)\b"
        r"|\btells (?:an? |the )?\w+(?: \w+)? from\b",
        "says, shows, explains; distinguishes … from",
        "The exit code tells a finished job from a stuck one.",
        ("It tells the agent why.", "A log cannot tell a finished run from one that stopped."),
    ),
    _fault(
        "running",
        r"\b(?:[Tt]imes|[Ii]terations|[Rr]esponses|[Rr]eplies|[Tt]urns|[Tt]wice|[Dd]ecisions) running\b",
        "in a row: an iteration that is running is one at work",
        "Three iterations running only ran tests.",
        ("Three iterations in a row.", "A loop that is running."),
    ),
    _fault(
        "stand stands Stand Stands stood standing",
        r"(?<!-)\b(?:[Ss]tands?|stood|standing)\b(?![-:]| (?:for|in for|out|still|by|up|alone|down|guard)\b)"
        r"(?<!as it stands)(?<!work stands)(?<!things stand)(?<!run stands)",
        "is, are, is listed, is written",
        "Every decision stands in the ledger.",
        (
            "`-` stands for nothing.",
            "The file works as it stands.",
            "A stand-in.",
            "long-standing",
            "standing: A run.",
        ),
    ),
    _fault(
        "no",
        r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer|more|less|fewer|later|earlier|better|worse|other"
        r"|different|such|one\b|bigger|larger|greater|smaller|slower|faster|need\b|doubt\b)[\w§]+",
        "is not a(n) …, are not …",
        "`5` is no amount.",
        ("There is no plan.", "It is no longer open.", "It is no more than 5.", "The answer is no."),
    ),
    _fault(
        "none", r"\b(?:it|that|this|which) (?:is|was) none\b", "is not one", "Where it calculates it is none."
    ),
    _fault(
        "mend mends mended mending mender Mend Mends Mended Mending",
        r"\b[Mm]end(?:s|ed|ing|er)?\b",
        "fix, fixed",
        "How it was mended.",
        ("A recommended fix.",),
    ),
    _fault(
        "whoever whosoever Whoever Whosoever",
        r"\b[Ww]ho(?:so)?ever\b",
        "anyone who, a person who, the user who",
        "Whoever can write can edit.",
    ),
    _fault(
        "nobody Nobody",
        r"\b[Nn]obody\b",
        "the noun that is meant: no user, no person, nothing; or the passive",
        "Nobody watches the loop.",
        ("There is no way to have one.",),
    ),
    _fault(
        "whatever Whatever",
        r"\b[Ww]hatever\b",
        "any …, regardless of …, no matter what",
        "It stops, whatever the plan says.",
    ),
    _fault(
        "Where",
        _BEGIN + r"Where (?!to\b)[^.?|:]*?, [^.?]*(?:\.(?:$| )|$)",
        "If …, or When …",
        "Where there is no plan, the run ends.",
        (
            "**Where it stops**: iteration, rule.",
            "Where is the plan?",
            "Where to read on",
            "It is where the plan is.",
        ),
        pages_only=True,
    ),
    _fault(
        "where",
        r"\b(?:only|even|except) where (?:there|nothing|it|this|that|none|not)\b"
        r"|(?:[,;]|\band|\bbut|\bor) where (?:there (?:is|are|was|were)|nothing|none)\b",
        "if, when",
        "It is empty, and where there is a plan, full.",
        ("The folder where it is.", "say what is missing and where"),
    ),
    _fault(
        "What",
        r"(?:^|(?<=[.!?)] ))What (?!to\b)"
        r"(?:(?!follows\b|matters\b|if\b|is\b|are\b|was\b|were\b)|(?=[^.?!:]*\w+ "
        r"(?:is|are|has|have|adds|counts|ends|lies|makes|needs|says|stands|stays|waits)\b))"
        r"[^.?!:]*\.(?:$| )",
        "a noun as the subject: Text that …, A line that …, Everything that …",
        "What stands behind the dashes is the agent.",
        ("What is it?", "What to do next.", "What is left to do.", "What it does:", "It says what it does."),
        pages_only=True,
    ),
    _fault("none", r"\bnone too\b", "never too …", "It stops none too early."),
    _fault(
        "goes",
        r"\bgoes on\b(?! (?:the|a|an|top|line|standard|its|each|one)\b)",
        "continues",
        "The loop goes on.",
        ("It goes on the next line.", "what is going on"),
    ),
    _fault(
        "word",
        r"\bwithout a word\b(?! (?:about|on|of)\b)",
        "silently, without a message",
        "It is lost without a word.",
    ),
    _fault(
        "dear dearer dearest",
        r"\b(?:dearer|dearest|how dear|(?:is|are|too) dear)\b",
        "expensive, costs more",
        "z3 is dearer.",
    ),
    _fault("one", r"\bone's own\b", "your own, their own", "rules of one's own"),
    _fault(
        "witness witnesses Witness Witnesses",
        r"(?<!-)\b[Ww]itness(?:es)?\b",
        "evidence",
        "Words need a witness.",
        ("tests.witness_count",),
    ),
    _fault(
        "against",
        r"\b(?:held|holds?|holding) (?:[^.,;:]{1,40} )?against (?!the user|it\b)",
        "compare with, score against",
        "Facts are held against each other.",
    ),
    _fault(
        "lies lay lie",
        r"\b(?:lies|lay) (?:in|beside|under|on|at|within|where|next|behind|below|outside|elsewhere)\b"
        r"|\blie (?:in|beside|on|under|at|within|outside|behind)\b",
        "is (in, beside, under …)",
        "The file lies beside the code.",
        ("The truth lies between the two.",),
    ),
    _fault(
        "there",
        r"(?<!of )\b(?:[Ee]very|[Aa]ny|[Ee]ach|[Aa]ll) (?:\w+ ){1,4}there (?:is|are)\b",
        "every possible …, all …",
        "It looks at every input there is.",
    ),
    _fault(
        "thing things",
        r"\b(?:a|[Aa]ny|[Ee]very|[Ee]ach|[Oo]ne|A) things? that\b",
        "the noun that is meant",
        "A thing that runs is refused.",
        ("the first thing that fits",),
    ),
    _fault("place", r"\bin the place of\b", "instead of", "It stands in the place of the script."),
    _fault(
        "there", r"\bas there(?=[,.;:)])", "as in the original, as it does", "It reads the file, as there."
    ),
    _fault(
        "be",
        r"\b(?:is|are|was|were) to be (?:\w+ed|done|made|seen|read|told|found|given|kept|put)\b",
        "must be, should be, can be",
        "Nothing is to be seen.",
        ("It has to be moved.",),
    ),
    _fault(
        "there",
        r"\b(?:is|are|was|were) not there\b",
        "does not exist, is missing",
        "A policy that is not there.",
    ),
    _fault("be", r"\b(?:[Cc]omes?|came|[Cc]oming) to be\b", "becomes, is", "The folder comes to be tracked."),
    _fault(
        "Is Are Was Were Has Does Comes",
        _BEGIN
        + r"(?:Is|Are|Was|Were|Has|Does|Comes) (?:the|a|an|it|this|that|no|there|§)[^.?!]*, [^.?!]*(?:\.|$)",
        "If …",
        "Is the plan missing, the run ends.",
        ("Is the plan missing?", "It is open, and has no plan."),
    ),
    _fault("up", r"\b[Tt]ake up what\b", "choose one", "Take up what fits."),
)


_FENCE = re.compile(r"^([ >]*)(```+|~~~+).*?^[ >]*\2[^\n]*$", re.S | re.M)
_CODE = re.compile(r"(``+).+?\1|`[^`]+`", re.S)
_QUOTED = re.compile(r'"[^"\n]*(?:\n[^"\n]+){0,2}?"|“[^”]*”|«[^»]*»')
_TARGET = re.compile(r"\]\([^)\s]*\)")
_HTML = re.compile(r"<!--.*?-->|</?[a-z][^>]*>", re.S)
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+]|\d+[.)]|#+|>)\s+")
_RULE = re.compile(r"[|:\s-]*$")


def _blank(text: str, pattern: re.Pattern[str], put: str) -> str:
    """Replace what a pattern finds, lines kept."""
    return pattern.sub(lambda hit: put + "\n" * hit.group().count("\n"), text)


def _plain(text: str) -> str:
    """Return running text without code and quotations: they are not ours to word."""
    for pattern, put in ((_CODE, "§"), (_TARGET, "]"), (_HTML, ""), (_QUOTED, "§")):
        text = _blank(text, pattern, put)
    return re.sub(r"(?<!\*)\*(?!\*)|\\|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)", "", text)


def _joined(lines: Iterable[tuple[int, str]], running: bool = True) -> Iterator[Passage]:
    text, starts = "", []
    for number, line in lines:
        starts.append((len(text), number))
        text += " ".join(line.split()) + " "
    if text.strip():
        yield Passage(text.rstrip(), tuple(starts), running)


def markdown(source: str) -> Iterator[Passage]:
    """Yield the paragraphs, list items, headings and cells of a page; code and quotations are left out."""
    front = re.compile(r"\A---\n.*?^---$", re.S | re.M)
    text = _plain(_blank(_blank(source, front, ""), _FENCE, ""))
    waiting: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        item = _ITEM.match(line)
        if stripped.startswith("|") or item or not stripped:
            yield from _joined(waiting)
            waiting = []
        if stripped.startswith("|"):
            for cell in stripped.strip("|").split("|") if not _RULE.match(stripped) else ():
                yield from _joined([(number, cell)], running=False)
        elif stripped.startswith("#"):
            yield from _joined([(number, stripped.lstrip("# "))], running=False)
        elif stripped:
            waiting.append((number, line[item.end() :] if item else line))
    yield from _joined(waiting)


_LINT = re.compile(r"lint: off(?:-file)? [\w-]+:?")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Keys of policies, lexicons and tests whose values are for people.
SAID = {"name", "title", "meaning", "doc", "description", "because", "advice", "escalation", "why", "note"}
SAID |= {"help", "message", "summary"}


def document(source: str) -> Iterator[Passage]:
    """Yield the texts for people in a YAML file, and its comments."""
    pending: list[yaml.Node] = [node for node in yaml.compose_all(source, _LOADER) if node]
    while pending:
        node = pending.pop()
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if getattr(key, "value", None) in SAID and isinstance(value, yaml.ScalarNode):
                    first = value.start_mark.line + (2 if value.style in ("|", ">") else 1)
                    lines = _plain(value.value).split("\n")
                    running = value.style in ("|", ">")
                    yield from _joined(((first + place, line) for place, line in enumerate(lines)), running)
                pending.append(value)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("# "):
            yield from _joined([(number, _plain(_LINT.sub("", line.lstrip()[2:])))], running=False)


#: A comment, or a literal: its prefix, quotes and text. Far faster than a syntax tree.
_LITERAL = re.compile(
    r"#[^\n]*|(?<![\w.])(?P<prefix>[rbfRBF]{0,2})(?P<quote>\"\"\"|'''|[\"'])(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
    re.S,
)
#: What is between two literals that are one text.
_BETWEEN = re.compile(r"[\s\\]*")
_OF_PATTERNS = re.compile(r"\bre2?\.\w+\(\s*$")
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_SENTENCE = re.compile(r"[a-z]{2} \S")


def _literals(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each literal but patterns and bytes; fields of a format are `§`."""
    at, line, end, text = 0, 1, -1, ""
    for hit in _LITERAL.finditer(source):
        prefix = (hit["prefix"] or "").lower()
        if hit["quote"] is None or "r" in prefix or "b" in prefix:
            continue
        part = hit["text"].replace("\\\n", "\n").replace("\\n", " ").replace('\\"', '"')
        part = _FIELD.sub("§", part) if "f" in prefix else part
        start = hit.start()
        if text and _BETWEEN.fullmatch(source, end, start):
            text += "\n" * source.count("\n", end, start) + part
        else:
            if text:
                yield line, text
            line += source.count("\n", at, start)
            at, text = start, "" if _OF_PATTERNS.search(source, max(0, start - 40), start) else part
        end = hit.end()
    if text:
        yield line, text


def program(source: str) -> Iterator[Passage]:
    """Yield the literals and docstrings of a Python file that are sentences or parts of one."""
    for line, text in _literals(source):
        if _SENTENCE.search(text):
            lines = _plain(text).split("\n")
            yield from _joined(((line + place, part) for place, part in enumerate(lines)), running=False)


#: Pages made of the definitions in the program and its schemas.
DEFINITIONS = "docs/reference/"
READ = {".md": markdown, ".yaml": document, ".yml": document, ".py": program}


def faults(name: str, source: str) -> Iterator[str]:
    """Yield `file:line: the fault: what to write instead` for each fault in a file's prose."""
    running = not name.startswith(DEFINITIONS)
    for passage in READ[Path(name).suffix](source):
        words = set(re.findall(r"\w+", passage.text))
        for fault in FAULTS:
            if (fault.pages_only and not (passage.running and running)) or words.isdisjoint(fault.words):
                continue
            for hit in fault.pattern.finditer(passage.text):
                shown = hit.group() if len(hit.group()) < 70 else hit.group()[:67] + "…"
                yield f"{name}:{passage.line(hit.start())}: “{shown}”: write {fault.write}"
