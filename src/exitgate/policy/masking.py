"""The section `mask:` of a policy: which shapes of secrets are hidden."""

from __future__ import annotations

from exitgate.policy.lexicons import read_lexicons
from exitgate.policy.part import Part
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.findings import Findings
    from exitgate.policy.library import Library

#: The lexicon that holds where a policy names none.
LEXICON = "secrets"

_KEPT = ("id", "markers", "pattern")


def read_mask(root: Part, library: Library, findings: Findings) -> tuple[dict[str, object], ...]:
    """
    Return the shapes to hide: `id`, `markers` and `pattern` of each entry, as plain JSON.

    Args:
        root: The merged policy. Without `mask:` the shipped shapes hold; `mask: {lexicon: []}` hides nothing.
        library: Reads the lexicons.
        findings: Takes EP472, EP441, EP442 and what is wrong in the files.
    """
    section = root.get("mask")
    named = section.get("lexicon") if section is not None else None
    if named is None:
        named = Part(LEXICON, section.place if section is not None else root.place)
    if named.value == ():
        return ()
    lexicon = read_lexicons(named, library, findings)
    if lexicon is None:
        return ()
    entries = lexicon["entries"]
    assert isinstance(entries, list)
    shapes: dict[str, dict[str, object]] = {}
    for entry in entries:
        if "markers" not in entry:
            help = "write `markers:`, texts of which every match contains one, and `pattern:`"
            message = f"entry `{entry['id']}` of the lexicon has no markers, so it cannot hide anything"
            findings.error("EP441", message, named.place, help)
            continue
        shapes[entry["id"]] = {key: entry[key] for key in _KEPT}
    excepted = section.get("except") if section is not None else None
    for part in excepted.items if excepted is not None else ():
        if shapes.pop(part.text, None) is None:
            help = suggestion(part.text, shapes, "entries")
            findings.error("EP442", f"no lexicon of `mask:` has an entry `{part.text}`", part.place, help)
    return tuple(shapes.values())
