"""The section `views:` of a policy: files derived from the ledger, and the facts that fill them."""

from __future__ import annotations

from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.schema.messages import PATH_HELP
from exitgate.core.system.folders import leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.sections.conditions import Names
    from exitgate.core.policy.yaml.node import YamlNode


#: Keys of a view that say its destination; all others name a fact or a `$parameter`.
PLACES = ("path", "folder")
#: Key of a view that is not to be written.
DISABLED = "disabled"


def read_views(root: YamlNode, names: Names, findings: Findings) -> dict[str, dict[str, str]]:
    """Return view -> its place and fields, as plain JSON; EP444 and EP445 for what a view may not name."""
    section = root.get("views")
    views: dict[str, dict[str, str]] = {}
    for name, view in section.fields.items() if section is not None else ():
        off = view.get(DISABLED)
        fields = {key: part for key, part in view.fields.items() if key != DISABLED}
        if off is None or off.value is not True:
            views[name] = {key: part.text for key, part in fields.items()}
        for key, part in fields.items():
            if key not in PLACES:
                _check(part, names, findings)
            elif leads_out(part.text):
                findings.error("EP444", f"`{part.text}` leads out of the project", part.place, PATH_HELP)
    return views


def facts_in(views: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Return the facts that views are filled from: they are extracted although no rule names them."""
    fields = (text for view in views.values() for key, text in view.items() if key not in PLACES)
    return {text for text in fields if not text.startswith("$")}


def _check(part: YamlNode, names: Names, findings: Findings) -> None:
    text = part.text
    if names.is_broken(text):
        return
    asked = text.startswith("$")
    known = [f"${name}" for name in names.parameters] if asked else names.facts
    if text not in known:
        what = "parameter" if asked else "fact"
        help = suggestion(text, known, f"{what}s")
        findings.error("EP445", f"a view uses `{text}`, but there is no such {what}", part.place, help)
