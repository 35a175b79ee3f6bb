"""The line that leads in what is below it: it ends with a colon, or is a heading (with those above)."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.scan_blocks import CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.scan import Text

#: Characters of a line that are read, and lines that are looked back over.
LINE, BACK = 240, 60
#: Lines among which the line right above is looked for.
NEAR = 6


def lead(text: Text, first: int) -> str:
    """Return the end of the line that leads in what starts on line `first`, or ``""``."""
    for number in range(first - 1, max(-1, first - BACK), -1):
        start, end = text.plain_lines.span(number)
        line = text.plain[max(start, end - LINE) : end].strip(structural.QUOTED_LINE)
        if not any(letter.isalnum() for letter in line) or structural.fence_mark(line):
            continue
        bare = line.rstrip(structural.KEY_MARKS)
        if structural.heading_level(line):
            return _headings(text, number, structural.heading_level(line), bare)
        return _last_sentence(bare) if bare.endswith(tuple(structural.COLONS)) else ""
    return ""


def line_above(text: Text, first: int) -> str:
    """Return the last sentence right above line `first`, fences and blank lines left out, or ``""``."""
    for number in range(first - 1, max(-1, first - NEAR), -1):
        start, end = text.plain_lines.span(number)
        line = text.plain[max(start, end - LINE) : end].strip(structural.QUOTED_LINE)
        if any(letter.isalnum() for letter in line) and not structural.fence_mark(line):
            return _last_sentence(line.rstrip(structural.KEY_MARKS))
    return ""


def _headings(text: Text, number: int, level: int, last: str) -> str:
    """Return the heading at line `number` and those it is under, the highest first."""
    found = [last]
    for above in range(number - 1, max(-1, number - BACK), -1):
        if level <= 1:
            break
        start, end = text.plain_lines.span(above)
        line = text.plain[start : min(end, start + LINE)].strip(structural.QUOTED_LINE)
        higher = structural.heading_level(line)
        if 0 < higher < level and text.blocks.of_line(above) != CODE:
            found.append(line)
            level = higher
    return ": ".join(reversed(found))


def _last_sentence(line: str) -> str:
    cut = max(line.rfind(mark + " ") for mark in structural.SENTENCE_ENDS)
    wide = max(line.rfind(mark) for mark in structural.FULL_WIDTH_ENDS)
    return line[max(cut, wide) + 1 :]
