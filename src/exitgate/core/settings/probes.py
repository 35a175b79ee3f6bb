"""What layers say under `probes:`: questions to the world; the highest layer that has one defines it."""

from __future__ import annotations

import posixpath

from exitgate.core.facts.registry import probes_asked
from exitgate.core.model.json_object import one_or_more
from exitgate.core.model.spelling import suggestion
from exitgate.core.settings.files import PRESET
from exitgate.core.settings.provenance import Setting
from exitgate.core.settings.sections import SECTION
from exitgate.core.system.folders import OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.documents import Layer
    from exitgate.core.settings.provenance import Chain


PROBES = "probes"
#: What to do about another path than one that a probe may write.
PATHS = "name the files and folders that the command writes, such as `build/junit.xml`"
#: Keys that only a judge has, and those that it has not.
_OF_JUDGES, _OF_COMMANDS = ("sees", "judges"), ("reads", "expect", "writes")


def probes_of(layers: Sequence[Layer], findings: Findings) -> dict[str, Chain]:
    """
    Return name -> what the layers say it is, from low to high; a value is the definition as plain JSON.

    Args:
        layers: From low to high.
        findings: Takes EP509 for what a preset defines, and for keys that do not go together.
    """
    found: dict[str, Chain] = {}
    for layer in layers:
        part = layer.section.get(PROBES)
        for name, inner in part.fields.items() if part is not None else ():
            if layer.read.layer == PRESET:
                message = f"a preset cannot define the probe `{name}`"
                help = "define it in the project's settings or in your own: a preset runs nothing"
                findings.error("EP509", message, inner.label, help)
                continue
            _check(name, inner, _keys(layer, name), findings)
            plain = {key: value.plain() for key, value in inner.fields.items() if not key.startswith("x-")}
            found[name] = (*found.get(name, ()), Setting(layer.read.layer, plain, inner.label))
    return found


def check_named(
    policy: CompiledPolicy, probes: Mapping[str, Chain], parameters: Mapping[str, Chain], findings: Findings
) -> None:
    """
    Report names of probes that are not defined (EP508): where a parameter names one, and where a fact does.

    Args:
        policy: With all layers applied.
        probes: Those that are defined.
        parameters: Who set each.
        findings: Takes errors for parameters that a layer set; the rest are warnings, as such a fact is only
            unknown.
    """
    for entry in policy.extractions:
        for name in probes_asked(entry.extractor, entry.options):
            if name in probes:
                continue
            setter = _setter(name, entry.parameters, parameters)
            help = suggestion(name, sorted(probes), "probes") if probes else "define it under `probes:`"
            if setter is not None:
                message = f"there is no probe `{name}` to ask"
                findings.error("EP508", message, setter.place, help)
            else:
                message = f"the fact `{entry.prefix}` asks the probe `{name}`, which is not defined"
                findings.warning("EP508", message, None, help)


def _items(part: YamlNode | None) -> Sequence[YamlNode]:
    return part.items if part is not None else ()


def _setter(name: str, used: Sequence[str], parameters: Mapping[str, Chain]) -> Setting | None:
    """Return who set the parameter that holds the name; None where no layer did."""
    for parameter in used:
        chain = parameters.get(parameter, ())
        if len(chain) > 1 and name in one_or_more(chain[-1].value):
            return chain[-1]
    return None


def _keys(layer: Layer, name: str) -> Mapping[str, YamlNode]:
    """Return what a definition has, what is out of shape in it as well."""
    try:
        return layer.root.at((SECTION, PROBES, name)).fields
    except KeyError:  # the layer's root has the section under another key
        return {}


def _check(name: str, part: YamlNode, written: Mapping[str, YamlNode], findings: Findings) -> None:
    fields = part.fields

    def wrong(message: str, place: Location, help: str) -> None:
        findings.error("EP509", f"probe `{name}` {message}", place, help)

    if not {"command", "shell"} & {*fields, *written}:
        wrong("has no command", part.label, "add `command: [PROGRAM, ARGUMENT]`, or `shell:` with a line")
    if "command" in fields and "shell" in fields:
        wrong("has `command` and `shell`", fields["shell"].label, "keep one of them")
    apart, other = (_OF_COMMANDS, "a judge") if "judge" in fields else (_OF_JUDGES, "a command")
    for key in apart:
        if key in fields:
            wrong(f"has `{key}`, which {other} cannot have", fields[key].label, "remove it")
    reads = fields.get("reads")
    for place in (*(reads.fields.values() if reads is not None else ()), *_items(fields.get("writes"))):
        path = posixpath.normpath(place.text.replace("\\", "/"))
        if path == posixpath.curdir:
            wrong("writes the whole project, of which nothing would be left to compare", place.place, PATHS)
        elif path.partition("/")[0].lower() in OWN:
            wrong(f"writes `{place.text}`, which git or exitgate keeps", place.place, PATHS)
    if "expect" in fields and (reads is None or "json" not in reads.fields):
        wrong(
            "has `expect` and reads no JSON",
            fields["expect"].label,
            "write `reads: {json: FILE}`, or `-` for its output",
        )
