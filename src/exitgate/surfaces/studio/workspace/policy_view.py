"""A policy as the studio shows it: its text, its parameters with bounds and who set them, its rules."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.model.value import Unknown
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy, Parameter, Rule
from exitgate.core.settings.provenance import Settled
from exitgate.report.policy.description import effect_text, template_text
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.policies import text_of
from exitgate.surfaces.studio.workspace.stamps import stamp_of


def policy_json(column: Column) -> dict[str, object]:
    """Return a policy with its draft; its text is that of its file, the draft's own is in the draft."""
    settled, saved = column.settled, column.saved
    policy = settled.policy
    own = column.origin.file()
    file = file_of(saved.policy)
    stamp = stamp_text(file)  # before the text: a change in between is found later
    text, readable = text_of(file)
    extracting = {name for entry in policy.extractions for name in entry.parameters}
    return {
        "name": column.name, "title": policy.title, "version": policy.version, "path": saved.policy.path,
        "text": text, "stamp": stamp, "editable": own is not None and readable,
        "in_force": column.origin.in_force, "draft": column.draft,
        "moved": column.moved if column.is_draft else None,
        "parameters": [_parameter(one, settled, saved, extracting) for one in policy.parameters.values()],
        "rules": _rules(settled, saved, column.draft.disabled),
    }  # fmt: skip


def _parameter(one: Parameter, settled: Settled, saved: Settled, extracting: set[str]) -> dict[str, object]:
    chain = settled.parameters.get(one.name, ())
    before = saved.policy.parameters.get(one.name)
    return {
        "name": one.name, "type": one.type.kind, "choices": list(one.type.members),
        "value": plain(one.value), "saved": None if before is None else plain(before.value),
        "default": plain(one.default), "low": one.low, "high": one.high, "doc": one.doc,
        "set_by": [
            {"layer": by.layer, "place": None if by.place is None else str(by.place), "why": by.why}
            for by in chain
        ],
        "extracts": one.name in extracting,
    }  # fmt: skip


def _rules(settled: Settled, saved: Settled, disabled: tuple[str, ...]) -> list[dict[str, object]]:
    """Return the rules in order; one that the draft leaves out stays behind the rule that was ahead of it."""
    found = list(settled.policy.rules)
    before = saved.policy.rules
    for at, rule in enumerate(before):
        if rule.id in disabled:
            ahead = before[at - 1].id if at else None
            found.insert(next((n + 1 for n, one in enumerate(found) if one.id == ahead), 0), rule)
    return [_rule(rule, rule.id not in disabled) for rule in found]


def _rule(rule: Rule, enabled: bool) -> dict[str, object]:
    return {
        "id": rule.id, "effect": effect_text(rule), "class": rule.exit_class, "mode": rule.mode,
        "stage": rule.stage, "when": rule.text, "says": template_text(rule.because), "locked": rule.locked,
        "enabled": enabled, "place": None if rule.place is None else str(rule.place),
    }  # fmt: skip


def plain(value: object) -> object:
    """Return the value of a parameter as JSON."""
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return None if isinstance(value, Unknown) else value


def file_of(policy: CompiledPolicy) -> str:
    """Return the path of a policy's file, links resolved; for a shipped one, where it was installed."""
    kind, _, name = policy.path.partition(":")
    return os.path.realpath(str(shipped.path(name)) if kind == "shipped" else policy.path)


def stamp_text(path: str) -> str:
    """Return the stamp of a file for a page; the empty text for one that is missing."""
    return " ".join(map(str, stamp_of(path) or ()))


def problems_json(diagnostics: Sequence[Diagnostic]) -> list[Mapping[str, object]]:
    """Return diagnostics with their places, for an editor."""
    return [
        {
            "code": one.code, "severity": one.severity, "message": one.message, "help": one.help,
            "file": one.place.file if one.place is not None else None,
            "line": one.place.line if one.place is not None else None,
            "column": one.place.column if one.place is not None else None,
        }
        for one in diagnostics
    ]  # fmt: skip
