"""Where conditions and messages are in a policy document."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.policy.yaml.node import YamlNode


MESSAGES = ("because", "advice", "escalation")


def conditions(root: YamlNode) -> Iterator[YamlNode]:
    """Yield every part of a policy that holds a condition or a formula: texts and trees."""
    for rule in _items(root, "rules"):
        yield from _under(rule, "when")
        yield from _under(rule, "retry_after")
    for invariant in _items(root, "invariants"):
        yield from _under(invariant, "given")
    for named in _entries(root, "conditions"):
        yield named_condition(named)
    circuit = root.get("circuit")
    if circuit is not None:
        for opening in _items(circuit, "open"):
            yield from _under(opening, "when")
        for key in ("watch", "close"):
            yield from _under(circuit, key)
    for fact in _entries(root, "facts"):
        yield from _under(fact, "formula")
        points = fact.get("points")
        if points is None:
            continue
        rows = list(points.items)
        for change in points.fields.values():
            rows += (*change.items, *change.fields.values())
        for row in rows:
            yield from _under(row, "when")


def messages(root: YamlNode) -> Iterator[YamlNode]:
    """Yield every message template of a policy."""
    for rule in _items(root, "rules"):
        for key in MESSAGES:
            yield from _under(rule, key)
    otherwise = root.get("otherwise")
    if otherwise is not None:
        yield from _under(otherwise, "because")


def named_condition(part: YamlNode) -> YamlNode:
    """Return the condition of an entry under `conditions:`, which may be written with `when:` and `doc:`."""
    return part.fields.get("when", part)


def leaves(part: YamlNode) -> Iterator[YamlNode]:
    """Yield the texts of a condition, from left to right."""
    if not part.fields and not part.items:
        yield part
    for child in (*part.fields.values(), *part.items):
        yield from leaves(child)


def _items(root: YamlNode, key: str) -> tuple[YamlNode, ...]:
    part = root.get(key)
    return part.items if part is not None else ()


def _entries(root: YamlNode, key: str) -> tuple[YamlNode, ...]:
    part = root.get(key)
    return tuple(part.fields.values()) if part is not None else ()


def _under(part: YamlNode, key: str) -> Iterator[YamlNode]:
    found = part.get(key)
    if found is not None:
        yield found
