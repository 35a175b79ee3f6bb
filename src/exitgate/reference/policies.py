"""A page for every shipped policy and lexicon."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from exitgate.core.language.measure import facts_of
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy, Rule
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.reference.examples import list_of, mapping
from exitgate.reference.index import Entry, Page
from exitgate.reference.source import cell, code, table
from exitgate.report.policy.description import effect_text, template_text
from exitgate.report.wording import value_text

POLICIES, LEXICONS = "policies", "lexicons"


def pages(all: Mapping[str, CompiledPolicy]) -> tuple[Page, ...]:
    """Return a page for each policy of `all` (by name) and each shipped lexicon, and the lists of both."""
    made = tuple(_policy(name, policy) for name, policy in all.items())
    used = _lexicon_uses(all)
    words = tuple(_lexicon(name, used.get(name, [])) for name in shipped.lexicons())
    return (
        *made,
        *words,
        _index("policies.md", "Shipped policies", made),
        _index("lexicons.md", "Lexicons", words),
    )


def _index(path: str, title: str, pages: tuple[Page, ...]) -> Page:
    entries = [page.entries[0] for page in pages]
    rows = [(f"[{e.id}]({e.page})", cell(e.title)) for e in entries]
    return Page(path, "\n".join([f"# {title}", "", *table(("", ""), rows), ""]))


def _policy(name: str, policy: CompiledPolicy) -> Page:
    path = f"{POLICIES}/{name}.md"
    with open(os.path.join(os.path.dirname(shipped.path(name)), "README.md"), encoding="utf-8") as file:
        told = file.read()
    told = _relinked(told)
    lines = [told.rstrip("\n"), "", f"# {name} {policy.version}: parameters and rules", ""]
    knobs = [
        (
            code("$" + p.name),
            cell(str(p.type)),
            code(value_text(p.default, p.type)),
            _bounds(p.low, p.high),
            cell(p.doc),
        )
        for p in policy.parameters.values()
    ]
    lines += ["## Parameters", "", *table(("parameter", "type", "default", "bounds", "meaning"), knobs), ""]
    lines += ["## Rules in order", ""]
    lines += table(("rule", "when", "does", "says"), _rules(policy))
    lines += ["", "## Invariants", ""] if policy.invariants else [""]
    lines += [
        f"- `{one.id}`: given {code(one.text)}, {one.claim} {one.verdict}"
        + ("" if one.stage == "after_iteration" else f", {one.stage.replace('_', ' ')}")
        for one in policy.invariants
    ]
    return Page(path, "\n".join(lines).rstrip("\n") + "\n", (Entry(name, "policy", path, "", policy.title),))


def _relinked(text: str) -> str:
    """Return a README of `policies/NAME` with its links as they lead from `docs/reference/policies`."""
    for file in ("/README.md", "/policy.yaml"):
        text = text.replace(file + ")", ".md)").replace(file + "#", ".md#")
    return text.replace("](../../docs/", "](\0").replace("](../", "](").replace("](\0", "](../../")


def _bounds(low: float | None, high: float | None) -> str:
    parts = [f"from {low:g}" if low is not None else "", f"to {high:g}" if high is not None else ""]
    return " ".join(part for part in parts if part)


def _rules(policy: CompiledPolicy) -> Iterator[tuple[str, ...]]:
    for rule in policy.rules:
        yield code(rule.id), code(rule.text), cell(effect_text(rule)), cell(template_text(rule.because))
    yield "otherwise", "", "CONTINUE", cell(template_text(policy.otherwise_message))


def _lexicon(name: str, used: list[str]) -> Page:
    path = f"{LEXICONS}/{name}.md"
    with open(shipped.lexicon_path(name), encoding="utf-8") as file:
        plain = mapping(load_yaml(file.read(), name).data)
    title = str(plain.get("title", ""))
    lines = [f"# {name}", "", f"{title}.", ""]
    lines += [str(plain["doc"]).strip(), ""] if plain.get("doc") else []
    uses = [str(one) for one in list_of(plain.get("uses", []))]
    lines += [f"Takes in: {', '.join(f'[{one}]({one}.md)' for one in uses)}.", ""] if uses else []
    lines += [f"Used by: {', '.join(used)}.", ""] if used else []
    apply = [str(one) for one in list_of(plain.get("apply", []))]
    lines += [f"Guards: {', '.join(apply)}.", ""] if apply else []
    rows = [_entry(mapping(entry)) for entry in list_of(plain.get("entries", []))]
    lines += (
        ["## Entries", "", *table(("entry", "counts", "for example", "does not count"), rows), ""]
        if rows
        else []
    )
    return Page(path, "\n".join(lines), (Entry(name, "lexicon", path, "", title),))


def _lexicon_uses(all: Mapping[str, CompiledPolicy]) -> dict[str, list[str]]:
    """Return lexicon -> the shipped policies whose files name it, as links."""
    found: dict[str, list[str]] = {}
    for name in all:
        with open(shipped.path(name), encoding="utf-8") as file:
            plain = mapping(load_yaml(file.read(), name).data)
        for entry in mapping(plain.get("facts", {})).values():
            lexicon = entry.get("lexicon") if isinstance(entry, dict) else None
            if isinstance(lexicon, str):
                found.setdefault(lexicon, []).append(f"[{name}](../policies/{name}.md)")
    return {lexicon: list(dict.fromkeys(some)) for lexicon, some in found.items()}


def _entry(entry: Mapping[str, object]) -> tuple[str, ...]:
    written = entry.get("words", entry.get("phrase", entry.get("pattern", "")))
    forms = [str(one) for one in (written if isinstance(written, list) else [written]) if one]
    counts = "<br>".join(code(form) for form in forms)
    return code(str(entry["id"])), counts, _first(entry.get("examples")), _first(entry.get("counterexamples"))


def _first(written: object) -> str:
    if not isinstance(written, list) or not written:
        return ""
    first = written[0]
    return code(str(first["text"] if isinstance(first, dict) and "text" in first else first))


# Which shipped policies use what: facts of extractors, classes of exit, stages, modes.

#: So many rules of one policy are named.
_NAMED = 4


def policies() -> dict[str, CompiledPolicy]:
    """Return every shipped policy, compiled, by name."""
    return {name: load_policy(name) for name in shipped.policies()}


def fact_uses(all: Mapping[str, CompiledPolicy]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return (extractor, name behind the prefix) -> the policies and rules that use such a fact."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, policy in all.items():
        users = _users(policy)
        for prefix, extractor in _prefixes(policy):
            for fact in policy.facts:
                if fact != prefix and not fact.startswith(f"{prefix}."):
                    continue
                key = (extractor, fact[len(prefix) + 1 :])
                if users.get(fact):
                    found.setdefault(key, []).append(_users_text(name, fact, users[fact]))
    return {key: tuple(dict.fromkeys(some)) for key, some in found.items()}


def _prefixes(policy: CompiledPolicy) -> list[tuple[str, str]]:
    """Return each prefix of facts with its extractor; what the engine computes itself included."""
    found = {(entry.prefix, entry.extractor) for entry in policy.extractions}
    found |= {(one.name.rpartition(".")[0], "progress") for one in policy.derived if one.signals}
    return sorted(found | ({("circuit", "circuit")} if policy.breaker is not None else set()))


def _users(policy: CompiledPolicy) -> dict[str, list[str]]:
    """Return fact -> ids of the rules, or names of computed facts, that use it."""
    found: dict[str, list[str]] = {}
    for rule in policy.rules:
        for fact in facts_of(rule.when, policy.conditions):
            found.setdefault(fact, []).append(rule.id)
    for one in policy.derived:
        nodes = [row.when for row in one.rows] + ([one.formula] if one.formula is not None else [])
        names = {fact for node in nodes for fact in facts_of(node, policy.conditions)} | set(one.signals)
        for fact in names:
            found.setdefault(fact, []).append(one.name.rpartition(".")[0] if one.signals else one.name)
    if policy.breaker is not None:
        for opening in policy.breaker.openings:
            for fact in facts_of(opening.when, policy.conditions):
                found.setdefault(fact, []).append(f"breaker {opening.id}")
    return found


def _users_text(policy: str, fact: str, users: list[str]) -> str:
    some = list(dict.fromkeys(users))
    more = f" and {len(some) - _NAMED} more" if len(some) > _NAMED else ""
    names = ", ".join(f"`{name}`" for name in some[:_NAMED])
    return f"[{policy}](../policies/{policy}.md) as `{fact}` in {names}{more}"


def rules_by(all: Mapping[str, CompiledPolicy], key: Callable[[Rule], str | None]) -> dict[str, list[str]]:
    """Return what `key` says of a rule -> the rules of which it says so, as Markdown."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, policy in all.items():
        for rule in policy.rules:
            word = key(rule)
            if word:
                found.setdefault(word, {}).setdefault(name, []).append(f"`{rule.id}`")
    return {
        word: [f"[{name}](policies/{name}.md): {', '.join(rules)}" for name, rules in some.items()]
        for word, some in found.items()
    }
