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

from collections.abc import Sequence

from exitgate.analysis.results.counterfactual import FOUND
from exitgate.core.model.display import counted
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown
from exitgate.report.decision import explanation as states
from exitgate.report.decision.changes import is_digest, turn_text
from exitgate.report.decision.counterfactuals import CHANGES, ahead_rows, distance_rows, sentences
from exitgate.report.decision.explanation import Explanation, Rung
from exitgate.report.decision.facts import evidence_lines
from exitgate.report.decision.summary import Setting, escalation_lines, row
from exitgate.report.decision.verbose import answer_lines, remark_rows
from exitgate.report.policy.sources import source_lines
from exitgate.report.probes import probe_rows
from exitgate.report.terminal import Style, columns, pad, safe, verdict_role, wrap
from exitgate.report.wording import brief, value_text

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
#: Characters of a digest that are shown, as git does.
SHORT = 7


def ladder_text(explained: Explanation, style: Style) -> str:
    """
    Return the explanation as text with a line end: the answer, then the rules that matter.

    With `all` every rule is shown in chain order; with `rule` only that one; with `why_not` the rules of a
    class.
    """
    decision, setting = explained.decision, explained.setting or Setting(explained.policy, explained.facts)
    lines = answer_lines(decision, setting, style)
    lines += [style.paint("quiet", line) for line in wrap(_origin(explained), style.width)]
    lines += [style.paint("quiet", line) for line in source_lines(explained.policy)]
    lines.append("")
    if explained.rule or explained.why_not:
        lines += chosen_lines(explained, style)
        return "\n".join(lines) + "\n"
    rungs = explained.rungs if explained.all else [r for r in explained.rungs if is_relevant(r, explained)]
    lines += _ladder(explained, rungs, style)
    folded = len(explained.rungs) - len(rungs)
    if folded:
        lines += ["", *wrap(_folded(folded, explained), style.width)]
    rows: list[str] = []
    for label, text, role in remark_rows(decision, setting):
        rows += row(label, text if explained.all else brief(text, setting.folder), style, role)
    lines += ["", *rows] if rows else []
    lines += _changes(sentences(explained.outlook, explained.policy, explained.all), style)
    lines += _outlook(explained, style) + escalation_lines(decision)
    return "\n".join(lines) + "\n"


def is_relevant(rung: Rung, explained: Explanation) -> bool:
    """
    Return whether a rule is shown unless all are wanted.

    It decided, would have in shadow mode, could not be checked, is under way, or is one change from deciding.
    """
    if rung.state in (states.DECIDED, states.SHADOW, states.TRUE):
        return True
    decides = rung.rule.effect != "warn" and rung.rule.mode == "enforce"
    under_way = any(not form.is_first for form in rung.step.pending)
    return decides and (rung.state == states.UNKNOWN or under_way or _near(rung, explained))


def _near(rung: Rung, explained: Explanation) -> bool:
    """Return whether a change of one fact makes the rule decide, of those that are reported."""
    if rung.state == states.NOT_ASKED:
        return False
    turns = [turn for turn in explained.outlook.turns if turn.status == FOUND][:CHANGES]
    return any(
        change.decision.rule == rung.rule.id and len(change.edits) == 1
        for turn in turns
        for change in turn.best
    )


def chosen_lines(explained: Explanation, style: Style) -> list[str]:
    """Return the rule that was asked for, or the rules of a class and why none of them decided."""
    if explained.rule:
        rungs = [rung for rung in explained.rungs if rung.rule.id == explained.rule]
        return _ladder(explained, rungs, style, whole=True)
    wanted, policy = explained.why_not, explained.policy
    if explained.decision.exit_class == wanted:
        return [
            f"it is EXIT {wanted}"
            + (f": rule `{explained.decision.rule}` decided" if explained.decision.rule else "")
        ]
    rules = [rule for rule in policy.rules if rule.exit_class == wanted]
    asked = {rung.rule.id for rung in explained.rungs}
    lines = [style.paint("strong", f"why not EXIT {wanted}")]
    if wanted == "undetermined" and policy.exit_after_blind is not None:
        times = counted(policy.exit_after_blind or 0, "time", "times in a row")
        lines += wrap(
            f"no response, output, tool result or plan can be read {times}: then it is",
            style.width,
        )
    if not rules:
        return [*lines, *wrap(safe(f"no rule of {policy.name} gives EXIT {wanted}"), style.width)]
    lines += _ladder(
        explained, [r for r in explained.rungs if r.rule.exit_class == wanted], style, whole=True
    )
    for rule in rules:
        if rule.id not in asked:
            stage = rule.stage.replace("_", " ")
            lines += wrap(safe(f"`{rule.id}` was not evaluated: it belongs to stage {stage}"), style.width)
    turns = [turn for turn in explained.outlook.turns if turn.result == ("EXIT", wanted)]
    return lines + _changes([turn_text(turn, policy) for turn in turns], style)


