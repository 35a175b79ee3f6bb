"""Imported settings put into a settings file that is there, everything in it kept."""

from __future__ import annotations

import os
from collections.abc import Iterable

from msgspec import Struct

from exitgate.analysis.edits import apply, ending, inserted_line
from exitgate.core.model.diagnostic import WARNING, Diagnostic, ExitgateError
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import document_of
from exitgate.core.policy.reading import reading
from exitgate.core.policy.yaml.document import Document, load_yaml
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.settings.load import problems_of
from exitgate.core.settings.sections import SECTION, section_of
from exitgate.core.state.discover import DEFAULT_POLICY
from exitgate.hosts.imported.translation import Entry, Translation
from exitgate.report.terminal import safe

_BY_HAND = "add them by hand: `--print` shows them"


class Merged(Struct, frozen=True):
    """A settings file with what was taken into it, and warnings on what stays as it was."""

    text: str
    problems: tuple[Diagnostic, ...] = ()


def merge(
    old: str, file: str, path: str, taken: Translation, profile: str | None, policies: tuple[str, ...] = ()
) -> Merged:
    """
    Return the text of a settings file with imported settings added.

    What the file says already stays; every comment stays. The new text has been read as `exitgate config`
    would read it.

    Args:
        old: Its text.
        file: Its name, for messages.
        path: Where it lies.
        taken: The settings to add.
        profile: A profile to choose, or None.
        policies: Those that the settings could be imported for.

    Raises:
        ExitgateError: The file is wrong, it chooses another policy, or nothing can be put into it (EP597);
            exit code 65.
    """
    document = _document(old, file)
    section = document.root.get(SECTION)
    problems: list[Diagnostic] = []
    added = _added(taken, profile, taken.entries, "  ")
    if section is None:
        new = _appended(old, [f"{SECTION}:", *added])
    elif section.value is None:
        new = _behind(document, section.label.line, added)
    elif not section.is_mapping or not section.fields or _is_flow(document, section):
        raise _refused(file, section, "has its `exit_decision:` in braces", taken)
    else:
        new, problems = _into(document, section, taken, profile, policies)
    check_merged(new, file, path)
    return Merged(new, tuple(problems))


def check_merged(text: str, file: str, path: str) -> None:
    """Raise `ExitgateError` (EP597, and what is wrong) where `text` would be no settings to decide by."""
    content = text.encode("utf-8")
    try:
        reading({os.path.realpath(path): content}, lambda: problems_of(path, DEFAULT_POLICY))
    except ExitgateError as error:
        message = f"with the imported settings `{file}` would be wrong"
        own = Diagnostic("EP597", message, help="fix it by hand: `--print` shows what to add")
        raise ExitgateError([own, *error.diagnostics]) from error


def _document(old: str, file: str) -> Document:
    """Return the file that is there; what is wrong outside of the section is its owners'."""
    own, findings = Findings(), Findings()
    empty = all(not line.strip() or line.lstrip().startswith("#") for line in old.splitlines())
    document = document_of(b"{}\n" if empty else old.encode("utf-8"), file, own)
    if document is None:
        own.raise_errors()
    assert document is not None
    findings.know(document.lines)
    section_of(document, own, findings)
    findings.raise_errors()
    return document


def _into(
    document: Document, section: YamlNode, taken: Translation, profile: str | None, policies: tuple[str, ...]
) -> tuple[str, list[Diagnostic]]:
    """Return the text with the missing settings behind the section's last, and what stays."""
    fields = section.fields
    chosen = fields.get("policy")
    if chosen is not None and chosen.text != taken.policy:
        help = f"import for that policy: `--policy {chosen.text}`" if chosen.text in policies else _BY_HAND
        raise _refused(document.file, chosen, f"chooses `{chosen.text}`", taken, help)
    problems = [
        _stays(entry, fields[entry.name], document)
        for entry in taken.entries
        if entry.name in fields and not _same(fields[entry.name], entry)
    ]
    new = [entry for entry in taken.entries if entry.name not in fields]
    first = min(part.label.column for part in fields.values())
    lines = _added(taken, profile, new, " " * (first - 1), chosen is None, "profile" not in fields)
    return _behind(document, _last_line(document, section), lines), problems


