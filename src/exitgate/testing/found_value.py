"""What was found of an expectation, as a test would write it."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.policy.quoting import is_plain
from exitgate.testing import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.case import Want
    from exitgate.testing.view import View

#: Keys of `expect:` -> the part of a decision they are compared with.
_PARTS = {
    "verdict": "verdict",
    "class": "exit_class",
    "outcome": "outcome",
    "rule": "rule",
    "firm": "firm",
    "blind": "blind",
    "message": "message",
    "advice": "advice",
    "escalation": "escalation",
}


class NotWritableError(ValueError):
    """What was found cannot be written instead of what was expected; the message says why."""


def found_value(want: Want, view: View) -> object:
    """
    Return what the decided iteration shows where `want` looks, as plain data that would meet it.

    Raises `NotWritableError` for what only a person can choose: the part of a long text.
    """
    decision = view.decision
    if want.key in _PARTS:
        return _wording(want, getattr(decision, _PARTS[want.key]))
    if want.key == "facts":
        spec = view.program.policy.facts[want.subject]
        return _short(values.write(view.observed.record.get(want.subject, Unknown("", "")), spec.type))
    if want.key == "pending":
        step = view.step(want.subject)
        return str(step.pending[0]) if step is not None and step.pending else None
    if want.key in ("evidence", "rejected"):
        return _pieces(want, view)
    found = {
        "undetermined": [step.rule for step in decision.undetermined],
        "alternatives": [alternative.rule for alternative in decision.alternatives],
        "shadows": list(decision.shadows),
        "warnings": [warned.rule or warned.message for warned in decision.warnings],
    }[want.key]
    if len(set(found)) < len(found):
        raise NotWritableError("there are two with the same name, which a list of names cannot express")
    return found


def _short(plain: object) -> object:
    """Return a number with as many digits as a test compares."""
    if not isinstance(plain, float):
        return plain
    short = round(plain, 2)
    return int(short) if short == int(short) else short


def _wording(want: Want, found: object) -> object:
    if isinstance(want.value, dict):
        return {"exact": found}
    if want.key in ("message", "advice", "escalation"):
        if not found:
            raise NotWritableError(f"there is no {want.key}: remove the expectation")
        if isinstance(want.value, list) or "\n" in str(found):
            raise NotWritableError("choose the part of the text to expect by hand")
    return found


def _pieces(want: Want, view: View) -> list[str]:
    fact = view.observed.facts.get(want.subject)
    if fact is None:
        return []
    found = (
        [e.excerpt for e in fact.evidence]
        if want.key == "evidence"
        else [str(e.guard) for e in fact.rejected]
    )
    return list(dict.fromkeys(one.strip() for one in found if one.strip()))


def flow(plain: object) -> str:
    """
    Return plain data as YAML on one line that can be anywhere, in brackets and out of them.

    Texts are without quotes where YAML reads them as they are, else in double quotes.
    """
    if plain is None:
        return "~"
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, list):
        return "[" + ", ".join(flow(item) for item in plain) + "]"
    if isinstance(plain, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(value)}" for key, value in plain.items()) + "}"
    if isinstance(plain, str):
        return plain if is_plain(plain, flow=True) else '"' + "".join(map(_escaped, plain)) + '"'
    return repr(plain)


def _escaped(character: str) -> str:
    """Return a character as it is within double quotes in YAML."""
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
