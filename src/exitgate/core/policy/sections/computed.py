"""Named conditions and facts computed from others, each after what it uses."""

from __future__ import annotations

from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, NUMBER, Type, Value, range_fault, usual_range
from exitgate.core.policy.compiled import Derived, PointsRow
from exitgate.core.policy.extending.condition_sites import named_condition
from exitgate.core.policy.points import OPEN
from exitgate.core.policy.sections.conditions import check_condition, parse_condition
from exitgate.core.policy.sections.parameters import type_of
from exitgate.core.policy.sections.progress import is_progress, progress_signals, read_progress
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.sections.conditions import Names, Spoken


#: Types a number can be declared as.
_NUMERIC = frozenset(("count", "number", "percent"))


class Entry(Value):
    """
    A named condition (``@name``) or a computed fact (its name), with its parsed texts.

    An entry of progress has no texts but `signals`.
    """

    __slots__ = ("name", "part", "signals", "texts")

    def __init__(
        self, name: str, part: YamlNode, texts: tuple[Spoken, ...] = (), signals: tuple[YamlNode, ...] = ()
    ) -> None:
        self.name = name
        self.part = part
        self.texts = texts
        self.signals = signals

    def uses(self) -> set[str]:
        """Return the names of facts and conditions it uses."""
        found = {signal.text for signal in self.signals}
        for text in self.texts:
            found |= text.names("fact") | {"@" + name for name in text.names("condition")}
        return found


def read_computed(root: YamlNode, names: Names, findings: Findings) -> tuple[Names, tuple[Derived, ...]]:
    """
    Check `conditions:` and the points, formulas and progress under `facts:`.

    Args:
        root: The merged policy.
        names: What it declares beside these.
        findings: Takes EP4xx.

    Returns:
        The names and those declared here, and the computed facts in order of use.
    """
    entries = _entries(root, names, findings)
    uses = {name: _entries_in(entry.uses(), entries) for name, entry in entries.items() if entry is not None}
    order, circles = ordered(uses)
    for circle in circles:
        _report_circle(circle, entries, findings)
    for name in entries:
        if name not in order:
            names = names.with_condition(name[1:], None) if name[0] == "@" else names.with_fact(name, None)
    derived = []
    for name in order:
        entry = entries[name]
        assert entry is not None
        if name.startswith("@"):
            checked = check_condition(entry.texts[0], names, findings)
            names = names.with_condition(name[1:], checked.node if checked is not None else None)
            continue
        if entry.signals:
            made, names = read_progress(name, entry.part, entry.signals, names, findings)
            derived += made
            continue
        fact = (
            _points(entry, names, findings)
            if "points" in entry.part.fields
            else _formula(entry, names, findings)
        )
        names = names.with_fact(name, None if fact is None else _spec(fact, entry.part))
        derived += [] if fact is None else [fact]
    return names, tuple(derived)


def _entries_in(uses: set[str], entries: Mapping[str, Entry | None]) -> set[str]:
    """Return the entries that the used names belong to: ``progress.made`` belongs to `progress`."""
    groups = {entry.name for entry in entries.values() if entry is not None and entry.signals}
    found = {name.rpartition(".")[0] for name in uses} & groups
    return (uses & entries.keys()) | found


def _entries(root: YamlNode, names: Names, findings: Findings) -> dict[str, Entry | None]:
    """Return all entries by name; None for one whose conditions do not parse."""
    found: dict[str, Entry | None] = {}
    for key, mark in (("conditions", "@"), ("facts", "")):
        section = root.get(key)
        for name, part in section.fields.items() if section is not None else ():
            if key == "conditions":
                parts = [named_condition(part)]
            elif "points" in part.fields:
                parts = [row.fields["when"] for row in part.fields["points"].items]
            elif "formula" in part.fields:
                parts = [part.fields["formula"]]
            elif is_progress(part):
                signals = progress_signals(name, part, names, findings)
                found[name] = Entry(name, part, (), signals) if signals else None
                continue
            else:
                continue
            want = None if "formula" in part.fields else BOOL
            texts = [parse_condition(text, findings, names, want) for text in parts]
            if mark + name in names.facts:
                message = f"`{name}` is the name of another fact"
                findings.error("EP475", message, part.label, "give this one another name")
            good = tuple(text for text in texts if text is not None)
            found[mark + name] = Entry(mark + name, part, good) if len(good) == len(texts) else None
    return found