def _last_line(document: Document, section: YamlNode) -> int:
    """Return the last line of a section; what follows it at the end of a file is not its own."""
    parts = list(section.walk())
    last = max(_end(part) for part in parts)
    least = max(_end(part) for part in parts if not part.fields and not part.items)
    while last > least and not document.lines.line(last).partition("#")[0]:
        last -= 1
    return last


def _end(part: YamlNode) -> int:
    return part.place.end_line - (part.place.end_column == 1)


def _behind(document: Document, line: int, lines: list[str]) -> str:
    """Return the text of a file with lines put behind one of its lines."""
    text = document.lines.text
    if not lines:
        return text
    if line > text.count("\n"):
        return _appended(text, lines, gap=False)
    edit = inserted_line(document.lines, line + 1, ending(document.lines).join(lines))
    return apply(text, [edit])


def _added(
    taken: Translation,
    profile: str | None,
    entries: list[Entry] | tuple[Entry, ...],
    indent: str,
    policy: bool = True,
    profiles: bool = True,
) -> list[str]:
    lines = entry_lines(taken.policy if policy else None, profile if profiles else None, entries, indent)
    return [*lines, *left_lines(taken, indent)] if lines else []


def _appended(old: str, lines: list[str], gap: bool = True) -> str:
    end = "\r\n" if "\r\n" in old else "\n"
    head = old if not old or old.endswith("\n") else old + end
    return head + (end if head.strip() and gap else "") + end.join(lines) + end


def _is_flow(document: Document, section: YamlNode) -> bool:
    """Return whether a mapping is written in braces: nothing can be put behind its last line."""
    line = document.lines.line(section.place.line)
    return line[section.place.column - 1 : section.place.column] == "{"


def _same(part: YamlNode, entry: Entry) -> bool:
    """Return whether a value of the file is the imported one; `70` and `70%` are the same."""
    imported = load_yaml(f"value: {entry.text}\n", entry.name).root.fields["value"]
    if part.items or imported.items:
        return part.plain() == imported.plain()
    return part.text.removesuffix("%") == imported.text.removesuffix("%")


def _stays(entry: Entry, part: YamlNode, document: Document) -> Diagnostic:
    message = f"`{entry.name}` is kept; the imported value would be {entry.text}"
    source = document.lines.line(part.label.line)
    related = (("has a different value", entry.place),)
    return Diagnostic("EP596", message, part.label, "remove the line to import it", WARNING, source, related)


def _refused(file: str, part: YamlNode, what: str, taken: Translation, help: str = _BY_HAND) -> ExitgateError:
    message = f"`{file}` {what}; the imported settings are for `{taken.policy}`"
    return ExitgateError([Diagnostic("EP597", message, part.label, help)])


# Imported settings as lines of a settings file, each with a comment on its origin.

#: Columns up to which the comment follows the value.
WIDTH = 100


def new_file(taken: Translation, project: str, source: str, profile: str | None, aside: str) -> str:
    """Return a settings file that holds nothing but what was taken from `source`."""
    lines = [
        f"# Settings from {safe(source)}, by `exitgate import {project}`.",
        "# `exitgate config` shows what is in force and who set it.",
        *([f"# {aside}"] if aside else ()),
        "exit_decision:",
        *entry_lines(taken.policy, profile, taken.entries, "  "),
        *left_lines(taken, "  "),
    ]
    return "\n".join(lines) + "\n"


def entry_lines(policy: str | None, profile: str | None, entries: Iterable[Entry], indent: str) -> list[str]:
    """Return the lines of a section: the policy and the profile where they are given, then parameters."""
    lines = [f"{indent}policy: {policy}"] if policy else []
    lines += [f"{indent}profile: {profile}"] if profile else []
    for entry in entries:
        line = f"{indent}{entry.name}: {entry.text}"
        remark = f"# {safe(entry.origin)}"
        if len(line) + 2 + len(remark) <= WIDTH:
            lines.append(f"{line}  {remark}")
        else:
            lines += [indent + remark, line]
    return lines


def left_lines(taken: Translation, indent: str) -> list[str]:
    """Return comments on what was not taken over, together what has the same reason."""
    reasons: dict[str, list[str]] = {}
    for why, origin in taken.left:
        reasons.setdefault(why, []).append(origin)
    lines: list[str] = []
    for why, origins in reasons.items():
        lines.append(f"{indent}# Not imported: {safe(why)}")
        lines += [f"{indent}#   {safe(origin)}" for origin in origins]
    return lines
