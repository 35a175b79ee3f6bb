"""Settings as people read them: each value, who set it, what it overrode, which rules use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from exitgate.core.language.measure import facts_of, parameters_of
from exitgate.core.model.value import Type
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.settings.files import POLICY
from exitgate.core.system.quick_json import dumps
from exitgate.report.formats.output import Output, Position, output_text
from exitgate.report.policy.sources import SourceOutput, source_lines, sources_of
from exitgate.report.terminal import Style, columns, pad, safe, wrap
from exitgate.report.wording import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.settings.provenance import Chain, Setting, Settled


GAP = "  "
#: Columns that a condition, a message or an entry of a list may take in the table.
BRIEF = 40


def config_text(settled: Settled, style: Style) -> str:
    """Return the table of effective values; of rules, lists, facts and so on what a layer changed."""
    policy = settled.policy
    lines = [f"{style.paint('strong', safe(policy.name))} {safe(policy.version)}"]
    lines += [style.paint("quiet", line) for line in source_lines(policy)]
    lines += [style.paint("quiet", f"{one.layer}: {safe(one.file)}") for one in settled.read]
    if not settled.read:
        lines.append(style.paint("quiet", "no file of settings was found"))
    shown = [e for e in entries(settled) if e.kind not in (*PATHS, "rule", "list") or e.changed]
    names = max(columns(e.name) for e in shown)
    values = min(24, max(columns(e.value(e.chain[-1])) for e in shown if e.kind not in PATHS))
    lines.append("")
    for entry in shown:
        head = f"{style.paint('name', pad(safe(entry.name), names))}{GAP}"
        head += f"{pad(_brief(entry, entry.chain[-1], style), values)}{GAP}"
        lines.append(head + where(entry.chain[-1]))
        indent = " " * (names + len(GAP))
        for words in _remarks(entry, style):
            lines += [style.paint("quiet", line) for line in wrap(words, style.width, indent)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _remarks(entry: Entry, style: Style) -> list[str]:
    last, below = entry.chain[-1], entry.chain[:-1]
    found = [f"overrides {_brief(entry, one, style)} of {where(one)}" for one in reversed(below)]
    if last.why:
        until = f", until {safe(last.until)}" if last.until else ""
        found.append(f"why: {safe(last.why)}{until}")
    if entry.used_by:
        found.append(f"used by {', '.join(map(safe, entry.used_by))}")
    if entry.read_by:
        found.append(f"used by facts {', '.join(map(safe, entry.read_by))}")
    if entry.used_by or entry.read_by:
        return found
    if entry.kind == "parameter":
        found.append("used by no rule")
    return found


def _brief(entry: Entry, setting: Setting, style: Style) -> str:
    """Return a value, cut where it is long: the page of the one setting has all of it."""
    value = entry.value(setting)
    return style.fit(value, BRIEF) if entry.kind in PATHS else value


def where(setting: Setting) -> str:
    """Return the layer and the place, ``project, .bb3/config.yaml:2:19``."""
    if setting.place is None:
        return setting.layer
    file = setting.place.file
    at = safe(file[1:-1] if file.startswith("<") else str(setting.place))
    return (
        at
        if at == setting.layer
        else f"{setting.layer}, {at}".replace("environment, environment ", "environment, ")
    )


def entry_text(entry: Entry, settled: Settled, style: Style) -> str:
    """Return one thing with its whole chain, the value in force first."""
    last = entry.chain[-1]
    lines = [f"{style.paint('name', safe(entry.name))} = {style.paint('strong', entry.value(last))}"]
    rows = [(entry.value(one), where(one)) for one in reversed(entry.chain)]
    values = max(columns(value) for value, _ in rows)
    for number, (value, at) in enumerate(rows):
        mark = "  <- in force" if number == 0 else ""
        lines.append(f"  {pad(value, values)}  {at}{mark}")
    for one in reversed(entry.chain):
        if one.why:
            until = f" until {safe(one.until)}" if one.until else ""
            lines.append(f"why{until}  {safe(one.why)} ({one.layer})")
    parameter = settled.policy.parameters.get(entry.name) if entry.kind == "parameter" else None
    if parameter is not None:
        lines += [f"allowed  {allowed(parameter.type, parameter.low, parameter.high)}"]
        lines += wrap(safe(parameter.doc), style.width, "means    ") if parameter.doc else []
    for rule in settled.policy.rules:
        if rule.id in entry.used_by:
            lines.append(f"used by  {safe(rule.id)} ({safe(str(rule.place))})")
    lines += [f"used by  facts {safe(name)}" for name in entry.read_by]
    if entry.kind == "parameter" and not entry.used_by and not entry.read_by:
        lines.append("used by  no rule")
    return "\n".join(lines) + "\n"


def unset_text(said: str, meaning: str, style: Style) -> str:
    """Return what is known of a key that is in force nowhere, and what the key is for."""
    lines = wrap(safe(said), style.width)
    lines += wrap(safe(meaning), style.width, "means    ") if meaning else []
    return "\n".join(lines) + "\n"


def allowed(type: Type, low: float | None, high: float | None) -> str:
    """Return what values a parameter takes: ``percent from 1 to 100``."""
    if type.kind == "percent":
        low, high = 0 if low is None else low, 100 if high is None else high
    elif type.kind == "count" and low is None:
        low = 0
    words = [str(type)]
    words += [f"from {value_text(low, type)}"] if low is not None else []
    words += [f"to {value_text(high, type)}"] if high is not None else []
    return " ".join(words)


# What layers can set, each with its chain and the rules that use it.

#: Kinds of values that are named by a path.
PATHS = ("rules", "facts", "conditions", "views", "lexicons", "sources", "probes")


class Entry(Struct, frozen=True):
    """
    A value that layers set: its name, kind, chain and type.

    `used_by` are the rules that depend on it, `read_by` the entries under `facts:` that read with it.
    Kinds are `policy`, `profile`, `mode`, `parameter`, `rule` (its mode), `list`, `hooks`; for values named
    by a path such as ``rules.stagnation.when`` its first part: `rules`, `facts`, `conditions`, `views`,
    `lexicons`, `sources`.
    """

    kind: str
    name: str
    chain: Chain
    type: Type | None = None
    used_by: tuple[str, ...] = ()
    read_by: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether a layer set it."""
        return len(self.chain) > 1 or self.chain[0].layer != POLICY

    def value(self, setting: Setting) -> str:
        """Return a value of the chain as text."""
        if self.kind == "parameter":
            return value_text(setting.value, self.type)
        if isinstance(setting.value, bool):
            return "true" if setting.value else "false"
        if self.kind in PATHS and not isinstance(setting.value, str | tuple):
            return safe(dumps(setting.value))
        if isinstance(setting.value, tuple):
            return safe(", ".join(str(item) for item in setting.value)) or "empty"
        return safe(str(setting.value))


