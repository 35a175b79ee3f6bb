"""Settings as people read them: each value, who set it, what it overrode, which rules use it."""

from __future__ import annotations

from exitgate.report.config_entries import PATHS, entries
from exitgate.report.safe import safe
from exitgate.report.values import value_text
from exitgate.report.width import columns, pad, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.type import Type
    from exitgate.policy.provenance import Setting, Settled
    from exitgate.report.config_entries import Entry
    from exitgate.report.style import Style

GAP = "  "
#: Columns that a condition, a message or an entry of a list may take in the table.
BRIEF = 40


def config_text(settled: Settled, style: Style) -> str:
    """Return the table of effective values; of rules, lists, facts and so on what a layer changed."""
    policy = settled.policy
    lines = [f"{style.paint('strong', safe(policy.name))} {safe(policy.version)}"]
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
