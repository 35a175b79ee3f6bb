"""A page for every shipped policy and lexicon."""

from __future__ import annotations

import os

from exitgate.policy import shipped
from exitgate.policy.document import load_yaml
from exitgate.reference.asked import list_of, mapping
from exitgate.reference.entry import Entry, Page
from exitgate.reference.tables import cell, code, table
from exitgate.report.policy_page import effect_text, template_text
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.policy.compiled import CompiledPolicy

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
