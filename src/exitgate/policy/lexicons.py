"""Lexicons named by a policy: found, read strictly, held against their schema, joined."""

from __future__ import annotations

from exitgate.policy import shipped
from exitgate.policy.schema_check import check_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.findings import Findings
    from exitgate.policy.library import Library
    from exitgate.policy.part import Part

#: The lexicon of guards that every use of a lexicon gets, unless one of its own brings `guards:`.
GUARDS = "guards-en"


def read_lexicons(part: Part, library: Library, findings: Findings) -> dict[str, object] | None:
    """
    Return ``{"entries": [...], "guards": {...}}`` of the lexicons an entry names, or None after an error.

    Entries stand in the order of the lexicons; guards of the same name are those of the last.

    Args:
        part: The value of `lexicon:`: a name or path, or a list of them.
        library: Reads the files.
        findings: Takes EP472 and what is wrong in the files.
    """
    names = part.items or (part,)
    entries: list[object] = []
    guards: dict[str, object] = {}
    sound = True
    roots = [_read(name.text, name, library, findings) for name in names]
    if (
        not any(root is not None and "guards" in root.fields for root in roots)
        and GUARDS in shipped.lexicons()
    ):
        roots.insert(0, _read(GUARDS, part, library, findings))
    for root in roots:
        if root is None:
            sound = False
            continue
        plain = root.plain()
        assert isinstance(plain, dict)
        entries += plain.get("entries", [])
        guards.update(plain.get("guards", {}))
    return {"entries": entries, "guards": guards} if sound else None


def _read(name: str, part: Part, library: Library, findings: Findings) -> Part | None:
    document = library.lexicon(name, part.place)
    if document is None:
        return None
    root, fits = check_schema(document.root, shipped.schema("lexicon"), findings)
    return root if fits else None
