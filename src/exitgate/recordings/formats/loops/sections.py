"""The lines of one iteration in a log: what the agent said, and what the loop says of that."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.recordings.formats.loops.console import agent_text, plain
from exitgate.recordings.formats.loops.headers import (
    KEYS,
    LONGEST,
    Line,
    bare,
    ends_loop,
    is_heading,
    is_ruler,
    line_of,
    pattern,
)

#: Seconds by which a clock may go back before a line with a time counts as quoted.
_BACK = 2.0
#: Characters of a text that may be missing where it was cut at a length: line ends count differently.
_SLACK = 4


class Note:
    """A line of the loop: its number, when it was written, what it says."""

    def __init__(self, number: int, line: Line) -> None:
        self.number = number
        self.at = line.stamp.at if line.stamp is not None else None
        self.line = line
        self.status = status_in(line)
        self.timed_out = timed_out(line)
        self.plan = plan_in(line)
        self.file = file_in(line)
        self.key = marks_key(line)
        self.closed = self.key is not None and is_closed(line)
        self.ends = ends_loop(line)


class Section:
    """
    What the lines between two headers hold.

    `text` is the agent's, None if there is none; `results` what its tools printed, where that can be
    reported; `notes` are the loop's own lines; `truncated` says that the loop cut the text off, `others`
    that text of something else was left out.
    """

    def __init__(self) -> None:
        self.text: str | None = None
        self.results: str | None = None
        self.notes: list[Note] = []
        self.truncated = False
        self.others = False


def section_of(
    lines: Sequence[str],
    first: int,
    kind: str,
    since: float | None,
    headings: frozenset[str] = frozenset(),
) -> Section:
    """
    Return what the lines of an iteration hold.

    Args:
        lines: With their escapes.
        first: Number of the first of them.
        kind: Of the times at the heads of the loop's own lines, or the empty text where they have none.
        since: When the iteration began, or None.
        headings: Words of the headings that a loop without times draws in each iteration.
    """
    body = Section()
    apart = _Apart(body, kind, since, headings)
    for number, raw in enumerate(lines, first):
        for piece in _pieces(raw, kind):
            apart.take(number, piece)
    texts = apart.texts()
    if not kind:
        texts = [_untrailed(texts[0], body, first)] if texts else []
    said, results = agent_text([line for text in texts for line in text])
    if body.truncated:
        said = said.rstrip("\n")
    body.text = said if said.strip() else None
    body.results = results
    return body


def _pieces(raw: str, kind: str) -> tuple[str, ...]:
    """Return a line; two where a line of the loop begins behind text that had no line end."""
    if kind != "iso[" or "[20" not in raw[1:]:
        return (raw,)
    at = raw.find("[20", 1)
    own = line_of(plain(raw[at:]))
    if own.stamp is None or raw[at - 1].isspace() or not plain(raw[:at]).strip():
        return (raw,)
    return raw[:at], raw[at:]


class _Apart:
    """Takes the lines of an iteration one by one."""

    def __init__(self, body: Section, kind: str, since: float | None, headings: frozenset[str]) -> None:
        self._body = body
        self._headings = headings
        self._draws = any(map(names_agent, headings))
        self._kind = kind
        self._since = since
        self._whose = AGENT
        self._named = False
        self._texts: list[list[str]] = [[]]
        self._framed: list[list[str]] = []
        self._frame = False
        self._cut: int | None = None

    def take(self, number: int, raw: str) -> None:
        text = plain(raw)
        opens = frame_in(text)
        if opens is not None:
            self._frame = opens
            if opens:
                self._framed.append([])
            return
        if self._frame:
            self._framed[-1].append(raw)
            return
        if self._kind:
            line = line_of(text)
            if self._is_own(line):
                self._own(number, line)
                return
        elif self._headings and is_heading(line := line_of(text[:LONGEST])) and line.core in self._headings:
            whose = speaker_below(line, files=self._draws)
            if whose is not None:
                self._whose = whose
                return
        if self._whose == AGENT:
            self._texts[-1].append(raw)
        elif text.strip():
            self._body.others = True

    def _is_own(self, line: Line) -> bool:
        if line.stamp is None or line.stamp.kind != self._kind:
            return False
        at = line.stamp.at
        if at is not None and self._since is not None:
            if at < self._since - _BACK:
                return False
            self._since = max(at, self._since)
        return True

    def _own(self, number: int, line: Line) -> None:
        self._shut()
        if is_ruler(line.body):
            return
        output = output_in(line)
        if output is not None and output[0].strip():
            self._whose, self._named = AGENT, True
            self._texts.append([output[0]])
            self._cut = output[1]
            return
        self._body.notes.append(Note(number, line))
        whose = speaker(line) if output is None else AGENT
        if whose == AGENT and not self._named:
            self._texts.clear()  # what was before was printed by the loop
            self._named = True
        self._whose = whose or self._whose
        self._texts.append([])

    def _shut(self) -> None:
        """End a text that the loop cut at a length."""
        if self._cut is not None and self._texts:
            said = "\n".join(self._texts[-1])
            self._body.truncated = self._body.truncated or len(said) >= self._cut - _SLACK
        self._cut = None

    def texts(self) -> list[list[str]]:
        """Return the texts of the agent: in frames where there are some, else all that is not the loop's."""
        self._shut()
        if self._framed:
            return [self._framed[-1]]
        return self._texts if self._kind else [[line for text in self._texts for line in text]]


