"""
Marks that give a text its shape: escapes, fences, list marks, stops, quotation marks.

The only file in `facts` that may hold pattern literals. It holds marks, never words.
"""

from __future__ import annotations

ESCAPE = "\x1b"
#: An escape sequence longer than this is not looked for to its end.
ESCAPE_LIMIT = 256
#: Characters that show nothing and can be anywhere: soft hyphen, zero widths, joiners, byte order mark.
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

SENTENCE_ENDS = ".!?\u3002\uff01\uff1f\u2026"
FULL_WIDTH_ENDS = "\u3002\uff01\uff1f"
QUESTIONS = "?\uff1f"
STRONG_MARKS = ";:\u2014\u2013()[]|=\u2022\uff1a\uff1b\u2192\uff08\uff09"
COMMAS = ",\uff0c\u3001"
CLAUSE_MARKS = COMMAS + STRONG_MARKS
#: Marks of emphasis and quotation that may be between the words of a phrase.
EMPHASIS = "*_~`\"'\u201c\u201d"
BULLETS = "-*+\u2022"
FENCES = "`~"
#: Opening mark -> closing marks of quotations; straight ones are told apart by their neighbours.
QUOTES = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d\u201c",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019\u2018",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u2039": "\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
#: Opening mark -> closing mark of a placeholder that a reader of a form fills in.
PLACEHOLDERS = {"<": ">", "{": "}", "[": "]"}
#: Marks that say something is not so, or not yet.
UNMET = "\u274c\u2717\u2718\u2715\u2716\u26d4\U0001f6ab\U0001f534\u2610\u2b1c\U0001f532\u23f3\U0001f6a7"
#: Marks that say something is done.
MET = "\u2713\u2714\u2705\u2611\U0001f5f8\U0001f5f9"
#: Marks of tasks that wait: empty boxes.
EMPTY_BOXES = "\u2610\u2b1c\U0001f532\u25a2\u25fb"
#: Marks behind a list's own of tasks that wait, or are at work; and of one that is done.
WAITING_SIGNS = EMPTY_BOXES + "\u23f3\u231b\U0001f6a7\U0001f504\U0001f51c\u25cb\u25ef\u26aa"
FILLED_SIGNS = MET + "\u25cf"
#: Lights: not done, at work; done. Like the marks of what is not so they also praise and warn.
UNMET_LIGHTS = "\U0001f7e1\U0001f7e0\U0001f7e5\U0001f7e7\U0001f7e8\U0001f6d1\u23f8"
MET_LIGHTS = "\U0001f7e2\U0001f7e9"
#: Between a task and its state; around a state in brackets.
STATE_SEPARATORS = (
    ":",
    "\uff1a",
    "\u2014",
    " \u2013 ",
    " - ",
    " -- ",
    "->",
    "\u2192",
    "=>",
    " = ",
    "...",
    "\u2026",
    " | ",
)
STATE_BRACKETS = {"[": "]", "(": ")", "\uff08": "\uff09", "\u3010": "\u3011", "\uff3b": "\uff3d", "{": "}"}
#: Around a state, or an item with one.
AROUND_A_STATE = " \t*_`~\"'.,;"
#: With one of these a line ends that may have a state behind its title.
STATE_ENDS = ")]}%*_`0123456789"
#: Within a line of ASCII that may have a state: dashes, arrows, round boxes.
STATE_HINTS = (" - ", ">", "( ", "{ ")
#: In a cell that asks whether a task is done.
TICKS, CROSSES = ("x", "y"), ("n",)
#: Of shares: digits, between part and whole, behind the part, in a number.
DIGITS, SLASH, PERCENTS, POINTS = "0123456789", "/", "%\uff05", ".,"
#: Round boxes: what opens one, and what closes it.
ROUND_BOXES = {"(": ")", "\uff08": "\uff09", "{": "}"}
#: Wide brackets and what marks of code leave of a box.
BOX_DRESS = {0xFF3B: "[", 0xFF3D: "]", ord("`"): None}
WIDE_CLOSE = "\uff3d"
TICKED_BOXES = ("[x]", "[X]")
#: A box in HTML, and what says that it is ticked.
INPUT, INPUT_BOX, INPUT_TICKED = "<input", "checkbox", "checked"
#: What may be before the box of a task on its line: marks of lists, headings, tables, quotations; numbers.
BOX_LEAD = (
    " \t>|#*_+-.)(0123456789\u2022\u00b7\u25e6\u25aa\u25cf\u25cb\u2023\u2013\u2014"
    "\x00\u00a0\u3000\u200b\ufeff"
)
#: Before a bracket that is not a mark.
ESCAPING = "\\"
#: Characters of the longest label of an item, what it ends with, the letters of its Roman numbers.
LABEL_LIMIT, LABEL_ENDS, ROMAN = 24, ".):]-\u2013\u2014*_` ", "ivxlc"
#: Around the label of an item: what is left out of its length, before it and behind it.
BEFORE_A_LABEL = " \t\r>-*+\u2022_`#("
BEHIND_A_LABEL = (
    BEFORE_A_LABEL
    + "\n\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    + "\u200a\u2028\u2029\u202f\u205f\u3000"
)
#: As before a box, but for numbers.
BOX_LEAD_WITHOUT_NUMBERS = "".join(letter for letter in BOX_LEAD if letter not in DIGITS)
#: Between the parts of one word.
JOINERS = "-._'\u2019\u2010\u2011/&"
#: Around a word that names a section or a state.
AROUND_A_WORD = " *_`~\"':\uff1a()\uff08\uff09[]!.,"
#: Between what a mark stands for and the mark.
MARKED_BY = "|:-=\u2013\u2014\u2192>"
#: Characters that show nothing: zero-width spaces and joiners, direction marks, variation selectors.
INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069"
    "\ufe0e\ufe0f\ufeff"
)
#: Marks around a path in running text that are not part of it.
PATH_EDGES = " \t\r\n`*\"'\u201c\u201d\u2018\u2019<>()[]{},;:!?"
#: Numbers that a position behind a path has at most.
POSITIONS = 4
STRIKE = "~~"
STRUCK_TAGS = ("<del>", "<s>", "<strike>")
COMMENT_START, COMMENT_END = "<!--", "-->"
GAP = ("...", "\u2026")
#: Between a field's name and its value, in a status block.
FIELD_MARKS = ":\uff1a=|\u2192\u2014\u2013"
#: The same with blanks around it.
FIELD_DASH = " - "
COLONS = ":\uff1a"
HYPHENS = "-\u2010\u2011"
#: What a field's name may be dressed in.
KEY_MARKS = "*_`\"' "
#: Where the end mark of a status block differs from its start: ``---END_NAME---``.
END_MARK = "end"
END_LETTERS = "ENDend"
#: Around a remark behind a block's name.
REMARK_OPENS, REMARK_CLOSES = "(\uff08", ")\uff09"
#: Between a quoted block and the rest of the sentence that quotes it: line ends, the fence's mark.
RUN_ON = " \t\r\n`~"
#: A bold line heads what is below it, under every heading with marks.
BOLD_LEVEL = 7
#: Around a line of a block quotation.
QUOTED_LINE = " \t\r>"
#: Characters of the rules around a block's name: ``---NAME---``, ``=== NAME ===``.
RULES = "-=\u2500\u2501\u2014"
#: Line ends that are written out in a text that was JSON.
WRITTEN_LINE_ENDS = ("\\r\\n", "\\n", "\\r")
#: Around a value: blanks, cells, JSON's marks.
VALUE_ENDS = " \t\r\n|,;"
#: Between two fields of one line, beside those.
ROW_MARKS = "*`\u00b7\u2022"
VALUE_QUOTES = "`\"'"
#: A value of nothing but one of these, alone, is not filled in.
DASHES, DASH_LIMIT = "-\u2014\u2013", 2
BLANK_FORM = "._\u2026? "
#: Between the values that a form offers.
ALTERNATIVE_MARKS = "/,"
#: A remark behind a value begins with one of these.
REMARK_MARKS = (
    "(", "[", "{", "<", ",", ";", "#", ".", "!", ":", "|", "/", " - ", " -- ", "\u2014", "\u2013", "\u2192",
    "\uff08", "\uff0c", "\u3002", "\uff1b", "\uff1a", "\u3001", "=",
)  # fmt: skip
#: In front of a value that is not quite so.
ROUGHLY = ("~", "\u2248", "\u2243")
#: Between or behind the marks of a value that is nothing but marks.
NO_VALUE = INVISIBLE + " \t*_`"
#: Behind digits that are not the whole number.
NO_NUMBER = ("+", "_", "^", "*")
RANGES = "-\u2013\u2014~"


