"""An explanation as Markdown, for an issue, a pull request or a step summary."""

from __future__ import annotations

from collections.abc import Iterable

from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.value import Unknown
from exitgate.report.decision import explanation as states
from exitgate.report.decision.counterfactuals import ahead_rows, distance_rows, sentences
from exitgate.report.decision.explanation import Explanation
from exitgate.report.decision.facts import SHOWN
from exitgate.report.decision.ladder import GLYPHS, rung_word
from exitgate.report.decision.summary import (
    alternative_text,
    if_readable_text,
    undetermined_text,
    verdict_text,
)
from exitgate.report.policy.sources import source_lines
from exitgate.report.probes import probe_rows
from exitgate.report.terminal import safe
from exitgate.report.wording import retry_text, value_text

#: Characters that mean something in Markdown wherever they are in a line.
SPECIAL = frozenset("\\`*_[]<>|~&")
#: Characters that make a heading, a list or a rule at the beginning of a line.
OPENING = frozenset("#+-=")
#: Put between an at sign and a name: forges take the two for one person otherwise.
UNCALLED = "<!-- -->"
#: Characters of names of facts and parameters.
NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.$")


def explanation_markdown(explained: Explanation) -> str:
    """
    Return a Markdown document for a pull request.

    First the verdict, then what would have changed it and what is next; the ladder and the evidence are
    folded away below.
    """
    explained = _narrowed(explained)
    decision, policy = explained.decision, explained.policy
    firm = "firm" if decision.firm else "tentative"
    origin = [f"{policy.name} {policy.version}", *source_lines(policy), firm]
    if explained.run:
        origin.insert(1, f"{explained.run} iteration {explained.number}")
    head = f"{verdict_text(decision.verdict, decision.exit_class)} · {decision.outcome}"
    blocks = [f"## {prose(head)}", prose(decision.message), prose(" · ".join(origin))]
    blocks += _remarks(explained)
    blocks += outlook_blocks(explained)
    blocks += folded(_title(explained), _table(explained))
    facts = [explained.facts[name] for name in _named(explained) if name in explained.facts]
    if facts:
        blocks += folded("Facts and evidence", "\n".join(_fact(fact, explained) for fact in facts))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _narrowed(explained: Explanation) -> Explanation:
    """Return it with the rules of the class, or the one rule, that was asked for."""
    rungs = explained.rungs
    if explained.rule:
        rungs = tuple(one for one in rungs if one.rule.id == explained.rule)
    elif explained.why_not:
        rungs = tuple(one for one in rungs if one.rule.exit_class == explained.why_not)
    return explained.but(rungs=rungs)


def _title(explained: Explanation) -> str:
    count = "one rule" if len(explained.rungs) == 1 else f"{len(explained.rungs)} rules, in order"
    return f"Why not EXIT {explained.why_not}: {count}" if explained.why_not else count


def outlook_blocks(explained: Explanation) -> list[str]:
    """Return what would have changed the decision as a list, what is next and thresholds as tables."""
    outlook, policy = explained.outlook, explained.policy
    told = sentences(outlook, policy, explained.all)
    blocks = ["### What would have changed it", "\n".join(f"- {marked(one)}" for one in told)] if told else []
    asked = probe_rows(policy, explained.probes)
    blocks += ["### Probes", _two_columns("probe", "answer", asked)] if asked else []
    if outlook.ahead is not None:
        rows = ahead_rows(outlook.ahead, policy, explained.all)
        blocks += ["### Next time", _two_columns("decision", "if", rows)]
    rows = distance_rows(outlook.distances, policy, explained.all)
    if rows:
        blocks += ["### Thresholds", _two_columns("rule", "how far", rows)]
    return blocks


def _two_columns(left: str, right: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {left} | {right} |", "|---|---|"]
    return "\n".join([*lines, *(f"| {cell(prose(one))} | {cell(marked(other))} |" for one, other in rows)])


def folded(title: str, block: str) -> list[str]:
    """Return a block that a reader unfolds; `title` is ours, never a user's."""
    return [f"<details>\n<summary>{title}</summary>", block, "</details>"]


def marked(text: str) -> str:
    """
    Return a sentence with names in backticks as Markdown.

    Only what is between two backticks and is made of what names are made of becomes a code span;
    all else is shown as it is.
    """
    parts = text.split("`")
    shown = [prose(parts[0])]
    place = 1
    while place < len(parts):
        if place + 1 < len(parts) and parts[place] and NAME.issuperset(parts[place]):
            shown += [code(parts[place]), inner(parts[place + 1])]
            place += 2
        else:
            shown.append("\\`" + inner(parts[place]))
            place += 1
    return "".join(shown)


def prose(text: str) -> str:
    """Return `text` so that Markdown shows it as it is."""
    shown = inner(text)
    if shown[:1] in OPENING:
        return "\\" + shown
    number = shown[: len(shown) - len(shown.lstrip("0123456789"))]
    sign, behind = shown[len(number) : len(number) + 1], shown[len(number) + 1 : len(number) + 2]
    if number and sign in (".", ")") and not behind.strip():
        return f"{number}\\{shown[len(number) :]}"  # else it would be the first item of a list
    return shown


def inner(text: str) -> str:
    """
    Return `text` as `prose` does, for a place that is not the beginning of a line.

    A name behind an at sign is kept from calling the person of that name.
    """
    shown = "".join("\\" + c if c in SPECIAL else c for c in safe(text))
    first, *parts = shown.split("@")
    return first + "".join(f"@{UNCALLED if part[:1].isalnum() else ''}{part}" for part in parts)


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
    items += [f"if readable: {prose(if_readable_text(other))}" for other in decision.if_readable]
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
        value = value_text(fact.value, spec.type if spec is not None else None)
        shown = f"{value}: {prose(fact.value.reason)}"
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
