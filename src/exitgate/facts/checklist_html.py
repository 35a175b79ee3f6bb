"""Where HTML blocks of Markdown begin and end, so that boxes inside them do not count."""

from __future__ import annotations

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
