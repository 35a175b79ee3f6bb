"""
The lines by which loops tell what they do: a header of an iteration, a start, an end, a note, a ruler.

A line is taken apart once: a time at its head, the name of a level, decoration, words. What it then is, is
said by the patterns of this module, in the languages that loops are written in; whether it counts is decided
by its neighbours (`series`), because agents write such lines, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from exitgate.recordings.formats.timestamps import Stamp, stamped, time_in, without_time

#: What begins the shape of a header that counts only if nothing else does.
STEP = "step"
#: Characters of a line that may be a mark.
LONGEST = 400
#: Words for an iteration; the second kind also means other things and needs more around it.
_STRONG = (
    r"iteration|iter|iteraci\S{1,5}n|itera[cç][aã]o|it[eé]ration|iterazione|iteratie|iteracja|итерация|迭代|"
    r"イテレーション|반복|durchlauf|durchgang|iterasjon|iteraatio|反復|反复|反覆|ループ|循环|循環|iterasi|iterace|"
    r"iteráció|yineleme|ітерація"
)
_WEAK = r"loop|cycle|round|turn|pass|attempt|run|session|runde|vuelta|ronda|ciclo|tour|boucle|bucle|schleife"
#: Words for a part of some work that a loop may count its iterations by, too.
_STEP = r"step|stage|schritt|étape|paso|passo|шаг|ステップ|步骤"
_LEAD = (
    r"ralph|ralphy|wiggum|starting|start|started|begin|beginning|running|run|executing|launching|"
    r"entering|new|"
    r"now|loop|agent|claude|codex|gemini|amp|cursor|opencode|copilot|bb3|doyaken|iniciando|inicio|comenzando|"
    r"empezando|beginne|starte|début|debut|démarrage|main|dev|coding|build|plan|autonomous|"
    r"building|planning|implementing|working"
)
_NUMBER = r"(?:\s+(?:no\.?|nr\.?|number|num\.?))?(?P<head>[\s#:№._\-\[(=]{0,4})(?P<n>\d{1,6})\b[\])]?"
_OF = (
    r"(?:\s*(?:/|\x{ff0f}|\(?of|out of|de|von|sur|di|из|van|av|af|\(max[: ]*|max[: ]*|"
    r"\|\s*max[: ]*|max\w{0,12}=|limit=|total=|of=)\s*(?P<m>\d{1,6})\)?)?"
)
_HEADER = (
    rf"(?i)^(?P<left>[^\pL\pN]*)(?P<lead>(?:(?:{_LEAD})[\s:\-]+){{0,3}})(?P<other>\pL[\w.\-]{{0,20}}:\s+)?"
    rf"(?:(?P<word>{_STRONG})|(?P<weak>{_WEAK})|(?P<step>{_STEP})){_NUMBER}{_OF}(?P<tail>.*)$"
)
_HEADER_CJK = (
    r"^(?P<left>[^\pL\pN]*)第\s*(?P<n>\d{1,6})\s*(?:/\s*(?P<m>\d{1,6})\s*)?(?:次|轮|輪|回|个)?(?P<word>迭代|循环|"
    r"循環|轮|イテレーション|ループ|次|回)?(?P<tail>.*)$"
)
#: An element that opens an iteration.
_ELEMENT = (
    r"(?i)^<(?P<word>iteration|iter|loop|round|cycle)\s+(?:n|no|nr|number|num|id|index|count)="
    r"[\"']?(?P<n>\d{1,6})[\"']?"
    r"(?:\s+(?:max|of|total|limit)=[\"']?(?P<m>\d{1,6})[\"']?)?\s*>$"
)
#: What opens a group of lines on GitHub and on Azure.
_GROUPS = ("##[group]", "::group::", "##[section]")
#: Behind the number: this iteration begins; other fields of a line that is made of them.
_BEGUN = (
    r"(?i)^\s*(?:[:\-\x{2013}—(|]\s*)?(?:is |has |was |wird |wurde |se ha |est )?"
    r"(?:started|starts|starting|start|begins|begin|begun|began|beginning|gestartet|beginnt|startet|iniciad[ao]|empieza|comienza|démarrée?|commence|avviat[ao]|"
    r"начата|начинается|开始|開始)(?:\s+(?:at|on|um|am|a las|à|alle))?[\s.:,…!)\]]*$"
)
_OTHER_FIELDS = r"^(?:\s+\w+=(?:\"[^\"]*\"|\S+))*\s*$"
_FIGURES = r"(?i)\b(?:loss|acc\w*|lr|score|val\w*|epoch|reward|error|grad\w*)="
#: Behind the number: this line shows an iteration that is over; or it names a part of one.
_OVER = (
    r"(?i)^\s*(?:[:\-\x{2013}—(|]\s*)?(?:is |was |ist |est |has |wurde )?(?:complete|completed|completo|"
    r"completad[ao]|done|"
    r"finished|ended|end|failed|succeeded|successful|successfully|success|passed|timed out|timeout|took|"
    r"exited|"
    r"abgeschlossen|fertig|beendet|terminad[ao]|terminée?|finalizad[ao]|terminata|completata|"
    r"concluíd[ao]|завершена|"
    r"完成|结束|finie?|klar|skipped|aborted|interrupted|stopped)(?:\b|\W|$)"
    r"|^\s*(?:summary|results?|output|log|cost|duration|status)\b"
)
_WORKS_ON = (
    r"(?i)^(?:starting|working on|start|begin|beginning|processing|spawned \w+ for|now on|"
    r"next)\s+(?:story|task|ticket|issue|item|"
    r"job)?\s*[:#]?\s*\[?(?P<key>[A-Za-z]{0,12}[-_#.]?[A-Za-z0-9]*\d[\w.\-]*|"
    r"[a-z]{1,6}-[a-z0-9]{3,8})\]?(?:\s*[:(\-\x{2013}—|].*)?$"
)
_LAUNCH = (
    r"(?i)^(?:(?:starting|started|start of|launching|beginning|initiali[sz]ing|iniciando|starte|"
    r"démarrage (?:de|du)|inicio (?:de|del))\s+"
    r"(?:the\s+|a\s+|new\s+)*(?:\w+[ \-]){0,2}?(?:ralph|loop|wiggum|session|bucle|schleife|boucle|"
    r"autonomous)\b.*"
    r"|(?:\w+[ \-:]+){0,4}?(?:ralph|loop|session|bucle|schleife|boucle)\b(?:[\s:\-]+\S+){0,3}?[\s:\-]+"
    r"(?:started|starting|start|begins|begun|iniciad[oa]|gestartet|démarrée?|avviat[oa]|запущен\pL*)(?:[^\pL\pN].*)?)$"
)
_LIMIT = (
    r"(?i)\bmax(?:imum|imal|imo|\.)?[ _\-]*(?:iter\w*|it[eé]r\w*|loops?|cycles?|rounds?|runs?|durchl\S+|"
    r"iteraciones)\s*(?:[:=]|is)?\s*(?P<n>\d{1,6})\b"
    r"|\b(?P<m>\d{1,6})\s+(?:max(?:imum)?\s+)?iterations? max"
)
#: How a loop ends: class -> pattern. The class may be None: the loop only says that it ends.
_ENDS: tuple[tuple[str | None, str], ...] = (
    (
        "exhausted",
        r"(?i)\bmax(?:imum|\.)?[ \-]*(?:number of )?(?:iter\w*|loops?|cycles?)[^.]{0,30}\b(?:reached|"
        r"exceeded|hit|erreicht|alcanzad\w+)|\breached (?:the )?(?:max|limit of|iteration limit)|"
        r"\biteration limit\b.{0,20}(?:reached|hit)|\bm[aá]ximo de iteraciones\b",
    ),
    (
        "interrupted",
        r"(?i)\binterrupted\b|\bctrl[-+ ]?c\b|\bsig(?:int|term)\b|\bkeyboardinterrupt\b|"
        r"\b(?:stopped|cancell?ed|aborted) by (?:the )?user\b|\babgebrochen\b|\binterrumpid[oa]\b",
    ),
    ("halted", r"(?i)\bcircuit[ \-]?breaker\b.{0,40}\b(?:open|opened|tripped|halt\w*)"),
    (
        "failed",
        r"(?i)\btoo many (?:consecutive )?(?:failures|errors)|\b\d+ consecutive (?:failures|errors)|"
        r"\bgiving up\b",
    ),
    (
        "complete",
        r"(?i)^ralph (?:has )?(?:completed?|finished) (?:all|every)|^completed at iteration \d+|"
        r"^all (?:[\w\-]+ ){0,2}(?:tasks|stories|items|tickets|todos|work)(?: are| is)? "
        r"(?:complete|completed|done|finished|passing)|"
        r"\bcompletion (?:signal|promise|marker|token)\b.{0,30}(?:detected|found|received|seen)|"
        r"^(?:project|prd) complete\b|\b0 (?:tasks|stories|tickets|items) (?:remaining|left)|"
        r"\b(?:stories|tasks|tickets|items) remaining: 0\b",
    ),
    (
        None,
        r"(?i)^(?:\w+[ \-:]+){0,4}?(?:ralph|loop|session|bucle|schleife|boucle)\b(?:[\s:\-]+\S+){0,3}?"
        r"[\s:\-]+(?:finished|ended|complete|completed|stopped|exited|finalizad[oa]|terminad[oa]|beendet|terminée?|"
        r"done)(?:[^\pL\pN]|$)|^(?:exiting|stopping)\b",
    ),
)
#: What a line has in it that one of those patterns may fit.
_HINTS = (
    "iter", "it\u00e9r", "loop", "cycle", "round", "turn", "pass", "attempt", "run", "session", "vuelta",
    "ronda", "ciclo", "tour", "boucle", "bucle", "schleife", "durch", "\u0438\u0442\u0435\u0440",
    "\u8fed\u4ee3", "\u30a4\u30c6", "\ubc18\ubcf5", "\u7b2c", "\u53cd\u5fa9", "\u53cd\u590d", "\u53cd\u8986",
    "\u30eb\u30fc\u30d7", "\u5faa\u73af", "\u5faa\u74b0", "yineleme", "\u0456\u0442\u0435\u0440",
    "step", "stage", "schritt", "\u00e9tape", "paso", "passo", "\u0448\u0430\u0433",
    "\u30b9\u30c6\u30c3\u30d7", "\u6b65\u9aa4",
)  # fmt: skip
_LOOPS = ("ralph", "loop", "wiggum", "session", "bucle", "schleife", "boucle", "autonomous")
_DIGITS, _WORKING = tuple("0123456789"), frozenset("swbpn")
_LEVEL = (
    r"^(?:\[[A-Za-z][A-Za-z _\-]{1,14}\]\s*|(?:INFO|WARN|WARNING|ERROR|DEBUG|SUCCESS|OK|LOOP|"
    r"NOTICE)\b(?:\s*[:|\-]\s*|\s+))+"
)
#: What a terminal shows of Ctrl-C.
KEYS = "^C"
#: A loop's name for itself at the head of a line; the message among named fields.
_TAG = r"(?i)^\[((?:ralph|wiggum|loop|runner|agent-loop|ralph-loop|orchestrator|bb3|doyaken)[\w \-]{0,12})\]"
#: The head that Python's `logging` writes where nothing else was asked for.
_LOGGED = (
    r"(?i)^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):((?:ralph|wiggum|loop|runner|agent[_.\-]?loop|orchestrator|root|"
    r"main|__main__)[\w.\-]{0,20}):\s*"
)
_LOGGERS = ("INFO:", "WARNING:", "ERROR:", "DEBUG:", "CRITICAL:")
_FIELDS = r"^(?:\w+=(?:\"[^\"]*\"|\S*)\s+)*msg=\"(?P<msg>[^\"]*)\".*$"
_RULERS = frozenset("=═-─—\u2013_*#~+·•.━▬╔╗╚╝╠╣║┌┐└┘├┤│▓█╭╮╰╯<>|")
_SIDES = frozenset("=═-─—\u2013_*#~+━▬>│║|")
#: Digits of a ruler at least.
_RULER = 4


class Line(Struct, frozen=True):
    """A line taken apart: the time at its head, what follows it, and the words of that without decoration."""

    text: str
    stamp: Stamp | None
    body: str
    core: str


class Header(Struct, frozen=True):
    """
    A line that may begin an iteration.

    Args:
        number: Of the iteration, or None where it names what is worked on.
        key: What is worked on: the id of a story, a task, a ticket; or None.
        limit: Of iterations, or None.
        at: Seconds since the epoch, or None.
        title: What else it says.
        shape: What all headers of one log have in common.
        strength: How much about it no agent would write.
    """

    number: int | None
    key: str | None
    limit: int | None
    at: float | None
    title: str
    shape: tuple[str, ...]
    strength: int


def line_of(text: str) -> Line:
    """Return a line without escapes taken apart."""
    short = text[:LONGEST]
    stamp = stamped(short)
    body = short if stamp is None else stamp.rest
    if stamp is not None or short[:1] == "[":
        named = pattern(_TAG).match(short) if stamp is None else None
        found = pattern(_LEVEL).match(body)
        body = body[found.end() :] if found is not None else body
        if named is not None:
            stamp = Stamp(f"tag {named.group(1).lower()}", None, body)
        elif 'msg="' in body:
            told = pattern(_FIELDS).match(body)
            body = told.group("msg") if told is not None else body
    elif short.startswith(_LOGGERS):
        logged = pattern(_LOGGED).match(short)
        if logged is not None:
            body = short[logged.end() :]
            stamp = Stamp(f"tag {logged.group(1).lower()}", None, body)
    return Line(text, stamp, body, bare(body))


def bare(text: str) -> str:
    """Return a text without the decoration around it."""
    begin, end = 0, len(text)
    while begin < end and not text[begin].isalnum() and text[begin] not in "\"'`<$[(":
        begin += 1
    while end > begin and (text[end - 1] in _SIDES or text[end - 1] == " "):
        end -= 1
    return text[begin:end]


def is_ruler(text: str) -> bool:
    """Return whether a text is a line drawn over the page and nothing else."""
    body = text.strip()
    return len(body) >= _RULER and len(set(body)) <= 4 and _RULERS.issuperset(body)


def is_heading(line: Line) -> bool:
    """Return whether a line without a time is a heading that is drawn on both sides."""
    body = line.body.strip()
    return line.stamp is None and bool(line.core) and _side(body) != "" and _side(body) == _side(body[::-1])


def header_of(line: Line) -> Header | None:
    """Return what a line says its possible beginning an iteration, else None."""
    low = line.body.lower()
    if not any(word in low for word in _HINTS) or not any(map(low.__contains__, _DIGITS)):
        return None
    said = time_in(line.body)
    body = (line.body if said is None else without_time(line.body)).strip()
    group = next((one for one in _GROUPS if body.startswith(one)), "")
    body = body.removeprefix(group).lstrip()
    element = pattern(_ELEMENT).match(body)
    found = element or pattern(_HEADER).match(body) or pattern(_HEADER_CJK).match(body)
    if found is None:
        return None
    named = {"left": "", "tail": "", **found.groupdict()}
    tail = _closed(named["left"], named["tail"])
    words = bare(tail)
    if pattern(_OVER).match(tail) or (tail[:1].isalpha() and not tail[:1].isspace()):
        return None
    left, right = _side(named["left"]), _side(tail[::-1])
    if not _may_be(line, named, tail, drawn=bool(left and right), decorated=bool(right or line.stamp)):
        return None
    bracketed = tail != named["tail"] and not named.get("word")
    drawn = 2 if (left and right) or group or element else 1 if named["left"].strip() and not bracketed else 0
    strength = (
        (2 if line.stamp is not None else 0)
        + drawn
        + (1 if named["m"] else 0)
        + (2 if said is not None else 0)
        + (1 if named.get("lead") else 0)
        + (1 if named.get("word") else 0)
    )
    at = said if said is not None else line.stamp.at if line.stamp is not None else None
    kind = line.stamp.kind if line.stamp is not None else ""
    word = named.get("word") or named.get("weak") or named.get("step") or ""
    what = STEP if named.get("step") else "number"
    shape = (what, kind, group or left, word.lower(), "<" if element else right)
    limit = int(named["m"]) if named["m"] else None
    return Header(int(named["n"]), None, limit, at, words, shape, strength)


def _closed(left: str, tail: str) -> str:
    """Return what follows a number without the bracket that closes the one before it."""
    opened = left.strip()[-1:]
    pair = {"[": "]", "(": ")", "{": "}"}.get(opened, "")
    return tail.lstrip()[1:] if pair and tail.lstrip().startswith(pair) else tail


def _may_be(line: Line, named: Mapping[str, str | None], tail: str, *, drawn: bool, decorated: bool) -> bool:
    """Return whether the words around a number can be those of a header."""
    if (named.get("other") or named.get("step")) and not drawn:
        return False
    if (named.get("head") or "").endswith("="):
        return pattern(_OTHER_FIELDS).match(tail) is not None and not pattern(_FIGURES).search(tail)
    if pattern(_BEGUN).match(tail) and (named.get("word") or not starts_loop(line)):
        return True
    return _may_follow(tail, decorated=decorated)


def _may_follow(tail: str, *, decorated: bool) -> bool:
    """Return whether what follows the number of a header can be there: no prose continues."""
    rest = tail.strip()
    if not rest or decorated or is_ruler(rest):
        return True
    return rest[0] in "([{:|-\u2013—=*#~.,…!>│║" and len(rest) < 160 and not rest.startswith((", ", "…"))


def _side(text: str) -> str:
    """Return the character that a side is decorated with where it is drawn several times, else nothing."""
    body = text.strip()
    run = len(body) - len(body.lstrip(body[:1])) if body else 0
    return body[0] if body and body[0] in _SIDES and run >= 2 else ""


def key_of(line: Line) -> Header | None:
    """Return what a line says where it names the piece of work that is begun, else None."""
    if line.stamp is None:
        return None
    if line.core[:1].lower() not in _WORKING:
        return None
    found = pattern(_WORKS_ON).match(line.core)
    if found is None:
        return None
    title = line.core[len(found.group(0)) :] or line.core
    key = found.group("key").rstrip(":.,")
    return Header(None, key, None, line.stamp.at, title, ("key", line.stamp.kind), 3)


def starts_loop(line: Line) -> bool:
    """Return whether a line says that a loop starts."""
    core = line.core
    low = core.lower()
    if len(core) > 160 or not any(word in low for word in _LOOPS):
        return False
    return pattern(_LAUNCH).match(core) is not None and ends_loop(line) is None


def limit_in(line: Line) -> int | None:
    """Return after how many iterations a line says that the loop ends, else None."""
    if len(line.core) > 200 or "max" not in line.core.lower():
        return None
    found = pattern(_LIMIT).search(line.core)
    return None if found is None else int(found.group("n") or found.group("m"))


def ends_loop(line: Line) -> tuple[str | None, str] | None:
    """Return how a line says that a loop ends: a class or None, and its words; None where it says nothing."""
    core = line.core
    if line.body.strip() == KEYS:
        return "interrupted", KEYS
    if not core or len(core) > 200:
        return None
    for how, form in _ENDS:
        if pattern(form).search(core):
            return how, core[:200]
    return None


def pattern(text: str) -> Any:
    """Return a compiled pattern."""
    found = _compiled.get(text)
    if found is None:
        import re2

        found = _compiled[text] = re2.compile(text)
    return found


_compiled: dict[str, Any] = {}
