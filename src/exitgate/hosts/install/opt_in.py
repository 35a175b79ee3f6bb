"""The project's own settings with `hooks:` in them, every comment kept. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.analysis.edits import Edit, ending, offset, span
from exitgate.core.model.decision import BAD_POLICY
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy.yaml.document import Document, load_yaml
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.hosts.install.receipts import Change

SECTION, HOOKS = "exit_decision", "hooks"
INDENT = "  "


def with_opt_in(text: str, file: str, values: Mapping[str, str]) -> Change:
    """
    Return the change that sets keys below `exit_decision.hooks`.

    Args:
        text: The settings as they are.
        file: Their name, for diagnostics.
        values: Key -> value as YAML: ``true``, ``5``.

    Raises:
        ExitgateError: What is wrong with the file (EP1xx); EP568 where it cannot be edited; 65.
    """
    change = Change(text, text)
    # Each goes to the top of its block: the last one first.
    for key, value in reversed(tuple(values.items())):
        change = change.then(_set(load_yaml(change.new, file), key, value))
        if _written(change.new, file, key) != value:
            raise _by_hand(file, values)
    return change


def as_lines(values: Mapping[str, str], indent: str = INDENT) -> list[str]:
    """Return the block `hooks:` as lines of a file whose sections are indented by `indent`."""
    return [f"{indent}{HOOKS}:", *(f"{indent * 2}{key}: {value}" for key, value in values.items())]


def _written(text: str, file: str, key: str) -> str:
    """Return the value that a text has for a key, as written; empty where an edit broke the text."""
    try:
        return load_yaml(text, file).root.at((SECTION, HOOKS, key)).text
    except (ExitgateError, KeyError):
        return ""


def _set(document: Document, key: str, value: str) -> tuple[Edit, ...]:
    lines = document.lines
    end = ending(lines)
    section = document.root.get(SECTION)
    if section is None:
        text = lines.text
        before = "" if not text or text.endswith("\n") else end
        block = end.join([f"{SECTION}:", *as_lines({key: value})]) + end
        return (Edit(len(text), len(text), before + block),)
    hooks = section.get(HOOKS)
    if hooks is None:
        if _is_flow(document, section):
            return _into_flow(document, section, f"{HOOKS}: {{{key}: {value}}}")
        indent = _indent(section)
        return _below(document, section, [f"{indent}{HOOKS}:", f"{indent}{_step(section)}{key}: {value}"])
    old = hooks.get(key)
    if old is not None:
        if old.text == value:
            return ()
        start, stop = span(lines, old)
        return (Edit(start, stop, value),)
    if _is_flow(document, hooks):
        return _into_flow(document, hooks, f"{key}: {value}")
    indent = _indent(hooks) if hooks.fields else _indent(section) + _step(section)
    return _below(document, hooks, [f"{indent}{key}: {value}"])


def _below(document: Document, part: YamlNode, new: list[str]) -> tuple[Edit, ...]:
    """Return the edit that puts lines right below the key of a block."""
    assert part.key is not None
    lines, end = document.lines, ending(document.lines)
    at = min(offset(lines, part.key.line + 1, 1), len(lines.text))
    before = end if at == len(lines.text) and not lines.text.endswith("\n") else ""
    return (Edit(at, at, before + "".join(line + end for line in new)),)


def _into_flow(document: Document, part: YamlNode, entry: str) -> tuple[Edit, ...]:
    start, _ = span(document.lines, part)
    return (Edit(start + 1, start + 1, entry + (", " if part.fields else "")),)


def _is_flow(document: Document, part: YamlNode) -> bool:
    start, _ = span(document.lines, part)
    return part.is_mapping and document.lines.text[start : start + 1] == "{"


def _indent(part: YamlNode) -> str:
    """Return the indentation of a block's entries; the usual one for a block without any."""
    first = next(iter(part.fields.values()), None)
    return " " * (first.label.column - 1) if first is not None else INDENT


def _step(section: YamlNode) -> str:
    return _indent(section)


def _by_hand(file: str, values: Mapping[str, str]) -> ExitgateError:
    inner = ", ".join(f"{key}: {value}" for key, value in values.items())
    message = f"`{file}` is written in a way that cannot be edited here"
    help = f"add this by hand: `{SECTION}: {{{HOOKS}: {{{inner}}}}}`"
    return ExitgateError([Diagnostic("EP568", message, help=help)], BAD_POLICY)
