"""
The explanation of a decision in a terminal: its rules as a ladder, values written into each condition.

    ○ circuit_open     false
    │   circuit.state (CLOSED) is OPEN
    │
    ● high_completion  EXIT complete, decided
    │   tasks.percent (80%) >= $min_completion (80%)
    │     tasks.percent  80%  (4 of 5)
    │       plan:3 │ - [x] Read the header
    │              │ ^^^^^ done
    │
    · low_confidence   not asked
"""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report import explanation as states
from exitgate.report.evidence import evidence_lines
from exitgate.report.outlook import ahead_rows, distance_rows, sentences
from exitgate.report.safe import safe
from exitgate.report.style import Style, verdict_role
from exitgate.report.summary import escalation_lines, head_lines, tail_rows
from exitgate.report.values import value_text
from exitgate.report.width import columns, pad, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.model.evidence import Fact
    from exitgate.report.explanation import Explanation, Rung

GLYPHS = {
    states.DECIDED: "●",
    states.TRUE: "●",
    states.WARNS: "!",
    states.SHADOW: "◌",
    states.FALSE: "○",
    states.PENDING: "◔",
    states.UNKNOWN: "?",
    states.NOT_ASKED: "·",
}
RAIL = "│   "


def ladder_text(explained: Explanation, style: Style) -> str:
    """Return the explanation as text with a line end."""
    lines = head_lines(explained.decision, style)
    lines += [style.paint("quiet", line) for line in wrap(_origin(explained), style.width)]
    lines.append("")
    widest = max((columns(rung.rule.id) for rung in explained.rungs), default=0)
    shown: set[object] = set()
    for at, rung in enumerate(explained.rungs):
        lines += _title(rung, explained, widest, style)
        inner = _inner(rung, explained, shown, Style(style.color, style.width - len(RAIL)))
        lines += [(style.paint("quiet", "│") + RAIL[1:] + line).rstrip() for line in inner]
        if inner and (at + 1 < len(explained.rungs) or explained.decision.rule is None):
            lines.append(style.paint("quiet", "│"))
    lines += _otherwise(explained, widest, style)
    rows = tail_rows(explained.decision, style)
    lines += ["", *rows] if rows else []
    lines += _changes(sentences(explained.outlook, explained.policy, explained.all), style)
    lines += _outlook(explained, style) + escalation_lines(explained.decision)
    return "\n".join(lines) + "\n"


def _changes(changes: Sequence[str], style: Style) -> list[str]:
    lines = [""] if changes else []
    for change in changes:
        first, *rest = wrap(safe(change), style.width, "", "  ")
        lines += [style.paint("strong", first), *rest]
    return lines


def _outlook(explained: Explanation, style: Style) -> list[str]:
    outlook, policy = explained.outlook, explained.policy
    lines = _rows("thresholds", distance_rows(outlook.distances, policy, explained.all), style)
    if outlook.ahead is not None:
        lines += _rows("next time", ahead_rows(outlook.ahead, policy, explained.all), style)
    return lines


