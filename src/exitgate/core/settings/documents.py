"""The files of the layers: read as strict YAML, each with its section `exit_decision`."""

from __future__ import annotations

import os

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import document_of
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.policy.reading import Unreadable, read_bytes
from exitgate.core.policy.sections.parameters import RESERVED
from exitgate.core.policy.yaml.document import TOO_LARGE
from exitgate.core.settings.files import (
    COMMAND_LINE,
    PRESET,
    PRESET_VARIABLE,
    PROJECT,
    PROJECT_FILE,
    USER,
    SettingsRequest,
    is_there,
    project_file,
    shown,
    user_file,
)
from exitgate.core.settings.provenance import Read
from exitgate.core.settings.sections import SECTION, section_of
from exitgate.core.system import portable
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.folders import folders_up, home_of, is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.cache import Seen
    from exitgate.core.policy.locked.unpacked import Unpacked
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode


#: What places in a layer that is no file are called by.
GIVEN = "<command line>"


class Layer(Value):
    """
    One file of settings.

    Args:
        read: What was read.
        root: All of it.
        section: The mapping under `exit_decision`, without unknown keys below it; empty where there
            is none. What is out of shape in it is left out, or something else put in its place.
        broken: Names that were declared in what was left out, as conditions write them.
        fetched: For a preset of a package or repository all its files, and the preset's name there.
    """

    __slots__ = ("broken", "fetched", "read", "root", "section")

    def __init__(
        self,
        read: Read,
        root: YamlNode,
        section: YamlNode,
        broken: frozenset[str] = frozenset(),
        fetched: tuple[Unpacked, str] | None = None,
    ) -> None:
        self.read = read
        self.root = root
        self.section = section
        self.broken = broken
        self.fetched = fetched

    @property
    def folder(self) -> str:
        """The folder that paths in the file start from."""
        return os.path.dirname(self.read.path)


def read_layers(asked: SettingsRequest, findings: Findings, seen: Seen | None = None) -> tuple[Layer, ...]:
    """
    Return the layers that are files, from low to high: preset, user, project.

    Args:
        asked: Where to look.
        findings: Takes all that is wrong with the form of the files: EP1xx, EP2xx, EP488, EP811.
        seen: Receives the files that were read, and missing ones.
    """
    mine = user_file(asked.environment)
    project = project_file(asked.root, asked.environment)
    user = _layer(USER, mine, asked, findings, seen) if is_there(mine) else None
    ours = _project(project, asked, findings, seen) if project is not None else None
    if seen is not None:
        seen.looked(mine)
        for folder in folders_up(asked.root, asked.environment):
            seen.looked(os.path.join(folder, PROJECT_FILE))
    if ours is None:
        _report_other_ending(asked, findings)
    files = [layer for layer in (user, ours) if layer is not None]
    preset = _preset(files, asked, findings, seen)
    files = [preset, *files] if preset is not None else files
    return (*files, *layers_given(asked, findings))


def layers_given(asked: SettingsRequest, findings: Findings) -> tuple[Layer, ...]:
    """Return the layer that the caller has as a text, which is above all files."""
    if not asked.layer:
        return ()
    content, own = asked.layer.encode(), Findings()
    document = _document(content, GIVEN, own, findings)
    if document is None:
        return ()
    section, broken = section_of(document, own, findings)
    read = Read(COMMAND_LINE, GIVEN, os.path.join(os.path.abspath(asked.root), GIVEN), hex_digest(content))
    return (Layer(read, document.root, section, broken),)


def read_alone(path: str, asked: SettingsRequest, findings: Findings) -> tuple[Layer, ...]:
    """Return one file as if it were the project's and the only one, without the preset it names."""
    layer = _layer(PROJECT, path, asked, findings, None)
    return (layer,) if layer is not None else ()


def _preset(
    files: list[Layer], asked: SettingsRequest, findings: Findings, seen: Seen | None
) -> Layer | None:
    """Return the preset that the environment names, else the project, else the user."""
    named = asked.environment.get(PRESET_VARIABLE, "")
    place = Location(f"<environment {PRESET_VARIABLE}>")
    folder = os.getcwd()
    by_project = False
    for layer in files:
        part = layer.section.get("preset")
        if part is not None and part.is_text and not asked.environment.get(PRESET_VARIABLE):
            named, place, folder = part.text, part.place, layer.folder
            by_project = layer.read.layer == PROJECT
    if not named:
        return None
    if is_remote(named):
        return _without_preset(_fetched(named, place, folder, findings, seen), findings)
    path = os.path.abspath(os.path.join(folder, os.path.expanduser(named)))
    if by_project and not is_within(path, _reach(asked)):
        message = f"preset `{named}` leads out of the project and of your home folder"
        help = f"move it into one of them, or name it explicitly: {PRESET_VARIABLE}=PATH"
        findings.error("EP488", message, place, help)
        return None
    if not os.path.exists(path):
        if seen is not None:
            seen.missing(path)
        where = shown(path, asked.root)
        findings.error("EP488", f"there is no preset `{named}`", place, f"looked for it at `{where}`")
        return None
    return _without_preset(_layer(PRESET, path, asked, findings, seen), findings)


