"""What a word is in one policy: a fact, a parameter, a named condition or a rule of it, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.language.measure import facts_of
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.policy.compiled import CompiledPolicy, Extraction
from exitgate.report.policy.description import effect_text, template_text
from exitgate.report.wording import value_text


def symbol_page(word: str, policy: CompiledPolicy) -> str | None:
    """Return the page of a fact or facts, ``$parameter``, ``@condition`` or rule of `policy`, or None."""
    name = word.removeprefix("$")
    if not word.startswith(("$", "@")) and word in policy.facts:
        return fact(word, policy)
    for entry in policy.extractions:
        if entry.prefix == word:
            return _entry(entry, policy)
    if name in policy.parameters:
        return _parameter(name, policy)
    if word.startswith("@") and word[1:] in policy.conditions:
        return _condition(word[1:], policy)
    rules = [_rule(at, policy) for at, rule in enumerate(policy.rules) if rule.id == word]
    if not rules and word in policy.conditions:
        return _condition(word, policy)
    return rules[0] if rules else None


def fact(name: str, policy: CompiledPolicy) -> str:
    """Return the page of a fact: type, range, meaning, its origin and who uses it."""
    spec = policy.facts[name]
    lines = [f"# {name}", "", spec.doc, "", "| | |", "|---|---|", f"| type | {spec.type} |"]
    lines += [f"| from | {spec.low:g} |"] if spec.low is not None else []
    lines += [f"| to | {spec.high:g} |"] if spec.high is not None else []
    lines.append(f"| unknown | {spec.unknown_when or 'never on a readable source'} |")
    lines += _origin(name, policy)
    lines += ["", f"Used in `{policy.name}` {policy.version}:", ""]
    used = list(_users(name, policy))
    lines += used or ["- only in messages and views"]
    return "\n".join(lines) + "\n"


def _entry(entry: Extraction, policy: CompiledPolicy) -> str:
    """Return the page of the facts that one extractor gives a policy."""
    lines = [f"# {entry.prefix}", "", f"Facts of `{policy.name}` {policy.version}, "]
    lines[-1] += f"by the extractor `{entry.extractor}`, reading `{entry.source}`;"
    lines += [f"`exitgate explain {entry.extractor}` has its options.", "", "| fact | type | meaning |"]
    lines.append("|---|---|---|")
    own = (name for name in policy.facts if name.startswith(entry.prefix + "."))
    lines += [f"| `{name}` | {policy.facts[name].type} | {policy.facts[name].doc} |" for name in sorted(own)]
    return "\n".join(lines) + "\n"


def _origin(name: str, policy: CompiledPolicy) -> list[str]:
    for entry in policy.extractions:
        if name == entry.prefix and entry.extractor == GIVEN:
            return [f"| extractor | none; it is given: `--fact {name}=VALUE` |"]
        if name == entry.prefix or name.startswith(entry.prefix + "."):
            return [
                f"| extractor | `{entry.extractor}`, reading `{entry.source}`; "
                f"`exitgate explain {entry.extractor}` |"
            ]
    return ["| extractor | none; it is computed from other facts |"] if _is_derived(name, policy) else []


def _is_derived(name: str, policy: CompiledPolicy) -> bool:
    return any(one.name == name for one in policy.derived)


def _users(name: str, policy: CompiledPolicy) -> Iterator[str]:
    for rule in policy.rules:
        if name in facts_of(rule.when, policy.conditions):
            yield f"- rule `{rule.id}`, {effect_text(rule)}: `{rule.text}`"
    for opening in policy.breaker.openings if policy.breaker is not None else ():
        if name in facts_of(opening.when, policy.conditions):
            yield f"- the breaker opens, `{opening.id}`: `{opening.text}`"
    for one in policy.derived:
        nodes = [row.when for row in one.rows] + ([one.formula] if one.formula is not None else [])
        if name in one.signals or any(name in facts_of(node, policy.conditions) for node in nodes):
            yield f"- the computed fact `{one.name}`"
    for promise in policy.invariants:
        if name in facts_of(promise.given, policy.conditions):
            yield f"- invariant `{promise.id}`: `{promise.text}`"


def _parameter(name: str, policy: CompiledPolicy) -> str:
    one = policy.parameters[name]
    rows = [("type", str(one.type)), ("value", value_text(one.value, one.type))]
    rows.append(("default", value_text(one.default, one.type)))
    for word, bound in (("at least", one.low), ("at most", one.high)):
        rows += [(word, value_text(bound, one.type))] if bound is not None else []
    lines = [f"# ${name}", "", one.doc, "", "| | |", "|---|---|"]
    lines += [f"| {word} | {text} |" for word, text in rows]
    lines += ["", f"Used in `{policy.name}` {policy.version}:", ""]
    users = [
        f"- rule `{rule.id}`, {effect_text(rule)}: `{rule.text}`"
        for rule in policy.rules
        if _names(rule.when, name, policy)
    ]
    return "\n".join([*lines, *(users or ["- not in the condition of any rule"])]) + "\n"


def _names(node: Node, parameter: str, policy: CompiledPolicy) -> bool:
    if node.op == "parameter":
        return node.args[0] == parameter
    if node.op == "condition":
        return _names(policy.conditions[str(node.args[0])], parameter, policy)
    return any(_names(child, parameter, policy) for child in node.children())


def _condition(name: str, policy: CompiledPolicy) -> str:
    lines = [f"# @{name}", "", f"A named condition of `{policy.name}` {policy.version}:", "", "```text"]
    return "\n".join([*lines, unparse(policy.conditions[name]), "```"]) + "\n"


def _rule(at: int, policy: CompiledPolicy) -> str:
    rule = policy.rules[at]
    lines = [f"# {rule.id}", "", f"Rule {at + 1} of {len(policy.rules)} of `{policy.name}` {policy.version}."]
    lines += ["", "| | |", "|---|---|", f"| does | {effect_text(rule)} |"]
    lines += [f"| outcome | `{rule.outcome}` |"] if rule.outcome != rule.id else []
    lines += [f"| says | {template_text(rule.because)} |"] if rule.because else []
    lines += ["", "```text", rule.text, "```", ""]
    lines += [f"Advice to the agent: {template_text(rule.advice)}", ""] if rule.advice else []
    lines += [template_text(rule.escalation), ""] if rule.escalation else []
    return "\n".join(lines).rstrip("\n") + "\n"