#: Between the commands of a command line.
SHELL_PARTS = ("&&", "||", ";", "|")
#: Those behind which a command's own status does not count.
HIDING_PARTS = ("|", ";")


def blank_escapes(text: str) -> str:
    """Return `text` with every terminal escape sequence replaced by as many spaces."""
    pieces = []
    at = 0
    start = text.find(ESCAPE)
    while start >= 0:
        end = escape_end(text, start)
        pieces.append(text[at:start])
        pieces.append(" " * (end - start))
        at = end
        start = text.find(ESCAPE, end)
    pieces.append(text[at:])
    return "".join(pieces)


def strip_escapes(text: str) -> str:
    """Return `text` without its terminal escape sequences."""
    if ESCAPE not in text:
        return text
    pieces = []
    at = 0
    start = text.find(ESCAPE)
    while start >= 0:
        pieces.append(text[at:start])
        at = escape_end(text, start)
        start = text.find(ESCAPE, at)
    pieces.append(text[at:])
    return "".join(pieces)


def escape_end(text: str, start: int) -> int:
    """Return the offset behind the sequence at `start` (ECMA-48: CSI, OSC, two-character forms)."""
    limit = min(len(text), start + ESCAPE_LIMIT)
    at = start + 1
    if at >= limit:
        return limit
    if text[at] == "[":
        at += 1
        while at < limit and not "@" <= text[at] <= "~":
            if not " " <= text[at] <= "?":
                return at
            at += 1
        return min(at + 1, limit)
    if text[at] == "]":
        while at < limit and text[at] != "\x07" and text[at] != "\n":
            if text[at] == ESCAPE:
                return at + 1 if text[at + 1 : at + 2] == "\n" else min(at + 2, limit)
            at += 1
        return at + 1 if at < limit and text[at] == "\x07" else at
    return at + 1 if text[at] != "\n" else at