def _without_preset(preset: Layer | None, findings: Findings) -> Layer | None:
    """Return a preset; report one that names another."""
    inner = preset.section.get("preset") if preset is not None else None
    if inner is not None:
        message = "a preset cannot name another preset"
        findings.error("EP488", message, inner.label, "copy what is needed from it")
    return preset


def _fetched(
    named: str,
    place: Location,
    folder: str,
    findings: Findings,
    seen: Seen | None,
) -> Layer | None:
    """Return a preset that a package or repository has, as the lock file pins it."""
    from exitgate.core.policy.locked.limits import check_section
    from exitgate.core.policy.locked.unpacked import Opener

    found = Opener(findings, os.environ, seen).find(named, place, folder)
    if found is None:
        return None
    unpacked, name = found
    path, content = unpacked.path_of(name), unpacked.files[name]
    if seen is not None:
        seen.read(path, content)
    layer = _read(PRESET, unpacked.entry.named(name), path, content, findings)
    if layer is None:
        return None
    before, section = findings.errors(), layer.section
    check_section(section, RESERVED, findings)
    if findings.errors() > before:  # no process of another package is asked what a fact of it is
        section = section.with_fields({key: part for key, part in section.fields.items() if key != "facts"})
    return Layer(layer.read, layer.root, section, layer.broken, found)


def _reach(asked: SettingsRequest) -> tuple[str, ...]:
    """Return the folders in which a project may name a preset: its own, and the user's."""
    home = os.path.realpath(home_of(asked.environment))
    own = (folders_up(asked.root, asked.environment)[-1], os.path.dirname(user_file(asked.environment)))
    found = [os.path.realpath(folder) for folder in own]
    return (*found, home) if os.path.dirname(home) != home else tuple(found)


def _project(path: str, asked: SettingsRequest, findings: Findings, seen: Seen | None) -> Layer | None:
    root = folders_up(asked.root, asked.environment)[-1]
    real = os.path.realpath(path)
    if real != path and not portable.is_below(real, root):
        name = shown(path, asked.root)
        help = "put the file itself there; a preset may be elsewhere: `preset: PATH`"
        findings.error("EP811", f"`{name}` is a link out of {root}", Location(name), help)
        return None
    return _layer(PROJECT, path, asked, findings, seen)


def _layer(
    kind: str, path: str, asked: SettingsRequest, findings: Findings, seen: Seen | None
) -> Layer | None:
    file = shown(path, asked.root)
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        help = "fix the link, or remove it"
        findings.error("EP811", f"`{file}` is a broken link", Location(file), help)
        return None
    except Unreadable as error:
        help = "make it a readable YAML file, or remove it"
        findings.error("EP811", f"`{file}` cannot be read: {error}", Location(file), help)
        return None
    if seen is not None:
        seen.read(path, content)
    return _read(kind, file, path, content, findings)


def _read(kind: str, file: str, path: str, content: bytes, findings: Findings) -> Layer | None:
    own = Findings()
    document = _document(content, file, own, findings)
    if document is None:
        return None
    section, broken = section_of(document, own, findings)
    return Layer(Read(kind, file, path, hex_digest(content)), document.root, section, broken)


def _document(content: bytes, file: str, own: Findings, findings: Findings) -> Document | None:
    """Return the document, or None when nothing can be used; then all that is wrong is reported."""
    if _is_empty(content):
        content = b"{}\n"
    document = document_of(content, file, own)
    if document is not None:
        findings.know(document.lines)
        return document
    for found in own.sorted():
        help = found.help
        if found.code == "EP111":
            help = f"start with `{SECTION}:`"
        elif found.code == "EP104":
            help = TOO_LARGE
        findings.take(found, help, quoted=SECTION.encode() in content)  # else it is not ours
    return None


def _is_empty(content: bytes) -> bool:
    """Return whether a file holds only comments, blank lines and the marks of a document."""
    lines = (line.strip() for line in content.splitlines())
    return all(not line or line.startswith(b"#") or line in (b"---", b"...") for line in lines)


def _report_other_ending(asked: SettingsRequest, findings: Findings) -> None:
    for folder in folders_up(asked.root, asked.environment):
        path = os.path.join(folder, PROJECT_FILE[: -len(".yaml")] + ".yml")
        if is_there(path):
            name = shown(path, asked.root)
            findings.warning(
                "EP484", f"`{name}` is not read", Location(name), f"rename it to `{PROJECT_FILE}`"
            )
            return
