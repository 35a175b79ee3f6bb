"""Where each leaf of a policy is in the files that the policy was written in."""

from __future__ import annotations

from exitgate.analysis.coverage.leaves import leaves
from exitgate.analysis.coverage.sites import CIRCUIT, CONDITION, FORMULA, POINTS, RULE
from exitgate.language.unparse import unparse
from exitgate.model.value import Value
from exitgate.policy.conditions import parse_condition
from exitgate.policy.findings import Findings
from exitgate.policy.library import Library
from exitgate.policy.marks import named_condition
from exitgate.policy.merged import read_merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.analysis.coverage.sites import Site
    from exitgate.model.place import Place
    from exitgate.policy.merged import Merged
    from exitgate.policy.part import Part


class Written(Value):
    """
    Places of the parts of a policy.

    Args:
        sites: Key of a site -> where its id or name is.
        leaves: Key of a site and canonical text of a leaf -> every place it is at.
        texts: File, as places name it -> its text.
    """

    __slots__ = ("leaves", "sites", "texts")

    def __init__(
        self,
        sites: Mapping[tuple[str, str], Place],
        leaves: Mapping[tuple[str, str, str], tuple[Place, ...]],
        texts: Mapping[str, str],
    ) -> None:
        self.sites = sites
        self.leaves = leaves
        self.texts = texts


def written(path: str, found: Sequence[Site]) -> Written:
    """
    Read again where the leaves of a policy are, in its own file and those of the policies it extends.

    Args:
        path: `path` of the compiled policy; its files must be as they were when it was compiled.
        found: The sites of that policy.
    """
    findings = Findings()
    name = path.removeprefix("shipped:")
    merged = read_merged(name, Library(findings), findings)
    findings.raise_errors()
    assert merged is not None
    parts = {key: (part, conditions) for key, part, conditions in _parts(merged)}
    places: dict[tuple[str, str], Place] = {}
    of_leaves: dict[tuple[str, str, str], tuple[Place, ...]] = {}
    texts: dict[str, str] = {}
    for site in found:
        part, conditions = parts[site.key]
        places[site.key] = part.label if part.key is not None and not _is_id(site) else part.place
        for below in (part, *conditions):
            for one in below.walk():
                if one.written is not None:
                    texts.setdefault(one.written.lines.file, one.written.lines.text)
        for (tree, is_condition), condition in zip(site.trees, conditions, strict=True):
            spots = _spots(condition, is_condition)
            for leaf, place in zip(leaves(tree, is_condition), spots, strict=True):
                key = (*site.key, unparse(leaf))
                of_leaves[key] = (*of_leaves.get(key, ()), place)
    return Written(places, of_leaves, texts)


def _spots(condition: Part, is_condition: bool) -> Iterator[Place]:
    """Yield the place of each leaf of a condition as it was written, from left to right."""
    spoken = parse_condition(condition, Findings())
    assert spoken is not None
    for text in spoken.leaves():
        assert text.node is not None
        for leaf in leaves(text.node, is_condition):
            wrote = text.part.written
            yield text.part.place if wrote is None else wrote.place(leaf.start, leaf.end)


def _parts(merged: Merged) -> Iterator[tuple[tuple[str, str], Part, tuple[Part, ...]]]:
    """Yield key, the part to point at, and its conditions, for everything that can be a site."""
    for rule in merged.rules:
        conditions = tuple(rule.fields[key] for key in ("when", "retry_after") if key in rule.fields)
        yield (RULE, rule.fields["id"].text), rule.fields["id"], conditions
    for name, part in _fields(merged.root, "conditions"):
        yield (CONDITION, name), part, (named_condition(part),)
    for name, part in _fields(merged.root, "facts"):
        if "points" in part.fields:
            yield (POINTS, name), part, tuple(row.fields["when"] for row in part.fields["points"].items)
        if "formula" in part.fields:
            yield (FORMULA, name), part, (part.fields["formula"],)
    circuit = merged.root.get("circuit")
    if circuit is not None and "open" in circuit.fields:
        for opening in circuit.fields["open"].items:
            yield (
                (CIRCUIT, f"open {opening.fields['id'].text}"),
                opening.fields["id"],
                (opening.fields["when"],),
            )
        for name in ("watch", "close"):
            if name in circuit.fields:
                yield (CIRCUIT, name), circuit.fields[name], (circuit.fields[name],)


def _fields(root: Part, key: str) -> Iterator[tuple[str, Part]]:
    section = root.get(key)
    yield from section.fields.items() if section is not None else ()


def _is_id(site: Site) -> bool:
    """Return whether a site is named by the text of its `id:`, not by the key it is under."""
    return site.kind == RULE or (site.kind == CIRCUIT and site.name not in ("watch", "close"))
