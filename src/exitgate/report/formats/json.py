"""Plain values and explanations as JSON."""

from __future__ import annotations

import json

from exitgate.report.decision.explanation import Explanation, Rung
from exitgate.report.terminal import JOINERS


def json_text(plain: object) -> str:
    """
    Return plain values as indented JSON with a line end.

    Letters of every script stay; what a terminal could act on, lone surrogates included, is escaped.
    """
    text = json.dumps(plain, indent=2, ensure_ascii=False)
    if text.isascii():
        return text.replace("\x7f", "\\u007f") + "\n"
    return "".join(c if c == "\n" or c.isprintable() or c in JOINERS else _escaped(c) for c in text) + "\n"


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