def _untrailed(lines: list[str], body: Section, first: int) -> list[str]:
    """Return a text without what a loop that writes no times says at its end."""
    apart = [line_of(plain(raw)[:LONGEST]) for raw in lines]
    end, own = without_trailer(apart)
    body.notes += [Note(first + end, line) for line in own]
    return lines[:end]


# What the lines of a loop between two headers say: how the agent's process ended, whose text follows, the
# plan.

#: Whose text follows a line of the loop: the agent's, or that of something else.
AGENT, OTHER = "agent", "other"
_PROGRAMS = (
    r"claude|codex|gemini|amp|pi|qwen|cursor|cursor-agent|opencode|aider|goose|copilot|droid|crush|kimi|kilo|"
    r"cline|roo|agent|coder|llm|model|ai|executor|implementer|worker"
)
_BEGIN = (
    r"running|launching|invoking|starting|calling|executing|spawn\w*|prompting|asking|ejecutando|lanzando|"
    r"llamando|starte|rufe|appel|lancement"
)
_AGENT = rf"(?i)\b(?:{_BEGIN})\b.{{0,40}}?\b(?:{_PROGRAMS})\b"
_OTHER = (
    r"(?i)\breview(?:er|ing)?\b|\b(?:validat\w+|verif(?:y|ying)|checking|linting|testing|pushing|merging|"
    r"committing)\b"
    r"|\b(?:running|executing|starting)\b.{0,30}\b(?:tests?|checks?|gate|lint\w*|build|validation|hooks?|"
    r"pre-commit|ci)\b"
    r"|\bpre-commit gate\b|\bcreating pr\b|\bfetching diff\b|\bwaiting for ci\b|\bgit (?:add|commit|push|"
    r"pull|status)\b"
)
_OUTPUT = (
    r"(?i)^(?:output|response|result|answer|reply|salida|respuesta|réponse|sortie|antwort|ausgabe|"
    r"risposta|saída|resposta|"
    r"claude|codex|agent|assistant)(?:\s+\((?P<cut>\d+)\s*(?:chars|characters|caracteres|zeichen|"
    r"caractères)[^)]*\))?\s*:\s*(?P<text>.*)$"
)
_CHECKS = (
    r"(?i)^(?:running |run |the |own )*(?:tests?|validation|validating|checks?|quality (?:gates?|checks?)|"
    r"lint(?:ing)?|"
    r"build|verification|verifying|review(?:er)?|git(?: \w+)?|commit(?:ting)?|ci|typecheck|type check)"
    r"(?: (?:results?|output|log|run|status))?$"
)
_AGENTS = (
    rf"(?i)^(?:running |the )*(?:{_PROGRAMS})(?:'s)?(?: (?:output|response|says|run))?$|"
    r"^(?:output|response)$"
)
_PRINTED = r"(?i)^(?:(?:the )?plan(?: before)?|(?:contents? of |cat )?\S+\.(?:md|txt|json|ya?ml))$"
_DONE = r"(?i)\b(?:finished|returned|exited|completed|done|ended|terminó|beendet)\b"
_STATUS = (
    r"(?i)\b(?:exit(?:ed)?(?:[ _-]?(?:code|status))?(?: with)?(?: (?:code|status))?|exit[_ ]?code|"
    r"return ?code|rc)\s*[:=]?\s*\(?(?P<n>-?\d{1,3})\b"
)
_TIMEOUT = r"(?i)\btime(?:d)?[ -]?out\b(?:\s*(?:after|:|\(|!|$)|.{0,12}\d)|\btimed out\b|\bTIMEOUT\b"
_NO_TIMEOUT = r"(?i)\btimeout\s*(?:[:=]|of|is|set)\s*\d|\(timeout\b|\bno timeout\b|--timeout"
_FRAME = (
    r"(?i)^(?:[\w.-]+\s+){0,3}?(?:output|response|stdout|transcript|answer)\s+(?P<what>start|begin|end|"
    r"beginning)s?$|^(?P<what2>start|begin|end)(?: of)?\s+(?:[\w.-]+\s+){0,3}?(?:output|response|stdout|"
    r"transcript)$"
)
_LEFT = (
    r"(?i)\b(?P<n>\d{1,5})\s+(?:\w+\s+)?(?:tasks?|stories|story|tickets?|items?|todos?|"
    r"issues?)\s+(?:are\s+|is\s+)?(?:remaining|left|open|to go|pending)\b"
    r"|\b(?:tasks?|stories|tickets?|items?|todos?|issues?)\s+(?:remaining|left|open|"
    r"pending)\s*[:=]\s*(?P<m>\d{1,5})\b"
)
_ANYTHING = r"(?i)\b(?:issues?|items?)\b"
_COUNT = (
    r"(?i)\b(?P<done>\d{1,5})\s*(?:/|of|out of)\s*(?P<all>\d{1,5})\s+(?:tasks?|stories|tickets?|items?|"
    r"todos?|issues?)\b(?:\s+(?:are\s+)?(?:done|complete\w*|finished|closed|passing|pass))?"
    r"|\b(?:tasks?|stories|tickets?|items?|todos?|progress)\s*[:=]\s*(?P<done2>\d{1,5})\s*(?:/|"
    r"of)\s*(?P<all2>\d{1,5})\b"
    r"|\b(?P<open>\d{1,5})\s+(?:\w+\s+)?remaining of (?P<all3>\d{1,5})"
)
_FILE = (
    r"(?i)(?:output|log|saved|transcript|"
    r"response)[^:]{0,20}:\s*(?P<file>\S+)(?:\s*\(\s*(?P<lines>\d+)\s+lines?\s*\))?"
)
_MARKED = (
    r"(?i)\b(?:story|task|ticket|issue)\s+(?P<key>[\w.\-]+\w)\s*(?::\s*(?:completed|done|failed)|"
    r"\s+(?:marked as done|completed|passed|failed|done)|:?\s+FAILED)"
)
_CLOSED = r"(?i)\bmarked as (?:done|complete\w*|closed|passing)\b"
_PASSED = r"^(?P<key>[\w.\-]+) (?:PASSED|FAILED|DONE|COMPLETE)$"
#: Lines with which a loop that writes no times ends an iteration, at the end of it.
_TRAILER = (
    r"(?i)^(?:ralph )?(?:loop |iteration|iter|cycle|round|turn|run|iteraci\S+|durchlauf|"
    r"itération) ?#?\d+(?:\s*(?:/|of)\s*\d+)?[\s:\-\x{2013}—]*(?:is |has )?(?:complete|completed|done|"
    r"finished|ended|failed|over|took|completad[ao]|terminad[ao]|finalizad[ao]|abgeschlossen|terminée)\b.*"
    r"|^(?:end|ende|fin|fine|fim|final|slut)(?: (?:of|de|du|der|des|di|la|da))? "
    r"(?:iteration|iter|loop|cycle|round|itera\S+|itéra\S+|durchlauf|runde|ciclo|ronda)\b.*$"
    r"|^(?:end of |end )(?:iteration|loop|cycle|round)\b.*|^(?:iteration|loop|cycle) (?:done|complete|"
    r"completed|finished)[.!]*$"
    r"|^(?:sleeping|waiting|pausing|esperando|warte|attente|pause|cooldown|cooling down|next iteration|"
    r"continuing|restarting|retrying|resuming|moving on)\b.{0,60}$"
    r"|^(?:completed at iteration \d+.*|check \S+ for (?:status|details)\.?)$"
    r"|^(?:\S+ )?(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|exit[_ ]code|"
    r"return code)\s*[:=]?\s*\(?-?\d{1,3}\)?\.?$"
    r"|^(?:\S+ ){0,3}?(?:timed out|TIMEOUT)\b.{0,40}$"
    r"|^(?:duration|elapsed|took|time|total time|tiempo|dauer)\s*[:=]?\s*[\d.:]+ ?(?:s|m|h|sec|min|"
    r"seconds|minutes|ms)?\b.{0,20}$"
)
#: What closes a group of lines, or an element, that the loop opened.
_CLOSES = r"(?i)^(?:##\[endgroup\]|::endgroup::|</(?:iteration|iter|loop|round|cycle)>)$"
#: Lines at the end of an iteration that are looked at for those.
_TRAILERS = 24