def entries(settled: Settled) -> tuple[Entry, ...]:
    """Return all that a layer can set, and of lexicons and sources what one did set, in order."""
    policy = settled.policy
    uses = rules_by_parameter(policy)
    found = [Entry("policy", "policy", settled.chosen)]
    if settled.profile:
        found.append(Entry("profile", "profile", settled.profile))
    if settled.mode:
        found.append(Entry("mode", "mode", settled.mode))
    for name, chain in settled.parameters.items():
        read_by = tuple(e.prefix for e in policy.extractions if name in e.parameters)
        type_ = policy.parameters[name].type
        found.append(Entry("parameter", name, chain, type_, uses.get(name, ()), read_by))
    found += [Entry("rule", name, chain) for name, chain in settled.rules.items()]
    found += [Entry("list", name, chain) for name, chain in settled.lists.items()]
    found += [Entry(path.partition(".")[0], path, chain) for path, chain in settled.changes.items()]
    found += [Entry("hooks", f"hooks.{key}", chain) for key, chain in settled.hooks.items()]
    return tuple(found)


def rules_by_parameter(policy: CompiledPolicy) -> dict[str, tuple[str, ...]]:
    """
    Return parameter -> ids of the rules whose condition or retry time depends on it, in chain order.

    A rule depends on it directly, through named conditions, through facts that are read with it or
    computed, or through the policy's breaker where it asks for its state.
    """
    through = _parameters_behind_facts(policy)
    found: dict[str, list[str]] = {name: [] for name in policy.parameters}
    for rule in policy.rules:
        names: set[str] = set()
        for node in (rule.when, rule.retry_after):
            if node is not None:
                names |= parameters_of(node, policy.conditions)
                names |= set().union(*(through.get(f, set()) for f in facts_of(node, policy.conditions)))
        for name in names & found.keys():
            found[name].append(rule.id)
    return {name: tuple(ids) for name, ids in found.items()}


