"""The section `views:` of a policy: files derived from the ledger, and the facts that fill them."""

from __future__ import annotations

from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.findings import Findings
    from exitgate.policy.names import Names
    from exitgate.policy.part import Part

#: Keys of a view that say where it goes; all others name a fact or a `$parameter`.
PLACES = ("path", "folder")


def read_views(root: Part, names: Names, findings: Findings) -> dict[str, dict[str, str]]:
    """Return view -> its place and fields, as plain JSON; EP445 for a fact or parameter there is none of."""
    section = root.get("views")
    views: dict[str, dict[str, str]] = {}
    for name, view in section.fields.items() if section is not None else ():
        views[name] = {key: part.text for key, part in view.fields.items()}
        for key, part in view.fields.items():
            if key not in PLACES:
                _check(part, names, findings)
    return views


def facts_in(views: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Return the facts that views are filled from: they are extracted although no rule names them."""
    fields = (text for view in views.values() for key, text in view.items() if key not in PLACES)
    return {text for text in fields if not text.startswith("$")}


def _check(part: Part, names: Names, findings: Findings) -> None:
    text = part.text
    if names.is_broken(text):
        return
    known = names.parameters if text.startswith("$") else names.facts
    if text.removeprefix("$") not in known:
        what = "parameter" if text.startswith("$") else "fact"
        help = suggestion(text.removeprefix("$"), known, f"{what}s")
        findings.error(
            "EP445", f"a view is filled from `{text}`, and there is no such {what}", part.place, help
        )