def speaker(line: Line) -> str | None:
    """Return whose text follows a line of the loop; None where the line says nothing of that."""
    core = line.core
    if pattern(_OTHER).search(core) and not _begins_agent(core):
        return OTHER
    if _begins_agent(core):
        return AGENT
    if pattern(_DONE).search(core) or marks_key(line) is not None:
        return OTHER
    return None


def speaker_below(line: Line, *, files: bool = False) -> str | None:
    """
    Return whose text is below a heading that a loop draws in each iteration, else None.

    With `files` the name of a file is such a heading: the loop prints the file.
    """
    if pattern(_CHECKS).match(line.core) or (files and pattern(_PRINTED).match(line.core)):
        return OTHER
    return AGENT if pattern(_AGENTS).match(line.core) else None


def names_agent(core: str) -> bool:
    """Return whether the words of a heading name an agent, or what it gives."""
    return pattern(_AGENTS).match(core) is not None


def _begins_agent(core: str) -> bool:
    found = pattern(_AGENT).search(core)
    return found is not None and not pattern(r"(?i)\breviewer\b|\bjudge\b|\bvalidator\b").search(core)


def output_in(line: Line) -> tuple[str, int | None] | None:
    """Return the text that a line says is the agent's, and after how many characters it was cut."""
    found = pattern(_OUTPUT).match(line.body.strip())
    if found is None:
        return None
    return found.group("text"), int(found.group("cut")) if found.group("cut") else None


