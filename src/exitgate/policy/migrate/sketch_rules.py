"""Rules and invariants of the first sketches in the spelling of format 1."""

from __future__ import annotations

from exitgate.model.verdict import CLASSES
from exitgate.policy.migrate import keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.policy.migrate.step import Path, Remarks

#: Outcomes of the sketches that were not class, with the class they were for.
CLASS_OF = {
    "needs_review": "review",
    "failing": "review",
    "circuit_open": "halted",
    "budget": "exhausted",
}
RENAMED = {"message": "because", "enforcement": "mode"}


def migrate_rules(document: Any, remarks: Remarks) -> None:
    """Give every rule `exit:`, `continue:` or `warn:` for `then:`, and `because:` for `message:`."""
    rules = document.get("rules")
    severities: list[tuple[str, object]] = []
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if not isinstance(rule, dict):
            continue
        path = ("rules", number)
        for old, new in RENAMED.items():
            keys.renamed(rule, old, new)
        severity = keys.taken(rule, "severity")
        if severity is not None:
            severities.append((str(rule.get("id")), severity))
        if isinstance(rule.get("then"), dict):
            _effect(rule, (*path, "then"), remarks)
    if severities:
        message = "rules have no severity in format 1; it is kept under `x-severity`"
        remarks.kept(("rules",), message, "the class of an exit says what a person must do")
        document["x-severity"] = keys.block(severities)


def _effect(rule: Any, path: Path, remarks: Remarks) -> None:
    then = rule["then"]
    decision, outcome = then.get("decision"), then.get("outcome")
    if decision == "continue":
        keys.renamed(rule, "then", "continue", True)
    elif decision == "warn":
        keys.renamed(rule, "then", "warn", True)
    elif decision == "exit":
        found = then.get("class", _class_of(outcome))
        if found is None:
            message = f"`{outcome}` does not say which class of exit it is"
            help = f"write `class:` beside it, one of {', '.join(CLASSES)}"
            remarks.impossible((*path, "outcome") if "outcome" in then else path, message, help)
            return
        keys.renamed(rule, "then", "exit", found)
    else:
        remarks.impossible(path, f"`{decision}` is not a decision", "write `decision: exit` or `continue`")
        return
    if outcome is not None and decision != "warn" and outcome != rule.get("id"):
        keys.inserted(rule, decision, "outcome", outcome)


def _class_of(outcome: object) -> str | None:
    return str(outcome) if outcome in CLASSES else CLASS_OF.get(str(outcome))


def migrate_invariants(document: Any, remarks: Remarks) -> None:
    """Write facts that an invariant takes for granted as a condition, and set aside what none can say."""
    invariants = document.get("invariants")
    if not isinstance(invariants, list):
        return
    possible: list[object] = []
    for number in reversed(range(len(invariants))):
        one = invariants[number]
        if not isinstance(one, dict):
            continue
        if "facts" in one:
            keys.renamed(one, "facts", "given", _given(one["facts"]))
        for claim in ("always", "never"):
            if one.get(claim) in CLASS_OF:
                one[claim] = CLASS_OF[str(one[claim])]
        if "possible" in one:
            message = "an invariant cannot state what is possible; it is kept under `x-possible`"
            remarks.kept(("invariants", number, "possible"), message, "write a case for it in tests.yaml")
            possible.insert(0, one)
            del invariants[number]
    if possible:
        document["x-possible"] = possible
    if not invariants:
        keys.taken(document, "invariants")


def _given(facts: object) -> str:
    """Return the condition that some facts have some values."""
    if not isinstance(facts, dict) or not facts:
        return "nothing is known"
    return " and ".join(f"{name} is {_value(value)}" for name, value in facts.items())


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
