"""Small marks at the start of a Markdown line: list items, fences, rules, definitions, boxes."""

from __future__ import annotations

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
