"""
What a policy or a preset of another author may not say, wherever it was fetched from.

It decides about this project's loops, but nothing runs because of it and nothing is trusted because of it: it
names no probe, no extractor of another package, and none of the settings that reach beyond decisions.
"""

from __future__ import annotations

from exitgate.core.facts.registry import ASKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import Extraction
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


#: Keys that settings of a fetched preset may have beside parameters.
ALLOWED = frozenset((
    "policy", "profile", "preset", "rules", "lists", "facts", "conditions", "lexicons", "policies", "mode",
    "zone", "probes",  # `preset` and `probes` have errors of their own
))  # fmt: skip
#: Of these, keys whose values are settings again.
_NESTED = "policies"


def check_facts(root: YamlNode, findings: Findings) -> None:
    """Report entries under `facts:` that run something: extractors of packages, and those that ask probes."""
    section = root.get("facts")
    for name, entry in section.fields.items() if section is not None else ():
        id = entry.get("extract")
        if id is None or not id.is_text:
            continue
        if "." in id.text:
            report(
                f"the fact `{name}` is from elsewhere and has the extractor `{id.text}`", id.label, findings
            )
        elif id.text in ASKING:
            report(f"the fact `{name}` is from elsewhere and asks probes", id.label, findings)


def check_section(section: YamlNode, reserved: Collection[str], findings: Findings) -> None:
    """
    Report settings of a fetched preset that reach beyond decisions.

    Args:
        section: Its section, or its settings for one policy.
        reserved: All keys but those of parameters.
        findings: Takes EP846.
    """
    for key, part in section.fields.items():
        if key in reserved and key not in ALLOWED:
            report(f"a preset from elsewhere cannot set `{key}`", part.label, findings)
    check_facts(section, findings)
    policies = section.get(_NESTED)
    for inner in policies.fields.values() if policies is not None else ():
        check_section(inner, reserved, findings)


def check_asked(
    root: YamlNode, extractions: Iterable[Extraction], fetched: Collection[str], findings: Findings
) -> None:
    """
    Report values from elsewhere of parameters that name probes: what has to pass is the project's say.

    Args:
        root: The merged policy; its parts know the file they are from.
        extractions: Of that policy.
        fetched: Files from elsewhere, as places name them.
        findings: Takes EP846.
    """
    names = {name for one in extractions if one.extractor in ASKING for name in one.parameters}
    sections = [root.get("parameters"), root.get("profiles")]
    parameters, profiles = (section.fields if section is not None else {} for section in sections)
    for name in sorted(names):
        given = [profile.get(name) for profile in profiles.values()]
        if name in parameters:
            given.append(parameters[name].get("default"))
        for part in given:
            if part is not None and part.place.file in fetched:
                report(f"`${name}` names probes, and its value is from elsewhere", part.label, findings)


def report(message: str, place: Location | None, findings: Findings) -> None:
    """Report what something from elsewhere says and may not."""
    help = "leave it out there, and write it in the project's own policy or settings"
    findings.error("EP846", message, place, help)