def _folded(count: int, explained: Explanation) -> str:
    name = explained.rungs[0].rule.id
    rules = "one more rule" if count == 1 else f"{count} more rules"
    return f"{rules}: `--all` shows all, `--rule {safe(name)}` one, `--why-not complete` the rules of a class"


def _ladder(explained: Explanation, rungs: Sequence[Rung], style: Style, *, whole: bool = False) -> list[str]:
    """Return the rungs; of those that did not decide only what counts, unless they are wanted whole."""
    lines: list[str] = []
    widest = max((columns(rung.rule.id) for rung in rungs), default=0)
    shown: set[object] = set()
    full = whole or explained.all
    for at, rung in enumerate(rungs):
        lines += _title(rung, explained, widest, style)
        below = style.narrowed(len(RAIL))
        if full or rung.state == states.DECIDED:
            inner = _inner(rung, explained, shown, below, asked=whole)
        else:
            inner = _short(rung, below)
        lines += [(style.paint("quiet", "│") + RAIL[1:] + line).rstrip() for line in inner]
        if inner and (at + 1 < len(rungs) or (explained.decision.rule is None and not whole)):
            lines.append(style.paint("quiet", "│"))
    return lines if whole else lines + _otherwise(explained, widest, style)


def _short(rung: Rung, style: Style) -> list[str]:
    """Return of a rule that did not decide how far it has come, and what is not known, else its condition."""
    lines = [line for one in rung.step.pending for line in _labelled("pending", f"{one.form}: {one}", style)]
    for unknown in dict.fromkeys(rung.step.unknowns):
        lines += _labelled("unknown", brief(_unknown(unknown)), style)
    return lines or wrap(safe(brief(rung.written or rung.rule.text)), style.width, "", "    ")


def _changes(changes: Sequence[str], style: Style) -> list[str]:
    lines = [""] if changes else []
    for change in changes:
        first, *rest = wrap(safe(change), style.width, "", "  ")
        lines += [style.paint("strong", first), *rest]
    return lines


def _outlook(explained: Explanation, style: Style) -> list[str]:
    outlook, policy = explained.outlook, explained.policy
    lines = _rows("probes", probe_rows(policy, explained.probes), style)
    lines += _rows("thresholds", distance_rows(outlook.distances, policy, explained.all), style)
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
    if not decision.firm:
        parts.append("tentative")
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


def _inner(
    rung: Rung, explained: Explanation, shown: set[object], style: Style, *, asked: bool = False
) -> list[str]:
    if rung.state == states.NOT_ASKED and not asked:
        return []
    written = rung.written or rung.rule.text
    below = style.narrowed(2)
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
        reason = fact.value.reason if explained.all else brief(fact.value.reason)
        text, role = f"{value_text(fact.value, spec.type if spec is not None else None)}: {reason}", "unknown"
    else:
        text, role = value_text(fact.value, spec.type if spec is not None else None), "strong"
        if is_digest(fact.value) and not explained.all:
            text = text[:SHORT]
    indent = " " * (columns(fact.name) + 2)
    first, *rest = wrap(safe(text), style.width, indent)
    lines = [f"{style.paint('name', safe(fact.name))}  {style.paint(role, first.lstrip())}"]
    lines += [style.paint(role, line) for line in rest]
    if fact.note:
        remark = f"({safe(fact.note if explained.all else brief(fact.note))})"
        if not rest and columns(first) + 2 + columns(remark) <= style.width:
            lines[0] += "  " + style.paint("quiet", remark)
        else:
            lines += [style.paint("quiet", line) for line in wrap(remark, style.width, indent)]
    if not quoting:
        return lines
    inner = style.narrowed(2)
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
