"""The section `lexicons:` of a policy: what it changes in lexicons that its facts read."""

from __future__ import annotations

from exitgate.policy import shipped
from exitgate.policy.lists import CHANGES, change_list, is_change
from exitgate.policy.part import Part
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.library import Library

#: Keys of a change that speak of entries; the others are the lexicon's own: `apply`, `guards`.
_ENTRIES = CHANGES
#: Words that an entry of any lexicon may be given once; another way to say it takes the place of these.
_WAYS = ("phrase", "words", "pattern")


def changes_in(root: Part) -> dict[str, tuple[Part, ...]]:
    """Return lexicon -> the changes of it in a merged policy, in the order in which they are made."""
    section = root.get("lexicons")
    return {name: part.items for name, part in section.fields.items()} if section is not None else {}


def changed(root: Part, changes: Sequence[Part], findings: Findings) -> Part:
    """
    Return a lexicon's document with changes; what comes of it must fit the schema as any lexicon.

    Args:
        root: The document.
        changes: In the order in which they are made.
        findings: Takes EP460 and EP461.
    """
    for change in changes:
        root = _changed(root, change, findings)
    return root


def _changed(root: Part, change: Part, findings: Findings) -> Part:
    fields = dict(root.fields)
    entries = {key: part for key, part in change.fields.items() if key in _ENTRIES}
    if entries:
        before = fields.get("entries") or Part((), change.place, change.key)
        fields["entries"] = change_list(
            _for_ways(before, entries.get("change")), change.with_fields(entries), findings
        )
    apply = change.get("apply")
    if apply is not None:
        fields["apply"] = change_list(fields.get("apply"), apply, findings) if is_change(apply) else apply
    guards = change.get("guards")
    for name, words in guards.fields.items() if guards is not None else ():
        known = fields.get("guards") or Part({}, change.place, change.key)
        fields["guards"] = known.with_fields({**known.fields, name: _guard(known.get(name), words, findings)})
    return root.with_fields(fields)


def _for_ways(entries: Part, change: Part | None) -> Part:
    """Return the entries, without the phrase, words or pattern where a change gives another way."""
    found = []
    for entry in entries.items:
        id = entry.get("id")
        said = change.get(id.text) if change is not None and id is not None else None
        given = [way for way in _WAYS if said is not None and way in said.fields]
        kept = {key: part for key, part in entry.fields.items() if key not in _WAYS or key in given}
        found.append(entry.with_fields(kept) if given else entry)
    return entries.with_items(found)


def _guard(base: Part | None, later: Part, findings: Findings) -> Part:
    """Return the groups of words and limits of a guard with those that a change gives."""
    fields = dict(base.fields) if base is not None else {}
    for key, part in later.fields.items():
        old = fields.get(key)
        fields[key] = change_list(old, part, findings) if part.fields and is_change(part) else part
    return Part(fields, later.place, later.key)


def report_unread(root: Part, library: Library, findings: Findings) -> None:
    """Report changes of lexicons that the policy does not read: EP485 (note), or EP472."""
    read = library.lexicons_read()
    policy = root.fields["policy"].text if "policy" in root.fields else ""
    for name, made in changes_in(root).items():
        if name in read or not made:
            continue
        known = name in shipped.lexicons()
        place = made[-1].label
        if known:
            help = f"it applies if a fact has `lexicon: {name}`"
            findings.note("EP485", f"no fact of `{policy}` reads the lexicon `{name}`", place, help)
        else:
            help = suggestion(name, sorted(read), f"lexicons that `{policy}` reads")
            findings.error("EP472", f"`{policy}` reads no lexicon `{name}`", place, help)
