"""An explanation as Markdown, for an issue, a pull request or a step summary."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report import explanation as states
from exitgate.report.evidence import SHOWN
from exitgate.report.ladder import GLYPHS, rung_word
from exitgate.report.retry import retry_text
from exitgate.report.safe import safe
from exitgate.report.summary import alternative_text, undetermined_text, verdict_text
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.evidence import Evidence, Fact
    from exitgate.report.explanation import Explanation

#: Characters that mean something in Markdown wherever they stand in a line.
SPECIAL = frozenset("\\`*_[]<>|~&")
#: Characters that make a heading, a list or a rule at the beginning of a line.
OPENING = frozenset("#+-=")


def explanation_markdown(explained: Explanation) -> str:
    """Return a Markdown document: verdict, ladder as a table, conditions with values, facts with evidence."""
    decision, policy = explained.decision, explained.policy
    firm = "firm" if decision.firm else "tentative"
    origin = [f"{policy.name} {policy.version}", firm]
    if explained.run:
        origin.insert(1, f"{explained.run} iteration {explained.number}")
    head = f"{verdict_text(decision.verdict, decision.exit_class)} · {decision.outcome}"
    blocks = [f"## {prose(head)}", prose(decision.message), prose(" · ".join(origin)), _table(explained)]
    blocks += [f"**{prose(change)}**" for change in explained.changes]
    blocks += _remarks(explained)
    facts = [explained.facts[name] for name in _named(explained) if name in explained.facts]
    if facts:
        blocks += ["### Facts", "\n".join(_fact(fact, explained) for fact in facts)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def prose(text: str) -> str:
    """Return `text` so that Markdown shows it as it stands."""
    shown = "".join("\\" + c if c in SPECIAL else c for c in safe(text))
    return "\\" + shown if shown[:1] in OPENING else shown


def code(text: str) -> str:
    """Return `text` as a code span; the fence is longer than any run of backticks in it."""
    shown = safe(text)
    fence = "`"
    while fence in shown:
        fence += "`"
    edge = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{edge}{shown}{edge}{fence}"


def cell(text: str) -> str:
    """Return Markdown fit for the cell of a table, in which even a code span must escape its bars."""
    return text.replace("|", "\\|")


def _table(explained: Explanation) -> str:
    rows = ["| | rule | | condition, values written in |", "|---|---|---|---|"]
    for rung in explained.rungs:
        asked = rung.state != states.NOT_ASKED
        condition = rung.written if asked and rung.written else rung.rule.text
        name = f"**{prose(rung.rule.id)}**" if rung.state == states.DECIDED else prose(rung.rule.id)
        rows.append(
            f"| {GLYPHS[rung.state]} | {name} | {prose(rung_word(rung, explained))} "
            f"| {cell(code(condition))} |"
        )
    return "\n".join(rows)


def _remarks(explained: Explanation) -> list[str]:
    decision = explained.decision
    retry = retry_text(decision)
    items = [f"retry {prose(retry)}"] if retry else []
    items += [f"tentative: {prose(alternative_text(other))}" for other in decision.alternatives]
    for warned in decision.warnings:
        items.append(f"warning: {prose(f'{warned.rule}: ' if warned.rule else '')}{prose(warned.message)}")
    items += [f"undetermined: {prose(undetermined_text(step))}" for step in decision.undetermined]
    items += [f"advice: {prose(decision.advice)}"] if decision.advice else []
    return ["\n".join(f"- {item}" for item in items)] if items else []


def _named(explained: Explanation) -> list[str]:
    asked = [rung for rung in explained.rungs if rung.state != states.NOT_ASKED]
    return list(dict.fromkeys(name for rung in asked for name in rung.names))


def _fact(fact: Fact, explained: Explanation) -> str:
    spec = explained.policy.facts.get(fact.name)
    if isinstance(fact.value, Unknown):
        shown = f"unknown: {prose(fact.value.reason)}"
    else:
        shown = code(value_text(fact.value, spec.type if spec is not None else None))
    note = f" ({prose(fact.note)})" if fact.note else ""
    lines = [f"- {code(fact.name)} is {shown}{note}"]
    for group in (fact.evidence, fact.rejected):
        lines += [f"  - {_evidence(one)}" for one in group[:SHOWN]]
        if len(group) > SHOWN:
            lines.append(f"  - and {len(group) - SHOWN} more")
    return "\n".join(lines)


def _evidence(one: Evidence) -> str:
    place = f"{one.source}:{one.line}"
    why = f", does not count: {prose(one.guard)}" if one.guard is not None else ""
    note = f", {prose(one.note)}" if one.note else ""
    return f"{prose(place)} {code(one.excerpt)}{note}{why}"