def _report_circle(circle: list[str], entries: Mapping[str, Entry | None], findings: Findings) -> None:
    first = min(circle, key=list(entries).index)
    turned = circle[circle.index(first) :] + circle[: circle.index(first)]
    shown = " -> ".join(f"`{name}`" for name in (*turned, first))
    entry = entries[first]
    assert entry is not None
    code, what = ("EP465", "conditions") if first.startswith("@") else ("EP466", "computed facts")
    message = f"these {what} use each other in a circle: {shown}"
    findings.error(code, message, entry.part.label, "remove one of these references")


def _points(entry: Entry, names: Names, findings: Findings) -> Derived | None:
    rows = []
    for spoken, row in zip(entry.texts, entry.part.fields["points"].items, strict=True):
        checked = check_condition(spoken, names, findings)
        add = row.fields["add"].value
        assert isinstance(add, int | float)
        because = row.fields["because"].text if "because" in row.fields else ""
        if checked is not None:
            rows.append(PointsRow(checked.node, add, because))
    if len(rows) < len(entry.texts):
        return None
    type_ = Type(entry.part.fields["type"].text) if "type" in entry.part.fields else NUMBER
    low, high = _range(entry.part, type_, findings)
    unsure = entry.part.fields["unknown_rows"].text if "unknown_rows" in entry.part.fields else OPEN
    return Derived(entry.name, type_, tuple(rows), None, low, high, unknown_rows=unsure)


def _formula(entry: Entry, names: Names, findings: Findings) -> Derived | None:
    checked = check_condition(entry.texts[0], names, findings, None)
    if checked is None:
        return None
    given = checked.node.type
    assert given is not None
    wanted = type_of(entry.part, findings) if "type" in entry.part.fields else given
    if wanted is None:
        return None
    if wanted != given and not (wanted.kind in _NUMERIC and given.kind in _NUMERIC):
        part = entry.part.fields["type"]
        help = f"write `type: {given.kind}`, or omit it"
        findings.error("EP476", f"the formula gives {given}, not {wanted}", part.place, help)
        return None
    low, high = _range(entry.part, wanted, findings)
    return Derived(entry.name, wanted, (), checked.node, low, high)


def _range(part: YamlNode, type: Type, findings: Findings) -> tuple[float | None, float | None]:
    """Return the declared range; a percent without one is held within 0 and 100, a count is 0 or more."""
    section = part.get("range")
    if section is None:
        return usual_range(type.kind) if type.kind in ("percent", "count") else (None, None)
    low, high = (item.value for item in section.items)
    assert isinstance(low, int | float) and isinstance(high, int | float)
    fault = range_fault(type.kind, low, high)
    if fault is not None:
        findings.error("EP467", fault[0], section.place, fault[1])
    return low, high


def _spec(fact: Derived, part: YamlNode) -> FactSpec:
    """
    Return what is promised about a computed fact.

    It does not count as read: points can be known even when nothing they rest on is.
    """
    doc = part.fields["doc"].text if "doc" in part.fields else "Computed by the policy."
    unknown = "if the formula needs an unknown fact"
    if fact.formula is None:
        unknown = "between two bounds while a row is unknown" if fact.unknown_rows == OPEN else ""
    return FactSpec(fact.name, fact.type, doc, unknown, fact.low, fact.high, read=False)


# An order in which everything comes after what it uses.


def ordered(uses: Mapping[str, Set[str]]) -> tuple[list[str], list[list[str]]]:
    """
    Return the names in an order in which each comes after those it uses, and the circles.

    Args:
        uses: Name -> the names it uses; those that are not keys are ignored.

    Returns:
        The order, which leaves out every name that is on a circle or uses one that is; and each
        circle found, as the names on it in order of use.
    """
    order: list[str] = []
    state: dict[str, str] = {}
    circles: list[list[str]] = []
    for start in uses:
        path: list[str] = []
        stack = [(start, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                path.pop()
                below = [state.get(other) for other in uses[name] if other in uses]
                state[name] = "done" if all(found == "done" for found in below) else "bad"
                if state[name] == "done":
                    order.append(name)
            elif name not in state:
                state[name] = "open"
                path.append(name)
                stack.append((name, True))
                stack += [(other, False) for other in sorted(uses[name], reverse=True) if other in uses]
            elif state[name] == "open" and name in path:
                circles.append(path[path.index(name) :])
    return order, circles