def _rows(title: str, rows: Sequence[tuple[str, str]], style: Style) -> list[str]:
    """Return a title and rows of two columns, behind an empty line; none for no rows."""
    if not rows:
        return []
    widest = min(max(columns(label) for label, _ in rows), style.width // 3)
    lines = ["", style.paint("strong", title)]
    for label, text in rows:
        first = "  " + pad(safe(label), widest) + "  "
        begin, *rest = wrap(safe(text), style.width, first, " " * (widest + 4))
        lines += [style.paint("name", first.rstrip()) + begin[len(first.rstrip()) :], *rest]
    return lines


def _origin(explained: Explanation) -> str:
    policy, decision = explained.policy, explained.decision
    parts = [f"{policy.name} {policy.version}"]
    if explained.run:
        parts.append(f"{explained.run} iteration {explained.number}")
    parts.append(decision.stage.replace("_", " "))
    parts.append("firm" if decision.firm else "tentative")
    if decision.blind:
        parts.append("blind")
    return safe(" · ".join(parts))


def _title(rung: Rung, explained: Explanation, widest: int, style: Style) -> list[str]:
    decision = explained.decision
    role = {
        states.DECIDED: verdict_role(decision.verdict, decision.exit_class),
        states.TRUE: "true",
        states.WARNS: "warning",
        states.SHADOW: "note",
        states.PENDING: "unknown",
        states.UNKNOWN: "unknown",
    }.get(rung.state, "quiet")
    strong = "quiet" if rung.state == states.NOT_ASKED else "strong"
    rail = "│" if rung.state != states.NOT_ASKED else " "
    words = rung_word(rung, explained)
    return _named(GLYPHS[rung.state], rung.rule.id, words, widest, style, (role, strong), rail)


def _named(
    glyph: str, name: str, words: str, widest: int, style: Style, roles: tuple[str, str], rail: str = " "
) -> list[str]:
    """Return ``glyph name  words``, the words wrapped in their own column."""
    role, name_role = roles
    first, *rest = wrap(words, style.width, "  " + " " * widest + "  ")
    title = f"{style.paint(role, glyph)} {style.paint(name_role, pad(safe(name), widest))}  "
    more = [style.paint("quiet", rail) + style.paint(role, line[1:]) for line in rest]
    return [title + style.paint(role, first.lstrip()), *more]


def rung_word(rung: Rung, explained: Explanation) -> str:
    """Return in a few words how the rule came out and what that means for the decision."""
    rule, decision = rung.rule, explained.decision
    effect = f"EXIT {rule.exit_class}" if rule.effect == "exit" else "CONTINUE"
    if rung.state == states.DECIDED:
        return f"{decision.verdict} {decision.exit_class or ''}".rstrip() + ", decided"
    if rung.state == states.PENDING:
        return "false, pending " + ", ".join(str(p) for p in rung.step.pending)
    if rung.state == states.SHADOW:
        return f"true, in shadow mode: would be {effect}"
    if rung.state == states.UNKNOWN and rule.effect != "warn" and rule.mode == "enforce":
        return f"unknown, could be {effect}"
    return rung.state


def _inner(rung: Rung, explained: Explanation, shown: set[object], style: Style) -> list[str]:
    if rung.state == states.NOT_ASKED:
        return []
    written = rung.written or rung.rule.text
    below = Style(style.color, style.width - 2)
    lines: list[str] = []
    for pending in rung.step.pending:
        lines += _labelled("pending", f"{pending.form}: {pending}", below)
    for name in rung.names:
        fact = explained.facts.get(name)
        if fact is None or name in shown:
            continue
        fresh = _spans(fact) - shown
        if fresh or fact.note or name not in written:
            shown |= {name} | fresh
            lines += _fact(fact, explained, below, bool(fresh))
    for unknown in dict.fromkeys(rung.step.unknowns):
        if f"unknown: {unknown.reason}" not in written and unknown.origin not in shown:
            lines += _labelled("unknown", _unknown(unknown), below)
    return wrap(safe(written), style.width, "", "    ") + ["  " + line for line in lines]


def _labelled(label: str, text: str, style: Style) -> list[str]:
    lines = wrap(safe(text), style.width, label.ljust(6) if len(label) < 6 else label + "  ")
    lines[0] = style.paint("quiet", label) + lines[0][len(label) :]
    return lines


def _fact(fact: Fact, explained: Explanation, style: Style, quoting: bool) -> list[str]:
    spec = explained.policy.facts.get(fact.name)
    if isinstance(fact.value, Unknown):
        text, role = f"unknown: {fact.value.reason}", "unknown"
    else:
        text, role = value_text(fact.value, spec.type if spec is not None else None), "strong"
    indent = " " * (columns(fact.name) + 2)
    first, *rest = wrap(safe(text), style.width, indent)
    lines = [f"{style.paint('name', safe(fact.name))}  {style.paint(role, first.lstrip())}"]
    lines += [style.paint(role, line) for line in rest]
    if fact.note:
        remark = f"({safe(fact.note)})"
        if not rest and columns(first) + 2 + columns(remark) <= style.width:
            lines[0] += "  " + style.paint("quiet", remark)
        else:
            lines += [style.paint("quiet", line) for line in wrap(remark, style.width, indent)]
    if not quoting:
        return lines
    inner = Style(style.color, style.width - 2)
    quoted = evidence_lines(fact.evidence, fact.rejected, explained.texts, inner)
    return lines + ["  " + line for line in quoted]


def _spans(fact: Fact) -> set[object]:
    """Return what the fact's evidence points at; evidence that was quoted above is not quoted again."""
    return {(one.source, one.start, one.end, one.note) for one in (*fact.evidence, *fact.rejected)}


def _unknown(unknown: Unknown) -> str:
    return f"{unknown.origin}: {unknown.reason}" if unknown.origin else unknown.reason


def _otherwise(explained: Explanation, widest: int, style: Style) -> list[str]:
    if explained.decision.rule is not None:
        return []
    decision = explained.decision
    words = f"{decision.verdict} {decision.exit_class or ''}".rstrip() + ", no rule is true"
    role = verdict_role(decision.verdict, decision.exit_class)
    return _named(GLYPHS[states.DECIDED], "otherwise", words, widest, style, (role, "strong"))
