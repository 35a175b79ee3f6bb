"""
What the lines of a loop between two headers say: how the agent's process ended, whose text follows, the plan.
"""

from __future__ import annotations

from exitgate.transcripts.loops.marks import KEYS, Line, bare, ends_loop, is_ruler, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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


def whose(line: Line) -> str | None:
    """Return whose text follows a line of the loop; None where the line says nothing of that."""
    core = line.core
    if pattern(_OTHER).search(core) and not _begins_agent(core):
        return OTHER
    if _begins_agent(core):
        return AGENT
    if pattern(_DONE).search(core) or marks_key(line) is not None:
        return OTHER
    return None


def whose_below(line: Line, *, files: bool = False) -> str | None:
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
