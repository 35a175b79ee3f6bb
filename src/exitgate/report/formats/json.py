"""Diagnostics, policies and explanations as JSON."""

from __future__ import annotations

import json

from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import Unknown
from exitgate.report.diagnostics import ordered
from exitgate.report.policy.description import template_text
from exitgate.report.terminal import JOINERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.report.decision.explanation import Explanation, Rung


def json_text(plain: object) -> str:
    """
    Return plain values as indented JSON with a line end.

    Letters of every script stay; what a terminal could act on, lone surrogates included, is escaped.
    """
    text = json.dumps(plain, indent=2, ensure_ascii=False)
    if text.isascii():
        return text.replace("\x7f", "\\u007f") + "\n"
    return "".join(c if c == "\n" or c.isprintable() or c in JOINERS else _escaped(c) for c in text) + "\n"


def diagnostics_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Return a mapping for each diagnostic, in the order people read them."""
    return [_diagnostic(d) for d in ordered(diagnostics)]


def policy_json(policy: CompiledPolicy) -> dict[str, object]:
    """Return parameters with effective values, rules in order, and invariants."""
    return {
        "policy": policy.name,
        "version": policy.version,
        "title": policy.title,
        "digest": policy.digest,
        "path": policy.path,
        "parameters": [
            {
                "name": p.name,
                "type": str(p.type),
                "value": _plain(p.value),
                "default": _plain(p.default),
                "doc": p.doc,
            }
            for p in policy.parameters.values()
        ],
        "facts": [
            {"name": name, "type": str(spec.type), "doc": spec.doc} for name, spec in policy.facts.items()
        ],
        "rules": [
            {
                "id": r.id,
                "effect": r.effect,
                "class": r.exit_class,
                "outcome": r.outcome,
                "mode": r.mode,
                "stage": r.stage,
                "when": r.text,
                "because": template_text(r.because),
                **({} if r.retry_after is None else {"retry_after": unparse(r.retry_after)}),
                "locked": r.locked,
            }
            for r in policy.rules
        ],
        "invariants": [
            {"id": i.id, "given": i.text, "claim": i.claim, "verdict": i.verdict, "stage": i.stage}
            for i in policy.invariants
        ],
    }


def explanation_json(explained: Explanation) -> dict[str, object]:
    """Return what an explanation adds to its decision: the ladder, the outlook in words and in numbers."""
    from exitgate.report.decision.counterfactuals import outlook_plain, sentences

    return {
        "ladder": [_rung(rung) for rung in explained.rungs],
        "changes": list(sentences(explained.outlook, explained.policy, explained.all)),
        **outlook_plain(explained.outlook),
    }


def _rung(rung: Rung) -> dict[str, object]:
    return {
        "rule": rung.rule.id,
        "state": rung.state,
        "effect": rung.rule.effect,
        "class": rung.rule.exit_class,
        "mode": rung.rule.mode,
        "when": rung.rule.text,
        "here": rung.written,
        "facts": list(rung.names),
        "unknowns": [{"origin": u.origin, "reason": u.reason} for u in rung.step.unknowns],
        "pending": [pending.to_json() for pending in rung.step.pending],
    }


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    place = diagnostic.place
    plain: dict[str, object] = {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "help": diagnostic.help,
    }
    if place is not None:
        plain |= {
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line,
            "end_column": place.end_column,
        }
    if diagnostic.related:
        plain["related"] = [{"message": word, "place": str(other)} for word, other in diagnostic.related]
    return plain


def _plain(value: object) -> object:
    if isinstance(value, Unknown):
        return None
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _escaped(character: str) -> str:
    """Return the JSON escape of a character: one unit of UTF-16, or a pair."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


# Plain values as one line of JSON lines.


def json_line(plain: object) -> str:
    """Return plain values as one line with its end; where a terminal could act on one, all in ASCII."""
    text = json.dumps(plain, ensure_ascii=False)
    if not all(c.isprintable() or c in JOINERS for c in text):
        text = json.dumps(plain).replace("\x7f", "\\u007f")
    return text + "\n"
