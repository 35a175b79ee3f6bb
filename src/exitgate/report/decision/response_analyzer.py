"""A decision as the result object of the response analyzer's interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exitgate.core.model.decision import CONTINUE, Decision
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown, is_number, is_whole
from exitgate.core.policy.compiled import CompiledPolicy

#: What is counted where the policy has no parameters `error_window` and `error_repeats`: iterations
#: looked back over, and how many of them make a pattern a repeated one.
WINDOW, REPEATS = 5, 3


def analysis_result(
    policy: CompiledPolicy,
    decision: Decision,
    facts: Mapping[str, Fact],
    records: Sequence[Mapping[str, object]],
    response: str | None,
) -> dict[str, object]:
    """
    Return the object, ready for `json.dumps`, with the field names and types of the interface.

    Only `exitReason` may be null there. So what is not known is false, 0, or the empty text; so is
    what a policy does not read. README.md of the policy says which fact follows which field.

    Args:
        policy: Any policy; its conditions `completion_detected` and `stuck_detected` say what is
            detected. Without them the class of the exit does: `complete`, and `stuck` or `halted`.
        decision: What it decided.
        facts: By name.
        records: What conditions read, oldest first, this iteration last.
        response: Text that keywords are cut out of, as they were written there.
    """
    frequency = error_frequency(records, _count(policy, "error_window", WINDOW))
    enough = _count(policy, "error_repeats", REPEATS)
    stops = decision.verdict != CONTINUE
    return {
        "shouldExit": stops,
        "exitReason": decision.outcome if stops else None,
        "confidence": _number(facts, "confidence"),
        "completionSignal": {
            "detected": _detected(policy, "completion_detected", records, decision, ("complete",)),
            "keywords": keywords(facts.get("completion.found"), response),
            "testOnly": _value(facts, "tests.only") is True,
            "confidence": _number(facts, "completion_signal.confidence"),
        },
        "stuckSignal": {
            "detected": _detected(policy, "stuck_detected", records, decision, ("stuck", "halted")),
            "repeatedPatterns": [pattern for pattern, count in frequency.items() if count >= enough],
            "errorFrequency": frequency,
            "confidence": _number(facts, "stuck_signal.confidence"),
        },
        "workSummary": str(_value(facts, "work_summary") or ""),
    }


def error_frequency(records: Sequence[Mapping[str, object]], window: int) -> dict[str, int]:
    """Return in how many of the last `window` iterations each error pattern is, most frequent first."""
    counts: dict[str, int] = {}
    for record in records[-window:]:
        patterns = record.get("errors.patterns")
        if isinstance(patterns, list | tuple):
            for pattern in dict.fromkeys(str(one) for one in patterns):
                counts[pattern] = counts.get(pattern, 0) + 1
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def keywords(found: Fact | None, response: str | None) -> list[str]:
    """Return the different keywords that count, in the order of the text, in small letters."""
    if found is None:
        return []
    said = (
        one.excerpt if response is None else response[one.start : one.end]
        for one in found.evidence
        if one.guard is None
    )
    return list(dict.fromkeys(" ".join(text.lower().split()) for text in said))


def _detected(
    policy: CompiledPolicy,
    condition: str,
    records: Sequence[Mapping[str, object]],
    decision: Decision,
    classes: tuple[str, ...],
) -> bool:
    """Return whether the condition is definitely true; without it, whether the class is one of these."""
    node = policy.conditions.get(condition)
    if node is None:
        return decision.exit_class in classes
    from exitgate.core.language.evaluation.closures import compile_node

    return compile_node(node, policy.values(), policy.conditions)(records) is True


def _count(policy: CompiledPolicy, name: str, otherwise: int) -> int:
    value = policy.values().get(name)
    return value if is_whole(value) and value > 0 else otherwise


def _number(facts: Mapping[str, Fact], name: str) -> float:
    """Return a number, or the least it can be, rounded to two digits, whole where it is; 0 if unknown."""
    fact = facts.get(name)
    value = fact.value.least if fact is not None and isinstance(fact.value, Unknown) else _value(facts, name)
    if not is_number(value):
        return 0
    rounded = round(float(value), 2)
    return int(rounded) if rounded.is_integer() else rounded


def _value(facts: Mapping[str, Fact], name: str) -> object:
    fact = facts.get(name)
    return None if fact is None or isinstance(fact.value, Unknown) else fact.value
