"""Lists and how a policy that extends another changes them: append, remove, replace. Never by merging."""

from __future__ import annotations

from exitgate.policy.part import Part
from exitgate.policy.schema_words import described
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.findings import Findings

CHANGES = ("append", "remove", "replace")


def is_change(part: Part) -> bool:
    """Return whether a part says how a list changes."""
    return isinstance(part.value, dict) and all(key in CHANGES for key in part.fields)


def change_list(base: Part | None, change: Part, findings: Findings) -> Part:
    """
    Return a list of the extended policy as a later policy changes it.

    Args:
        base: The list so far, or None when there is none.
        change: A mapping with `append`, `remove` or `replace`, or a list.
        findings: Takes EP460 (a list over a list, or a change of nothing) and EP461.
    """
    if not is_change(change):
        if base is not None:
            help = "write `append: [...]`, `remove: [...]` or `replace: [...]` under it"
            related = (("the list of the extended policy", base.label),)
            findings.error(
                "EP460", "this list exists already, and lists do not merge", change.label, help, related
            )
        return change
    if base is None or base.fields:
        findings.error(
            "EP460", "there is no list to change here", change.label, "write the list itself: `[...]`"
        )
        return Part((), change.place, change.key)
    replace = change.get("replace")
    if replace is not None and len(change.fields) > 1:
        help = "write the whole list under `replace:`, or leave `replace:` out"
        findings.error("EP460", "`replace` cannot stand beside `append` or `remove`", replace.label, help)
    items = list(replace.items if replace is not None else base.items)
    remove = change.get("remove")
    for item in remove.items if remove is not None else ():
        plain = item.plain()
        if any(other.plain() == plain for other in items):
            items = [other for other in items if other.plain() != plain]
        else:
            texts = [other.text for other in items if other.written is not None]
            help = (
                suggestion(item.text, texts, "items")
                if item.written is not None
                else "compare it with the list"
            )
            findings.error("EP461", f"{described(item)} is not in the list", item.place, help)
    append = change.get("append")
    items += append.items if append is not None else ()
    return Part(tuple(items), change.place, change.key)
