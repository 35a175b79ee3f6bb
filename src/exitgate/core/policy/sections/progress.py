"""Entries under `facts:` that say which facts are signals of progress."""

from __future__ import annotations

from exitgate.core.facts import registry
from exitgate.core.facts.extractors import progress
from exitgate.core.facts.extractors.progress import CHANGES, FALLS, RISES, TRUE
from exitgate.core.language.functions import NUMERIC
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.compiled import Derived
from exitgate.core.policy.schema.check import check_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.sections.conditions import Names
    from exitgate.core.policy.yaml.node import YamlNode


#: Prefixes of facts that move no matter what the agent does, or only say what was concluded from others.
_OWN = ("circuit", "clock", "day", "run")


def is_progress(part: YamlNode) -> bool:
    """Return whether an entry is one of progress; the engine computes its facts from others."""
    id = part.get("extract")
    return id is not None and id.text in registry.COMPUTED


def progress_signals(name: str, part: YamlNode, names: Names, findings: Findings) -> tuple[YamlNode, ...]:
    """
    Return the names of the signals where they are, in order; none after an error.

    Args:
        name: The entry's own name.
        part: The entry.
        names: What is declared so far.
        findings: Takes EP202, EP471, EP475 and schema errors.
    """
    before = findings.errors()
    if name in registry.BUILT_IN:
        message = f"`{name}` is the name of facts that are always there"
        findings.error("EP475", message, part.label, "give the entry another name")
    elif any(full in names.facts for full in (name, *_full_names(name))):
        findings.error(
            "EP475", f"`{name}` is the name of another fact", part.label, "give this one another name"
        )
    for key, value in part.fields.items():
        if key not in ("extract", "signals", "doc"):
            help = suggestion(key, ["signals"], "options of `progress`")
            findings.error("EP471", f"`progress` has no option `{key}`", value.label, help)
    signals = part.get("signals")
    if signals is None:
        help = "add `signals: [...]` with the facts whose movement is progress"
        findings.error("EP202", "`signals` is missing", part.label, help)
        return ()
    check_schema(signals, progress.SIGNALS, findings)
    if findings.errors() > before:
        return ()
    found = tuple(item.get("fact") or item for item in signals.items)
    for number, one in enumerate(found):
        if any(one.text == other.text for other in found[:number]):
            findings.error("EP481", f"`{one.text}` is named twice", one.place, "keep one of them")
    return found if findings.errors() == before else ()


def read_progress(
    name: str, part: YamlNode, signals: tuple[YamlNode, ...], names: Names, findings: Findings
) -> tuple[list[Derived], Names]:
    """
    Return the facts of an entry of progress, and the names with them.

    Args:
        name: The entry's name.
        part: The entry.
        signals: What `progress_signals` gave.
        names: Everything that may be a signal.
        findings: Takes EP481.
    """
    before = findings.errors()
    moves = []
    for signal, item in zip(signals, part.fields["signals"].items, strict=True):
        _check_signal(signal, names, findings)
        moves.append(_way(signal, item.get("moves"), names, findings))
    if findings.errors() > before or any(names.is_broken(signal.text) for signal in signals):
        return [], names.with_fact(name, None)
    chosen = tuple(signal.text for signal in signals)
    doc = part.fields["doc"].text if "doc" in part.fields else ""
    made = []
    for spec in progress.SPECS:
        full = f"{name}.{spec.name}"
        made.append(Derived(full, spec.type, signals=chosen, moves=tuple(moves)))
        names = names.with_fact(
            full, FactSpec(full, spec.type, doc or spec.doc, spec.unknown_when, spec.low, read=False)
        )
    return made, names


def _way(signal: YamlNode, moves: YamlNode | None, names: Names, findings: Findings) -> str:
    """Return how a signal moves, by what is written or else by its type; report what cannot be (EP481)."""
    spec = names.facts.get(signal.text)
    kind = spec.type.kind if spec is not None else ""
    by_type = RISES if kind in NUMERIC else TRUE if kind == "bool" else CHANGES
    if moves is None or spec is None:
        return by_type
    needs = {RISES: NUMERIC, FALLS: NUMERIC, TRUE: ("bool",)}.get(moves.text)
    if needs is not None and kind not in needs:
        told = "is never true" if moves.text == TRUE else f"never {moves.text}"
        message = f"`{signal.text}` {told}: it is of type {kind}"
        findings.error("EP481", message, moves.place, f"write `moves: {by_type}`, or omit `moves:`")
    return moves.text


def _check_signal(signal: YamlNode, names: Names, findings: Findings) -> None:
    name = signal.text
    if name in names.facts:
        if name.partition(".")[0] in _OWN:
            help = "name what the agent does: ticked tasks, `git.content`, a formula over its own report"
            findings.error("EP481", f"`{name}` is not a sign of progress", signal.place, help)
    elif not names.is_broken(name):
        help = suggestion(name, names.facts, "facts")
        findings.error("EP481", f"there is no fact `{name}`", signal.place, help)


def _full_names(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{spec.name}" for spec in progress.SPECS)
