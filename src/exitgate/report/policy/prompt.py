"""What a policy asks the agent to say, as Markdown to append to its prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exitgate.core.language.tree import Node
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compiled import CompiledPolicy, Extraction
from exitgate.report.terminal import safe

#: Type of a field -> the blank that the form shows for it.
BLANKS = {
    "bool": "true | false",
    "count": "<number>",
    "number": "<number>",
    "percent": "<0 to 100>",
    "text": "<one line>",
}
#: Type of a field -> what to write, for fields whose blank does not say it all.
KINDS = {
    "count": "a whole number, 0 for none",
    "number": "a number",
    "percent": "a percentage, from 0 to 100",
    "text": "one line of text",
}
#: What the agent's program writes, not the agent: nothing to ask for.
RECORD = "result"


def prompt_page(policy: CompiledPolicy) -> str:
    """
    Return the instructions for the status blocks and promises that `policy` reads, or ``""`` without any.

    Everything in it is a form to fill in or a mention: an agent that repeats the page gives no signal.
    """
    settings = {name: parameter.value for name, parameter in policy.parameters.items()}
    leads = _leads(policy, settings)
    # a promise that only settings which are off would take is not asked for
    off = _leads(policy, {}).keys() - leads.keys()
    parts = [
        part
        for extraction in policy.extractions
        for part in (_instruction(extraction, leads),)
        if part and extraction.source != RECORD and f"{extraction.prefix}.emitted" not in off
    ]
    return "\n".join(["## How to report\n", *parts]) if parts else ""


def _instruction(extraction: Extraction, leads: Mapping[str, Mapping[str, str]]) -> str:
    if extraction.extractor == "status_block":
        return _block(extraction.prefix, extraction.options, leads)
    if extraction.extractor == "promise":
        return _promise(extraction.prefix, extraction.options, leads)
    return ""


def _block(prefix: str, options: Mapping[str, object], leads: Mapping[str, Mapping[str, str]]) -> str:
    fields = options.get("fields")
    entries = (
        {str(k): v for k, v in fields.items() if isinstance(v, dict)} if isinstance(fields, dict) else {}
    )
    name = safe(_first(options.get("name")))
    header = options.get("style") == "header"
    indent = "  " if header else ""
    form = [f"{indent}{_key(fact, entry)}: {_blank(entry)}" for fact, entry in entries.items()]
    around = ([f"{name}:"], []) if header else ([f"---{name}---"], [f"---END_{name}---"])
    lines = [
        f"End every reply with the `{name}` block, once, filled in. Keep its lines as they are, each field "
        "on a line of its own; where values are offered, write one of them and nothing else.",
        "",
        "```text",
        *around[0],
        *form,
        *around[1],
        "```",
        "",
    ]
    for fact, entry in entries.items():
        lines += _explained(_key(fact, entry), entry, leads.get(f"{prefix}.{fact}", {}))
    return "\n".join(lines) + "\n"


def _explained(key: str, entry: Mapping[str, object], leads: Mapping[str, str]) -> Iterator[str]:
    """Yield what to write under a key, and what its values lead to."""
    kind = str(entry.get("type", "text"))
    doc = safe(" ".join(str(entry.get("doc") or "").split()))
    what = ". ".join(text for text in (KINDS.get(kind, ""), doc.rstrip(".")) if text)
    yield f"- `{key}`: {what}." if what else f"- `{key}`."
    written = {_upper(entry, word): word for word in _members(entry)}
    for value, effect in leads.items():
        yield f"  - `{safe(written.get(value, value))}` {effect}."


def _blank(entry: Mapping[str, object]) -> str:
    kind = str(entry.get("type", "text"))
    if kind != "enum":
        return BLANKS.get(kind, BLANKS["text"])
    members = [safe(member) for member in _members(entry)]
    return " | ".join(members) if len(members) > 1 else f"<{''.join(members)}>"


def _promise(prefix: str, options: Mapping[str, object], leads: Mapping[str, Mapping[str, str]]) -> str:
    tag = safe(str(options.get("tag") or "promise"))
    said = safe(_first(options.get("text", "COMPLETE")))
    what = "the task at hand is" if options.get("scope") == "task" else "everything you were asked for is"
    effect = leads.get(f"{prefix}.emitted", {}).get("true")
    means = f"It {effect}. " if effect else ""
    return (
        f"When {what} done and checked, say so with `<{tag}>{said}</{tag}>` as a line of its own, not in a "
        f"code fence and not in quotation marks. {means}Never write it for any other reason, not even to "
        "explain it.\n"
    )


def _leads(policy: CompiledPolicy, settings: Mapping[str, object]) -> dict[str, dict[str, str]]:
    """Return fact -> value -> what it can do, from the enforced rules that ask for it under `settings`."""
    found: dict[str, dict[str, str]] = {}
    for rule in policy.rules:
        if rule.mode != "enforce" or rule.effect == "warn":
            continue
        effect = f"can end the run as {rule.exit_class}" if rule.effect == "exit" else "continues the run"
        for fact, value in _asks(rule.when, policy.conditions, settings):
            found.setdefault(fact, {}).setdefault(value, effect)
    return found


def _asks(
    node: Node, conditions: Mapping[str, Node], settings: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Yield the facts, with the values, that make a condition true; nothing below a `not`."""
    if node.op == "condition":
        named = conditions.get(str(node.args[0]))
        if named is not None:
            yield from _asks(named, conditions, settings)
    elif node.op == "fact":
        if node.type is not None and node.type.kind == "bool":
            yield str(node.args[0]), "true"
    elif node.op == "is":
        fact, value = node.children()
        while fact.op == "or_else":
            fact = next(fact.children())
        if fact.op == "fact" and value.op in ("enum", "bool"):
            said = str(value.args[0])
            yield str(fact.args[0]), said.lower() if value.op == "bool" else said
    elif node.op in ("and", "or", "or_else", "consecutive"):
        if node.op == "and" and any(_is_off(child, settings) for child in node.children()):
            return
        for child in node.children():
            yield from _asks(child, conditions, settings)


def _is_off(node: Node, settings: Mapping[str, object]) -> bool:
    """Return whether a condition asks for another value of a parameter than the one it has."""
    if node.op != "is":
        return False
    asked, value = node.children()
    name = str(asked.args[0]) if asked.op == "parameter" else ""
    return name in settings and value.op in ("enum", "bool") and settings[name] != value.args[0]


def _key(fact: str, entry: Mapping[str, object]) -> str:
    return safe(_first(entry.get("key", fact.upper())))


def _members(entry: Mapping[str, object]) -> list[str]:
    members = entry.get("members")
    return [str(m) for m in members] if isinstance(members, list | tuple) else []


def _upper(entry: Mapping[str, object], member: str) -> str:
    from exitgate.core.facts.status.options import members

    return members(JsonObject({**entry, "members": [member]}))[0]


def _first(written: object) -> str:
    if isinstance(written, list | tuple):
        return str(written[0]) if written else ""
    return str(written)
