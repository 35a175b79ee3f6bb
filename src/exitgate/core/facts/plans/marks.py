"""Small marks at the start of a Markdown line: list items, fences, rules, definitions, boxes."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_DIGITS = frozenset("0123456789")
#: What Markdown trims from paragraphs.
BLANK = " \t\n\v\f\r"
_VARIANTS = "\ufe0e\ufe0f"


def list_marker(line: str, at: int) -> tuple[int, int]:
    """
    Return length and number of the list mark at `at`: ``-``, ``*``, ``+``, ``12.`` or ``12)``.

    The number is -1 for a bullet. Without a mark the length is 0.
    """
    here = line[at : at + 1]
    end = at + 1
    number = -1
    if here in _DIGITS:
        while end < len(line) and end - at <= 9 and line[end] in _DIGITS:
            end += 1
        if end - at > 9 or line[end : end + 1] not in (".", ")"):
            return 0, -1
        number = int(line[at:end])
        end += 1
    elif here not in ("-", "*", "+"):
        return 0, -1
    if end < len(line) and line[end] not in " \t":
        return 0, -1
    return end - at, number


def fence_start(rest: str) -> int:
    """Return the length of the fence (three or more ` or ~) at the start of `rest`, or 0."""
    char = rest[0]
    size = len(rest) - len(rest.lstrip(char))
    if size < 3 or (char == "`" and "`" in rest[size:]):
        return 0
    return size


def rule_from(line: str) -> tuple[str, int]:
    """
    Return the character and the offset from where on `line` could be a thematic break.

    From that offset to the end are only that character, spaces and tabs. Looked up once a line,
    so that a line of many list marks costs no more than its length.
    """
    text = line.rstrip(" \t")
    if not text or text[-1] not in "*-_":
        return "", 0
    char = text[-1]
    return char, len(text.rstrip(f"{char} \t"))


def mark_at(text: str) -> tuple[str, int, bool]:
    """
    Return the mark between brackets that a paragraph's first line begins with.

    Gives the mark, the offset of its bracket, and whether nothing follows on this line (then it is
    a box only if the paragraph continues). The mark is empty when there is none. A mark is one
    character, with or without a variation selector.
    """
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        return "", 0, False
    close = start + 2
    if text[close : close + 1] and text[close] in _VARIANTS:
        close += 1
    mark = text[start + 1 : close]
    if text[close : close + 1] != "]" or mark == "[":
        return "", 0, False
    follows = text[close + 1 :]
    if follows and follows[0] not in BLANK:
        return "", 0, False
    return mark, start, not follows.strip()


def definition(text: str) -> bool:
    """Return whether the line is a whole link reference definition, ``[label]: target "title"``."""
    if not text.startswith("["):
        return False
    close = _closing_bracket(text)
    if close < 2 or text[close + 1 : close + 2] != ":" or not text[1:close].strip():
        return False
    rest = text[close + 2 :].strip(" \t")
    target = _target(rest)
    if not target:
        return False
    title = rest[target:]
    if not title.strip():
        return True
    return title[0] in " \t" and _is_title(title.strip(" \t"))


def _closing_bracket(text: str) -> int:
    """Return the offset of the bracket that closes the label, or -1."""
    at = 1
    while at < len(text) and at <= 1000:
        char = text[at]
        if char == "]":
            return at
        if char == "[":
            return -1
        at += 2 if char == "\\" else 1
    return -1


def _target(rest: str) -> int:
    """Return the length of the link target at the start of `rest`, or 0."""
    if rest.startswith("<"):
        close = rest.find(">")
        return close + 1 if close > 0 and "<" not in rest[1:close] else 0
    depth = 0
    at = 0
    while at < len(rest) and rest[at] > " " and rest[at] != "\x7f":
        if rest[at] == "\\":
            at += 1
        elif rest[at] == "(":
            depth += 1
        elif rest[at] == ")":
            depth -= 1
            if depth < 0:
                break
        at += 1
    return min(at, len(rest)) if depth <= 0 else 0


def _is_title(text: str) -> bool:
    """Return whether `text` is one quoted title and nothing else."""
    close = {'"': '"', "'": "'", "(": ")"}.get(text[0])
    if close is None or len(text) < 2 or text[-1] != close or text[-2] == "\\":
        return False
    inner = text[1:-1].replace("\\\\", "").replace(f"\\{close}", "")
    return close not in inner


# Where HTML blocks of Markdown begin and end, so that boxes inside them do not count.

#: Kinds of HTML block, numbered as CommonMark 0.31 section 4.6 does. 0 is not a block.
NO_BLOCK, RAW, COMMENT, INSTRUCTION, DECLARATION, CDATA, NAMED, COMPLETE = range(8)

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_TAG = _LETTERS | frozenset("0123456789-")
_ATTRIBUTE_START = _LETTERS | frozenset("_:")
_ATTRIBUTE = _TAG | frozenset("_:.")
_BLANK = frozenset(" \t\n\v\f\r")
_UNQUOTED_END = frozenset("\"'=<>`") | frozenset(map(chr, range(0x21)))

# Names of HTML elements are part of Markdown's grammar, not words to look for in what people write.

#: Elements whose content is not Markdown until their closing tag, each between blanks.
_RAW_ELEMENTS = " pre script style textarea "
_RAW_ENDS = tuple(f"</{name}>" for name in _RAW_ELEMENTS.split())

#: Elements that begin a block which a blank line ends: the list of CommonMark 0.31.2, section 4.6.
_BLOCK_ELEMENTS = (
    " address article aside base basefont blockquote body caption center col colgroup dd details dialog "
    "dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header "
    "hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search "
    "section summary table tbody td tfoot th thead title tr track ul "
)
_LONGEST = 12

_ENDS = {COMMENT: "-->", INSTRUCTION: "?>", DECLARATION: ">", CDATA: "]]>"}


def html_start(line: str) -> int:
    """
    Return the kind of HTML block that `line` begins, or `NO_BLOCK`.

    `line` is without indentation and line end. `COMPLETE` may not interrupt a paragraph; the
    caller checks that.
    """
    if not line.startswith("<") or len(line) < 2:
        return NO_BLOCK
    if line.startswith("<!--"):
        return COMMENT
    if line[1] == "?":
        return INSTRUCTION
    if line.startswith("<![CDATA["):
        return CDATA
    if line[1] == "!":
        return DECLARATION if len(line) > 2 and line[2] in _LETTERS else NO_BLOCK
    return _element_start(line)


def _element_start(line: str) -> int:
    """Return the kind for a line that begins with a tag."""
    closing = line[1] == "/"
    start = 2 if closing else 1
    end = start
    while end < len(line) and end - start <= _LONGEST and line[end] in _TAG:
        end += 1
    name = line[start:end].lower()
    follows = line[end : end + 1]
    raw = name and f" {name} " in _RAW_ELEMENTS
    if not closing and raw and (not follows or follows == ">" or follows.isspace()):
        return RAW
    ends = not follows or follows == ">" or follows.isspace() or line.startswith("/>", end)
    if ends and name and f" {name} " in _BLOCK_ELEMENTS:
        return NAMED
    end = _closing_tag(line) if closing else _opening_tag(line)
    return COMPLETE if end > 0 and not line[end:].strip() else NO_BLOCK


def html_ends(kind: int, line: str) -> bool:
    """Return whether `line` ends the block; for `NAMED` and `COMPLETE` only a blank line does."""
    if kind == RAW:
        lowered = line.lower()
        return any(end in lowered for end in _RAW_ENDS)
    if kind in _ENDS:
        return _ENDS[kind] in line
    return not line


def _skip(line: str, at: int, among: frozenset[str]) -> int:
    while at < len(line) and line[at] in among:
        at += 1
    return at


def _closing_tag(line: str) -> int:
    """Return the offset behind the closing tag at the start, or 0."""
    if len(line) < 3 or line[2] not in _LETTERS:
        return 0
    at = _skip(line, _skip(line, 2, _TAG), _BLANK)
    return at + 1 if line[at : at + 1] == ">" else 0


def _opening_tag(line: str) -> int:
    """Return the offset behind the opening tag at the start, or 0."""
    if line[1] not in _LETTERS:
        return 0
    at = _skip(line, 1, _TAG)
    while True:
        blank = _skip(line, at, _BLANK)
        here = line[blank : blank + 1]
        if here == ">":
            return blank + 1
        if line.startswith("/>", blank):
            return blank + 2
        if blank == at or not here or here not in _ATTRIBUTE_START:
            return 0
        at = _attribute_value(line, _skip(line, blank, _ATTRIBUTE))
        if at == 0:
            return 0


def _attribute_value(line: str, at: int) -> int:
    """Return the offset behind an optional ``= value`` at `at`, or 0 for a broken one."""
    equals = _skip(line, at, _BLANK)
    if line[equals : equals + 1] != "=":
        return at
    start = _skip(line, equals + 1, _BLANK)
    quote = line[start : start + 1]
    if quote and quote in "\"'":
        return line.find(quote, start + 1) + 1
    end = start
    while end < len(line) and line[end] not in _UNQUOTED_END:
        end += 1
    return end if end > start else 0


# Lines of a text with their offsets, and one line read by columns with tabs at every fourth.


def spans(text: str) -> Iterator[tuple[int, int]]:
    """
    Yield start and end of each line, line ends left out.

    A line ends at LF, CR LF or a lone CR, and nowhere else (form feeds and Unicode separators are
    text to Markdown). A byte order mark at the start is skipped.
    """
    start = 1 if text.startswith("\ufeff") else 0
    length = len(text)
    carriage = text.find("\r", start)
    if carriage < 0:
        lines = text.split("\n")
        if not lines[-1] or start == length:
            lines.pop()
        at = 0
        for line in lines:
            end = at + len(line)
            yield at or start, end
            at = end + 1
        return
    feed = text.find("\n", start)
    while start < length:
        if 0 <= carriage < start:
            carriage = text.find("\r", start)
        if 0 <= feed < start:
            feed = text.find("\n", start)
        if carriage < 0 and feed < 0:
            yield start, length
            return
        if carriage < 0 or 0 <= feed < carriage:
            yield start, feed
            start = feed + 1
        else:
            yield start, carriage
            start = carriage + (2 if feed == carriage + 1 else 1)


def lines_in(text: str) -> int:
    """Return how many lines `spans` yields."""
    text = text.removeprefix("\ufeff")
    ends = text.count("\n")
    if "\r" in text:
        ends += text.count("\r") - text.count("\r\n")
    return ends + (text[-1:] not in ("", "\n", "\r"))


class Cursor:
    """
    A position in one line: an index, and the column it is at with tabs expanded.

    A tab may be taken in part; then `column` lies inside it and `index` still points at it.
    """

    __slots__ = ("column", "first", "first_column", "index", "line")

    def __init__(self, line: str) -> None:
        self.line = line
        self.index = 0
        self.column = 0
        self.first = 0
        self.first_column = 0
        self.seek()

    def seek(self) -> None:
        """Find the first character at or behind the position that is neither space nor tab."""
        line, at, column = self.line, self.index, self.column
        size = len(line)
        while at < size:
            if line[at] == " ":
                column += 1
            elif line[at] == "\t":
                column += 4 - column % 4
            else:
                break
            at += 1
        self.first, self.first_column = at, column

    @property
    def indent(self) -> int:
        """Columns between the position and the first character behind it."""
        return self.first_column - self.column

    @property
    def blank(self) -> bool:
        """Whether nothing but spaces and tabs follows."""
        return self.first >= len(self.line)

    @property
    def here(self) -> str:
        """The first character, or the empty text at the end of the line."""
        return self.line[self.first : self.first + 1]

    def columns(self, count: int) -> None:
        """Move over `count` columns of spaces and tabs, no further than the first character."""
        while count > 0 and self.index < self.first:
            width = 4 - self.column % 4 if self.line[self.index] == "\t" else 1
            if width > count:
                self.column += count
                return
            self.column += width
            self.index += 1
            count -= width

    def take(self, size: int) -> None:
        """Move behind the next `size` characters after the indentation, none of them a tab."""
        self.index = self.first + size
        self.column = self.first_column + size
        self.seek()


# Boxes and headings of a plan, as they are found in its blocks.


class Box(Value):
    """
    A list item whose text begins with a mark in brackets.

    `mark` is the text between the brackets, `line` and `column` the 1-based place of ``[``, `start`
    its offset, `end` the offset behind its line, `heading` the index of the heading it is
    under, or -1.
    """

    __slots__ = ("column", "end", "heading", "line", "mark", "start")

    def __init__(self, mark: str, line: int, column: int, start: int, end: int, heading: int) -> None:
        self.mark = mark
        self.line = line
        self.column = column
        self.start = start
        self.end = end
        self.heading = heading


class Heading(Value):
    """A heading outside quotes and lists: `level` 1 to 6, its text without marks, and its line."""

    __slots__ = ("level", "line", "text")

    def __init__(self, level: int, text: str, line: int = 0) -> None:
        self.level = level
        self.text = text
        self.line = line


class Blocks(Value):
    """
    What a scan found.

    Args:
        boxes, headings: In order.
        closed: First and last line of every fence, comment and raw HTML block that is closed, in order.
        unclosed: Lines that open one which is never closed, or holds a line that opens another.
    """

    __slots__ = ("boxes", "closed", "headings", "unclosed")

    def __init__(
        self,
        boxes: tuple[Box, ...],
        headings: tuple[Heading, ...],
        closed: tuple[tuple[int, int], ...],
        unclosed: frozenset[int],
    ) -> None:
        self.boxes = boxes
        self.headings = headings
        self.closed = closed
        self.unclosed = unclosed