def list_mark(line: str) -> int:
    """Return the length of the list mark and the blanks behind it at the start of `line`, or 0."""
    if not line:
        return 0
    if line[0] in BULLETS:
        width = 1
    else:
        width = 0
        while width < 9 and width < len(line) and "0" <= line[width] <= "9":
            width += 1
        if width == 0 or width >= len(line) or line[width] not in ".)":
            return 0
        width += 1
    rest = line[width:]
    if not rest.strip():
        return len(line)
    blanks = len(rest) - len(rest.lstrip(" \t"))
    return width + blanks if blanks else 0


def fence_mark(line: str) -> str:
    """Return the run of backticks or tildes that opens a fence on `line` (blanks stripped), or ``""``."""
    if not line or line[0] not in FENCES:
        return ""
    width = len(line) - len(line.lstrip(line[0]))
    if width < 3 or (line[0] == "`" and "`" in line[width:]):
        return ""
    return line[:width]


def is_heading(line: str) -> bool:
    """Return whether the stripped line is an ATX heading."""
    marks = len(line) - len(line.lstrip("#"))
    return 1 <= marks <= 6 and (len(line) == marks or line[marks] in " \t")


def heading_level(line: str) -> int:
    """Return 1 to 6 for an ATX heading, 7 for a line that is bold as a whole, else 0; blanks stripped."""
    if is_heading(line):
        return len(line) - len(line.lstrip("#"))
    bold = len(line) > len("****") and line[:2] == line[-2:] == "**" and line.count("**") == len("**")
    return BOLD_LEVEL if bold else 0


def is_item_label(before: str) -> bool:
    """
    Return whether the text before a box is the label of an item: ``b.``, ``iv)``, ``Task 3:``, ``2.a``.

    A label is short, and ends with a letter alone, a Roman number or a digit, and a mark of lists or a blank.
    """
    label = before.strip(BEFORE_A_LABEL).rstrip()
    if not 0 < len(label) <= LABEL_LIMIT or not before[-1:].isspace():
        return False
    name = label.rstrip(LABEL_ENDS)
    last = name.replace(".", " ").split()[-1:]
    closed = name != label
    if not last or name.count(" ") > 1:
        return False
    counted = any(letter in DIGITS for letter in last[0])
    lettered = closed and " " not in name and (len(last[0]) == 1 or not last[0].lower().strip(ROMAN))
    return lettered or (counted and last[0].isascii() and (closed or " " not in name))


def is_rule(line: str) -> bool:
    """Return whether the stripped line is a thematic break or the line under a heading or table head."""
    return len(line) >= 3 and not line.strip("-=*_:| ") and line.strip(" ") != ""


def is_key(line: str) -> bool:
    """Return whether the stripped line has the form ``SOME_KEY: value``, the key in capitals."""
    key, colon, _ = line[:60].partition(":")
    return bool(colon) and key.isupper() and key.replace("_", "").isalnum()


def begins_block(line: str) -> bool:
    """Return whether a stripped line that is not empty starts a paragraph of its own."""
    first = line[0]
    if first in ">|" or list_mark(line) or is_heading(line) or fence_mark(line) or is_rule(line):
        return True
    if not first.isascii() and not first.isalnum() and first not in EMPHASIS:
        from unicodedata import category

        return category(first) in ("So", "Po", "Sm") and first not in QUOTES
    return is_key(line)


def is_open_box(item: str) -> bool:
    """Return whether the text of a list item begins with an empty task box."""
    return item.startswith("[ ]")


def basename(path: str) -> str:
    """
    Return what is behind the last slash of a path or address, without a position and closing marks.

    Positions are ``:45``, ``:45:3``, ``(45,3)``, ``#L45`` and ranges of them.
    """
    name = path.lstrip(PATH_EDGES).rstrip(PATH_EDGES + ".").replace("\\", "/").rstrip("/")
    name = name[name.rfind("/") + 1 :]
    name = name.partition("#")[0] or name
    for opening in "([":
        name = name.partition(opening)[0] or name
    for _ in range(POSITIONS):
        stem, colon, behind = name.rpartition(":")
        if not (colon and stem) or behind.strip("0123456789-,"):
            break
        name = stem
    return name.strip(PATH_EDGES)


def by_line(pattern: str) -> str:
    """Return the RE2 pattern with `^` and `$` at every line of a text."""
    return f"(?m:{pattern})"


def is_commit(line: str) -> bool:
    """Return whether git says in a line that it made a commit: ``[main 1a2b3c4] subject``."""
    if not line.startswith("["):
        return False
    inside, close, _ = line[1:200].partition("] ")
    name = inside.rpartition(" ")[2]
    return bool(close) and " " in inside and 7 <= len(name) <= 40 and not name.strip("0123456789abcdef")
