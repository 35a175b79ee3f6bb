"""Facts found in a text, as people read them: a line a fact, its evidence quoted below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from exitgate.core.facts.text.text import LEAD
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.value import Unknown
from exitgate.report.diagnostics import quote
from exitgate.report.terminal import Style, columns, pad, safe, wrap
from exitgate.report.wording import value_text


def facts_text(
    facts: Iterable[Fact],
    specs: Mapping[str, FactSpec],
    texts: Mapping[str, str],
    style: Style,
    shown: int = 5,
) -> str:
    """
    Return the facts as a table with evidence.

    Args:
        facts: In the order to show them.
        specs: Full name -> spec, for types and meanings.
        texts: Source name -> its text, to quote whole lines from.
        style: Colour and width.
        shown: Pieces of evidence quoted of one fact; the rest is counted.
    """
    found = list(facts)
    names = max((columns(fact.name) for fact in found), default=0)
    values = min(24, max((columns(_value(fact, specs)) for fact in found), default=0))
    below = style.narrowed(4)
    quoted: set[tuple[int, int, str]] = set()
    lines: list[str] = []
    for fact in found:
        lines += _row(fact, specs, names, values, style)
        spans = [(one.start, one.end, one.note) for one in (*fact.evidence, *fact.rejected)]
        if spans and quoted.issuperset(spans):
            continue
        quoted |= set(spans)
        lines += ["    " + line for line in evidence_lines(fact.evidence, fact.rejected, texts, below, shown)]
    return "\n".join(lines) + "\n" if lines else ""


def _row(fact: Fact, specs: Mapping[str, FactSpec], names: int, values: int, style: Style) -> list[str]:
    spec = specs.get(fact.name)
    value = _value(fact, specs)
    if isinstance(fact.value, Unknown):
        meaning = fact.value.reason
    else:
        meaning = fact.note or (spec.doc if spec is not None else "")
    role = "unknown" if isinstance(fact.value, Unknown) else "strong"
    name = safe(fact.name)
    indent = " " * (names + values + 4)
    if columns(value) > values:
        first = wrap(value, style.width, " " * (names + 2))
        lines = [f"{style.paint('name', pad(name, names))}  {style.paint(role, first[0].lstrip())}"]
        lines += [style.paint(role, line) for line in first[1:]]
        return lines + ([style.paint("quiet", line) for line in wrap(safe(meaning), style.width, indent)])
    head, *rest = wrap(safe(meaning), style.width, indent)
    row = f"{style.paint('name', pad(name, names))}  {style.paint(role, pad(value, values))}  "
    return [(row + style.paint("quiet", head.lstrip())).rstrip(), *(style.paint("quiet", r) for r in rest)]


def _value(fact: Fact, specs: Mapping[str, FactSpec]) -> str:
    spec = specs.get(fact.name)
    return value_text(fact.value, spec.type if spec is not None else None)


# Evidence quoted: the line of the source a fact rests on, carets under what counted or did not.

#: Pieces of evidence shown of one fact; the rest is counted.
SHOWN = 3


def excerpt(evidence: Evidence, text: str | None) -> tuple[str, int, int]:
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
    line, start, end = excerpt(one, text)
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
