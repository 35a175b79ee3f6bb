"""Evidence quoted: the line of the source a fact rests on, carets under what counted or did not."""

from __future__ import annotations

from exitgate.facts.scan import LEAD
from exitgate.model.evidence import EXCERPT_LIMIT
from exitgate.report.quote import quote
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.model.evidence import Evidence
    from exitgate.report.style import Style

#: Pieces of evidence shown of one fact; the rest is counted.
SHOWN = 3


def stretch(evidence: Evidence, text: str | None) -> tuple[str, int, int]:
    """
    Return the line to quote and the 0-based offsets of the marked part in it.

    Args:
        evidence: Where the match is.
        text: Whole text of its source, or None when only the excerpt was kept.
    """
    length = max(0, evidence.end - evidence.start)
    if text is not None and evidence.end <= len(text):
        first = text.rfind("\n", 0, evidence.start) + 1
        last = text.find("\n", evidence.start)
        line = text[first : len(text) if last < 0 else last].rstrip("\r")
        start = evidence.start - first
        return line, start, min(start + length, len(line))
    line = evidence.excerpt.split("\n", 1)[0].rstrip("\r")
    start = evidence.column - 1
    if start + length > EXCERPT_LIMIT:
        start = min(start, LEAD)  # the excerpt begins that far before the match
    if length == len(evidence.excerpt) or start + length > len(line):
        start = 0
    return line, start, min(start + length, len(line))


def evidence_lines(
    evidence: Sequence[Evidence],
    rejected: Sequence[Evidence],
    texts: Mapping[str, str],
    style: Style,
    shown: int = SHOWN,
) -> list[str]:
    """
    Return the printed lines for a fact's evidence, what counted first, then what did not and why.

    Args:
        evidence: What the value rests on.
        rejected: What did not count, each with its guard.
        texts: Source name -> text, where it is at hand.
        style: Colour and width.
        shown: How many of each are quoted; the rest is counted in a line.
    """
    quoted = [*evidence[:shown], *rejected[:shown]]
    gutter = max((len(_gutter(e)) for e in quoted), default=0)
    lines: list[str] = []
    last = ""
    for group in (evidence, rejected):
        for one in group[:shown]:
            line, *marks = _quoted(one, texts.get(one.source), gutter, style)
            lines += marks if line == last else [line, *marks]
            last = line
        if len(group) > shown:
            left = len(group) - shown
            counts = ("counts", "count") if group is evidence else ("does not count", "do not count")
            more = f"and {left} more that {counts[left > 1]}"
            lines.append(f"{' ' * gutter} {style.paint('place', '┆')} {style.paint('quiet', more)}")
    return lines


def _quoted(one: Evidence, text: str | None, gutter: int, style: Style) -> list[str]:
    line, start, end = stretch(one, text)
    note = safe(one.note)
    refused = one.guard is not None
    label = f"does not count, {safe(str(one.guard))}{': ' + note if note else ''}" if refused else note
    return quote(
        line,
        start,
        end,
        style,
        gutter=_gutter(one),
        gutter_width=gutter,
        role="unknown" if refused else "true",
        label=label,
        mark="~" if refused else "^",
    )


def _gutter(one: Evidence) -> str:
    return f"{safe(one.source)}:{one.line}"
