"""A policy as people read it: its knobs, its ladder of rules, its promises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from exitgate.core.language.unparse import unparse
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.decision.counterfactuals import plain
from exitgate.report.formats.output import Output, output_text
from exitgate.report.policy.sources import SourceOutput, source_lines, sources_of
from exitgate.report.terminal import Style, columns, pad, safe, verdict_role, wrap
from exitgate.report.wording import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.compiled import CompiledPolicy, Invariant, Parameter, Rule, Slot, Template


RAIL = "│   "

#: Columns from which a parameter's value is not beside what it means.
LONG = 16


def policy_text(policy: CompiledPolicy, style: Style) -> str:
    """Return parameters with their effective values, the rules in order, and the invariants, as text."""
    lines = [f"{style.paint('strong', safe(policy.name))} {safe(policy.version)}"]
    lines += wrap(safe(policy.title), style.width) if policy.title else []
    lines += [style.paint("quiet", line) for line in (safe(policy.path), *source_lines(policy))]
    if policy.parameters:
        lines += ["", style.paint("strong", "Parameters")]
        lines += _parameters(list(policy.parameters.values()), style)
    lines += ["", style.paint("strong", "Rules; the first that is true decides")]
    for rule in policy.rules:
        lines += _rule(rule, style)
    lines.append(f"● {style.paint('strong', 'otherwise')}  {style.paint('continue', 'CONTINUE')}")
    if policy.invariants:
        lines += ["", style.paint("strong", "Invariants")]
        for one in policy.invariants:
            lines += _invariant(one, style)
    return "\n".join(lines) + "\n"


def policies_text(rows: Sequence[tuple[str, str, str]], style: Style) -> str:
    """Return a table of policies: name, version, title."""
    widest = max((columns(name) for name, _, _ in rows), default=0)
    newest = max((columns(version) for _, version, _ in rows), default=0)
    lines = []
    for name, version, title in rows:
        head = f"{pad(safe(name), widest)}  {pad(safe(version), newest)}  "
        room = max(20, style.width - columns(head))
        lines.append(style.paint("strong", head[:widest]) + head[widest:] + style.fit(safe(title), room))
    return "\n".join(lines) + "\n" if lines else ""


def template_text(template: Template) -> str:
    """Return a message as it is in the policy, ``{tasks.done} of {$goal}``."""
    return "".join(part if isinstance(part, str) else slot_text(part) for part in template)


def slot_text(slot: Slot) -> str:
    """Return a slot as it is written, ``{tasks.done}`` or ``{history(signature, last 3)}``."""
    if len(slot) == 3:
        mark = "'" if '"' in slot[2] else '"'
        return f"{{{slot[0]} or else {mark}{slot[2]}{mark}}}"
    return f"{{{slot[0]}}}" if len(slot) == 1 else f"{{history({slot[0]}, last {slot[1]})}}"


def effect_text(rule: Rule) -> str:
    """Return ``EXIT complete``, ``CONTINUE`` or ``warning``, with mode and stage where they are not usual."""
    words = {"exit": f"EXIT {rule.exit_class}", "continue": "CONTINUE"}.get(rule.effect, "warning")
    if rule.mode != "enforce":
        words += f", in {rule.mode} mode"
    if rule.stage != "after_iteration":
        words += ", " + rule.stage.replace("_", " ")
    return words + (", locked" if rule.locked else "")


def _parameters(parameters: Sequence[Parameter], style: Style) -> list[str]:
    names = max(columns(p.name) for p in parameters) + 1
    shown = [value_text(p.value, p.type) for p in parameters]
    values = max((columns(value) for value in shown if columns(value) <= LONG), default=0)
    lines = []
    for p, value in zip(parameters, shown, strict=True):
        name = f"  {pad('$' + p.name, names)}  "
        head = f"{name}{pad(value, values)}  "
        if columns(value) > values:  # on lines of its own, so that the others keep their room
            lines += wrap(value, style.width, name)
            head = " " * (columns(name) + values + 2)
        text = safe(p.doc)
        if p.value != p.default:
            text += f" (default {value_text(p.default, p.type)})"
        lines += wrap(text, style.width, head)
    return [line.rstrip() for line in lines]


def _rule(rule: Rule, style: Style) -> list[str]:
    role = "warning" if rule.effect == "warn" else verdict_role(rule.effect.upper(), rule.exit_class)
    lines = [f"○ {style.paint('strong', safe(rule.id))}  {style.paint(role, effect_text(rule))}"]
    lines += wrap(safe(rule.text), style.width, f"{RAIL}when  ", f"{RAIL}      ")
    if rule.because:
        says = safe(template_text(rule.because))
        lines += wrap(says, style.width, f"{RAIL}says  ", f"{RAIL}      ")
    return [*lines, "│"]


def _invariant(one: Invariant, style: Style) -> list[str]:
    stage = "" if one.stage == "after_iteration" else f", {one.stage}"
    text = f"given {one.text}: {one.claim} {one.verdict}{stage}"
    return wrap(safe(text), style.width, f"  {safe(one.id)}  ", "      ")


# Policies as JSON: the list of those that are shipped, and one with everything in it.


class ShippedOutput(Output, frozen=True):
    """
    A policy that is shipped.

    Args:
        policy: Its name.
        version: Its version.
        title: What it is, in a line.
    """

    policy: str
    version: str
    title: str


class ParameterOutput(Output, frozen=True):
    """
    A parameter.

    Args:
        name: Its name.
        type: Its type.
        value: Its value with all settings; null where it is unknown.
        default: Its value in the policy; null where that is unknown.
        doc: What it is for.
    """

    name: str
    type: str
    value: Any
    default: Any
    doc: str


class FactOutput(Output, frozen=True):
    """
    A fact.

    Args:
        name: Its name.
        type: Its type.
        doc: What it says.
    """

    name: str
    type: str
    doc: str


class RuleOutput(Output, frozen=True, rename={"exit_class": "class"}):
    """
    A rule.

    Args:
        id: Its id.
        effect: What it does when it is true.
        exit_class: The class of its exit; null for other effects.
        outcome: The reason code.
        mode: Whether it decides, only warns, or is off.
        stage: When it is asked.
        when: Its condition.
        because: Its message.
        retry_after: For how long a loop waits, as an expression.
        locked: Whether settings may not change it.
    """

    id: str
    effect: str
    exit_class: str | None
    outcome: str
    mode: str
    stage: str
    when: str
    because: str
    retry_after: str | UnsetType
    locked: bool


class InvariantOutput(Output, frozen=True):
    """
    A promise of the policy.

    Args:
        id: Its id.
        given: On which inputs.
        claim: What is promised of them.
        verdict: The verdict that is meant.
        stage: When it is asked.
    """

    id: str
    given: str
    claim: str
    verdict: Any
    stage: str


class PolicyOutput(Output, frozen=True):
    """
    What `exitgate policies show --format json` prints.

    Args:
        policy: Its name.
        version: Its version.
        title: What it is, in a line.
        digest: Hex digest of all that was read to make it.
        path: Where it was read from.
        sources: Packages and repositories that it, or what it extends, is from; left out for none.
        parameters: With effective values.
        facts: Those that it extracts and computes.
        rules: In the order of the chain.
        invariants: Its promises.
    """

    policy: str
    version: str
    title: str
    digest: str
    path: str
    sources: tuple[SourceOutput, ...] | UnsetType
    parameters: tuple[ParameterOutput, ...]
    facts: tuple[FactOutput, ...]
    rules: tuple[RuleOutput, ...]
    invariants: tuple[InvariantOutput, ...]


def shipped_json(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return the list of shipped policies: name, version and title of each."""
    return output_text(tuple(ShippedOutput(*row) for row in rows))


def policy_json(policy: CompiledPolicy) -> str:
    """Return parameters with effective values, rules in order, and invariants."""
    return output_text(
        PolicyOutput(
            policy.name,
            policy.version,
            policy.title,
            policy.digest,
            policy.path,
            sources_of(policy) or UNSET,
            tuple(
                ParameterOutput(one.name, str(one.type), plain(one.value), plain(one.default), one.doc)
                for one in policy.parameters.values()
            ),
            tuple(FactOutput(name, str(spec.type), spec.doc) for name, spec in policy.facts.items()),
            tuple(
                RuleOutput(
                    one.id,
                    one.effect,
                    one.exit_class,
                    one.outcome,
                    one.mode,
                    one.stage,
                    one.text,
                    template_text(one.because),
                    UNSET if one.retry_after is None else unparse(one.retry_after),
                    one.locked,
                )
                for one in policy.rules
            ),
            tuple(
                InvariantOutput(one.id, one.text, one.claim, one.verdict, one.stage)
                for one in policy.invariants
            ),
        )
    )
