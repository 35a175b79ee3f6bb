"""From a file of another project to its settings, each with its place. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.spelling import nearest
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import document_of
from exitgate.core.policy.sections.parameters import RESERVED
from exitgate.core.policy.yaml.document import TOO_LARGE
from exitgate.core.policy.yaml.lines import Lines
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.hosts.imported import projects
from exitgate.hosts.imported.projects import FoundSetting, Project
from exitgate.hosts.imported.shell import assignments

YAML = (".yaml", ".yml")
_HELP = {
    "EP104": TOO_LARGE,
    "EP111": "name the file that has the settings",
}


def read(
    project: Project, content: bytes, file: str, environment: Mapping[str, str]
) -> tuple[tuple[FoundSetting, ...], tuple[Location, ...]]:
    """
    Return the settings that a file and the environment hold, in order; and where other files are read.

    Args:
        project: Whose settings they are.
        content: The file's bytes.
        file: Its name, for places.
        environment: Variables that win over the file; empty where they are not asked for.

    Raises:
        ExitgateError: A file that should be YAML is none; exit code 65.
    """
    others: tuple[Location, ...] = ()
    if file.endswith(YAML):
        found = {one.name: one for one in _yaml(project, content, file)}
    else:
        text = content.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
        found, others = assignments(Lines(file, text), environment)
    for name, value in environment.items():
        if name.startswith(project.prefixes or ("\0",)) and project.setting(name) is not None:
            place = Location(f"<environment {name}>")
            found[name] = FoundSetting(name, value, place, f"{name}={value}", "", "")
    return tuple(found.values()), others


def _yaml(project: Project, content: bytes, file: str) -> Iterator[FoundSetting]:
    own, findings = Findings(), Findings()
    document = document_of(content, file, own)
    root = document.root if document is not None else None
    section = (
        root.get(projects.BB3_SECTION if project.id == "bb3" else projects.DOYAKEN_SECTION)
        if root is not None
        else None
    )
    fields = dict(section.fields) if section is not None else {}
    if project.id == "bb3":
        fields = _of_bb3(project, section or root)
    for found in own.sorted():
        # What is wrong in other sections is nothing to us.
        ours = [section] if section is not None else list(fields.values())
        if document is None or _within(found.place, ours, document.lines):
            findings.take(found, _HELP.get(found.code, found.help))
    findings.raise_errors()
    assert document is not None
    for key, part in fields.items():
        name = key if project.id == "bb3" else f"{projects.DOYAKEN_SECTION}.{key}"
        yield _found(projects.KEYS.get(name, name), name, part, document.lines)
    for name, part in _leaves(document.root) if project.id == "doyaken" else ():
        if not name.startswith(projects.DOYAKEN_SECTION + ".") and any(
            word in name for word in projects.RETRIES
        ):
            yield _found(name, name, part, document.lines)


def read_beside(content: bytes, file: str, under: str) -> tuple[FoundSetting, ...]:
    """
    Return every value of a file beside the settings, named behind `under`; none where it is not YAML.

    Args:
        content: The file's bytes.
        file: Its name, for places.
        under: What its settings are known under.
    """
    document = document_of(content, file, Findings())
    if document is None:
        return ()
    return tuple(
        _found(f"{under}.{name}", name, part, document.lines) for name, part in _leaves(document.root)
    )


def _leaves(part: YamlNode, name: str = "") -> Iterator[tuple[str, YamlNode]]:
    """Yield the dotted name and the part of each value below; a list is one value."""
    for key, inner in part.fields.items():
        path = f"{name}.{key}" if name else key
        if inner.fields:
            yield from _leaves(inner, path)
        else:
            yield path, inner


def _of_bb3(project: Project, root: YamlNode | None) -> dict[str, YamlNode]:
    """Return the engine's settings of a file: its section's, or those at its top."""
    names = [setting.name for setting in project.settings if not setting.name.endswith("*")]
    return {
        key: part
        for key, part in (root.fields.items() if root is not None else ())
        # Other keys at the top of a file are other tools'; other keys of the section are exitgate's.
        if key in names or (key not in RESERVED and nearest(key, names) is not None)
    }


def _within(place: Location | None, parts: list[YamlNode], lines: Lines) -> bool:
    """Return whether something is in one of `parts`, or on a line that gives one of them once more."""
    if place is None:
        return True
    twice = lines.line(place.line).partition(":")[0]
    return any(
        twice == lines.line(part.label.line).partition(":")[0]
        or part.label.line <= place.line <= max(inner.place.end_line for inner in part.walk())
        for part in parts
    )


def _found(name: str, key: str, part: YamlNode, lines: Lines) -> FoundSetting:
    scalar = part.written is not None and part.value is not None
    why = "" if scalar else "it is not a single value"
    return FoundSetting(
        name,
        part.text if scalar else None,
        part.place,
        f"{key}: {part.text}",
        why,
        lines.line(part.place.line),
    )


def nothing_in(project: Project, file: str) -> ExitgateError:
    """Return the error (66) for a file that has none of the project's settings."""
    names = ", ".join(f"`{one.name}`" for one in project.settings if not one.name.endswith("*"))
    message = f"`{file}` has no settings of {project.id}"
    return ExitgateError([Diagnostic("EP592", message, help=f"its settings are {names}")], NOTHING_TO_DECIDE)


def nothing_there(project: Project, named: str | None) -> ExitgateError:
    """Return the error (66) for a file of settings that does not exist."""
    looked = ", ".join(f"`{file}`" for file in project.files) + " from here up to the repository's root"
    message = f"there are no settings of {project.id} here"
    if named is not None:
        return ExitgateError(
            [Diagnostic("EP592", f"there is no file `{named}`", help="check the path")], NOTHING_TO_DECIDE
        )
    help = f"looked for {looked}; name the file: `exitgate import {project.id} PATH`"
    return ExitgateError([Diagnostic("EP592", message, help=help)], NOTHING_TO_DECIDE)


# Diagnostic codes of the import of other projects' settings.

CODES = {
    "EP592": "there are no settings to import",
    "EP593": "a setting cannot be read without running its file",
    "EP594": "a setting of another project does not match the parameter that stands for it",
    "EP595": "an unknown setting of another project",
    "EP596": "existing settings differ from imported ones",
    "EP597": "imported settings cannot be merged into the existing file",
}