def status_in(line: Line) -> int | None:
    """Return the exit status that a line says the agent's process had, else None."""
    found = pattern(_STATUS).search(line.core)
    return None if found is None else int(found.group("n"))


def timed_out(line: Line) -> bool:
    """Return whether a line says that the time of the agent's process was up."""
    core = line.core
    return bool(pattern(_TIMEOUT).search(core)) and not pattern(_NO_TIMEOUT).search(core)


def frame_in(text: str) -> bool | None:
    """Return True where the frame around an output opens, False where it closes, None for any other line."""
    if len(text) > 120 or not text[:1] or text[:1].isalnum():
        return None
    found = pattern(_FRAME).match(bare(text).strip())
    if found is None:
        return None
    return str(found.group("what") or found.group("what2")).lower() != "end"


def plan_in(line: Line) -> tuple[int | None, int] | None:
    """Return how many pieces of work there are, None where not reported, and how many are open; else None."""
    core = line.core
    found = pattern(_COUNT).search(core)
    if found is not None:
        if found.group("open"):
            return int(found.group("all3")), int(found.group("open"))
        done, all = (int(found.group(a) or found.group(b)) for a, b in (("done", "done2"), ("all", "all2")))
        return (all, all - done) if done <= all else None
    found = pattern(_LEFT).search(core)
    if found is None:
        return None
    left = int(found.group("n") or found.group("m"))
    # no issue, no item is left: a linter says the same
    return (None, left) if left or not pattern(_ANYTHING).search(found.group(0)) else None


def file_in(line: Line) -> tuple[str, int | None] | None:
    """Return the name of the file that a line says the output is in, and how many lines it has."""
    found = pattern(_FILE).search(line.core)
    if found is None or "." not in found.group("file"):
        return None
    lines = found.group("lines")
    return found.group("file").replace("\\", "/").rpartition("/")[2], int(lines) if lines else None


def marks_key(line: Line) -> str | None:
    """Return the piece of work that a line says is over, else None."""
    found = pattern(_MARKED).search(line.core) or pattern(_PASSED).match(line.core)
    return None if found is None else found.group("key").rstrip(":.,")


def is_closed(line: Line) -> bool:
    """Return whether a line says that a piece of work counts as done, not only that it went well."""
    return pattern(_CLOSED).search(line.core) is not None


def without_trailer(lines: Sequence[Line]) -> tuple[int, list[Line]]:
    """Return where the text of an iteration ends in its lines, and the loop's own lines behind that."""
    end = at = len(lines)
    own: list[Line] = []
    while at > 0 and len(lines) - at < _TRAILERS:
        at -= 1
        line = lines[at]
        if not line.body.strip() or is_ruler(line.body):
            continue
        if not is_trailer(line):
            break
        own.append(line)
        end = at
    return end, own[::-1]


def is_trailer(line: Line) -> bool:
    """Return whether a line without a time is one that a loop writes at the end of an iteration."""
    core = line.core
    if line.body.strip() == KEYS or pattern(_CLOSES).match(line.body.strip()):
        return True
    if not core or len(core) > 200 or line.body.lstrip().startswith(("#", "-", "*", "|", ">", "`")):
        return bool(pattern(_TRAILER).match(core)) and line.body.lstrip().startswith(("---", "###", "***"))
    if pattern(_TRAILER).match(core):
        return True
    ended = ends_loop(line)
    return ended is not None and _is_loops(core)


def _is_loops(core: str) -> bool:
    """Return whether words that tell of an end are the loop's own: an agent says the same of its work."""
    return (
        pattern(
            r"(?i)\bralph\b|\biteration \d|\bloop\b|^(?:reached |hit )?(?:the )?max|\bcircuit|"
            r"\bcompletion (?:signal|promise)"
            r"|^(?:\^C)?interrupted\b|\bctrl-c\b|\bconsecutive (?:failures|errors)"
        ).search(core)
        is not None
    )