def _parameters_behind_facts(policy: CompiledPolicy) -> dict[str, set[str]]:
    """Return fact -> parameters it depends on; computed facts come in order of use."""
    through: dict[str, set[str]] = {}
    for extraction in policy.extractions:
        for name in policy.facts if extraction.parameters else ():
            if name == extraction.prefix or name.startswith(extraction.prefix + "."):
                through[name] = set(extraction.parameters)
    for fact in policy.derived:
        nodes = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
        names: set[str] = set().union(*(through.get(signal, set()) for signal in fact.signals))
        for node in nodes:
            names |= parameters_of(node, policy.conditions)
            for other in facts_of(node, policy.conditions):
                names |= through.get(other, set())
        through[fact.name] = names
    if policy.breaker is not None:
        names = set()
        for node in policy.breaker.conditions():
            names |= parameters_of(node, policy.conditions)
            for other in facts_of(node, policy.conditions):
                names |= through.get(other, set())
        through |= {name: names for name in policy.facts if name.startswith("circuit.")}
    return through


# Settings in force as JSON.


class LayerOutput(Output, frozen=True):
    """
    A file of settings that was read.

    Args:
        layer: The kind of layer.
        file: Its name.
        digest: Of its bytes.
    """

    layer: str
    file: str
    digest: str


class SettingOutput(Output, frozen=True):
    """
    One layer's word on a setting.

    Args:
        value: What it says.
        layer: Which layer.
        file: Where it is written, if a file says it.
        line: From 1.
        column: From 1.
        why: The reason given.
        until: The last day of an exception.
    """

    value: Any
    layer: str
    file: str | UnsetType = UNSET
    line: Position | UnsetType = UNSET
    column: Position | UnsetType = UNSET
    why: str | UnsetType = UNSET
    until: str | UnsetType = UNSET


class EntryOutput(Output, frozen=True, kw_only=True):
    """
    A setting in force, with what it overrode.

    Args:
        name: Its name, or its path such as `rules.stagnation.when`.
        kind: What it is: `parameter`, `rule`, `list`, `hooks`, or another part of a policy.
        value: The value in force.
        layer: The layer that set it.
        file: Where it is written, if a file says it.
        line: From 1.
        column: From 1.
        why: The reason given.
        until: The last day of an exception.
        type: Of a parameter.
        used_by: Rules that depend on a parameter.
        read_by: Entries under `facts:` that read with a parameter.
        overrode: What lower layers say, the nearest first.
    """

    name: str
    kind: str
    value: Any
    layer: str
    file: str | UnsetType = UNSET
    line: Position | UnsetType = UNSET
    column: Position | UnsetType = UNSET
    why: str | UnsetType = UNSET
    until: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    used_by: tuple[str, ...] | UnsetType = UNSET
    read_by: tuple[str, ...] | UnsetType = UNSET
    overrode: tuple[SettingOutput, ...]


class ConfigOutput(Output, frozen=True):
    """
    What `exitgate config --format json` prints.

    Args:
        policy: Name of the policy in force.
        version: Its version.
        digest: Hex digest of all that was read to make it.
        path: Where it was read from.
        sources: Packages and repositories that it, or what it extends, is from; left out for none.
        layers: Files of settings that were read, from low to high.
        settings: The settings in force.
    """

    policy: str
    version: str
    digest: str
    path: str
    sources: tuple[SourceOutput, ...] | UnsetType
    layers: tuple[LayerOutput, ...]
    settings: tuple[EntryOutput, ...]


def config_json(settled: Settled, shown: Sequence[Entry]) -> str:
    """Return the entries with value, layer, place, chain and rules, and what was read."""
    policy = settled.policy
    layers = tuple(LayerOutput(one.layer, one.file, one.digest) for one in settled.read)
    settings = tuple(map(_entry, shown))
    sources = sources_of(policy) or UNSET
    return output_text(
        ConfigOutput(policy.name, policy.version, policy.digest, policy.path, sources, layers, settings)
    )


def _entry(entry: Entry) -> EntryOutput:
    last, *below = map(_setting, reversed(entry.chain))
    said = {name: getattr(last, name) for name in SettingOutput.__struct_fields__}
    if entry.kind == "parameter":
        said |= {"type": str(entry.type), "used_by": entry.used_by, "read_by": entry.read_by}
    return EntryOutput(name=entry.name, kind=entry.kind, overrode=tuple(below), **said)


def _setting(setting: Setting) -> SettingOutput:
    place = setting.place
    file, line, column = (UNSET, UNSET, UNSET) if place is None else (place.file, place.line, place.column)
    why, until = setting.why or UNSET, setting.until or UNSET
    return SettingOutput(setting.value, setting.layer, file, line, column, why, until)
