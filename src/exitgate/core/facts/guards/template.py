"""`template`: the match is a choice of a form (``COMPLETE | BLOCKED``) or beside a blank to fill in."""

from __future__ import annotations

from exitgate.core.facts.text import structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext
    from exitgate.core.facts.text.text import Text


#: A line longer than this is prose.
LINE_LIMIT = 400
#: Most characters of a placeholder.
PLACEHOLDER_LIMIT = 80
#: A placeholder further from the match, in characters, has nothing to do with it.
NEAR = 40


def holds(seen: MatchContext, _words: GuardWords) -> bool:
    """Return whether the match is among alternatives or a placeholder is near it."""
    text, match = seen.text, seen.match
    number = text.lines.number(match.start)
    left, right = text.lines.span(number)
    right = max(right, match.end)
    if right - left > LINE_LIMIT:
        left, right = max(left, match.start - LINE_LIMIT // 2), min(right, match.end + LINE_LIMIT // 2)
    line = text.original[left:right]
    start, end = match.start - left, match.end - left
    if _slashed(line, start, end, len(match.parts)) or _in_placeholder(line, start, end):
        return True
    near = line[max(0, start - NEAR) : end + NEAR]
    return _barred(text, number, line, start, end) or _has_placeholder(near)


def _slashed(line: str, start: int, end: int, parts: int) -> bool:
    """Alternatives written ``pass/fail``; a slash before several words is a path or a pair of nouns."""
    if line[end : end + 1] == "/" and line[end + 1 : end + 2].isalnum():
        return True
    return parts == 1 and start > 1 and line[start - 1] == "/" and line[start - 2].isalnum()


def _barred(text: Text, number: int, line: str, start: int, end: int) -> bool:
    """Alternatives written ``A | B``, outside tables."""
    before, after = (
        line[:start].rstrip(structure.EMPHASIS + " \t"),
        line[end:].lstrip(structure.EMPHASIS + " \t"),
    )
    if not (before.endswith("|") or after.startswith("|")) or before.endswith("||") or after.startswith("||"):
        return False
    return not _in_table(text, number, line)


def _in_table(text: Text, number: int, line: str) -> bool:
    if line.lstrip().startswith("|"):
        return True
    first, last = text.lines.paragraph(text.lines.starts[number])
    low, high = max(0, number - 50), min(len(text.lines.starts), number + 51)
    for near in range(low, high):
        start, end = text.lines.span(near)
        if first - 200 <= start <= last + 200 and end > start:
            marks = text.original[start : min(end, start + 200)]
            if "|" in marks and "-" in marks and not marks.strip("|-: \t"):
                return True
    return False


def _in_placeholder(line: str, start: int, end: int) -> bool:
    """Return whether the match is the inside, or part of the inside, of ``<...>``, ``{...}``, ``[...]``."""
    for opening, closing in structure.PLACEHOLDERS.items():
        left = line.rfind(opening, max(0, start - PLACEHOLDER_LIMIT), start)
        if left < 0 or closing in line[left:start]:
            continue
        right = line.find(closing, end, end + PLACEHOLDER_LIMIT)
        if right < 0 or opening in line[end:right]:
            continue
        if opening == "[" and line[right + 1 : right + 2] in ("(", "["):
            continue  # the text of a link
        if opening == "{" and '":' in line[left:right]:
            continue  # an object of JSON
        if opening == "<" and (line[left + 1 : left + 2] in ("/", "!") or "=" in line[left:right]):
            continue
        return True
    return False


def _has_placeholder(line: str) -> bool:
    """Return whether the line holds ``<a blank>`` or ``{{a blank}}``; paired tags are none."""
    if "{{" in line and "}}" in line:
        return True
    left = line.find("<")
    while left >= 0:
        right = line.find(">", left, left + PLACEHOLDER_LIMIT)
        if right > left + 1:
            name = line[left + 1 : right]
            plain = name[:1].isalpha() and not name.endswith("/") and "=" not in name and ":" not in name
            if plain and f"</{name.split()[0]}>" not in line and not name[0].isupper():
                return True
        left = line.find("<", left + 1)
    return False
