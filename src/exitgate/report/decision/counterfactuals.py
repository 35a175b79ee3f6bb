"""Rows on what would have changed a decision, how far thresholds are, and what is next."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.analysis.results.counterfactual import FOUND, Ahead, Change, Distance, Edit, Nearest, Outlook
from exitgate.core.model.decision import Decision
from exitgate.core.model.display import shown
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.decision.changes import ahead_text, change_text, turn_text
from exitgate.report.decision.summary import verdict_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: A label and what follows it.
    Row = tuple[str, str]


#: Sentences, distances and results shown unless all are wanted.
CHANGES, DISTANCES, TURNS = 3, 5, 5
#: Facts that say what a run has used up.
USED = ("run.", "day.", "clock.", "limits.")
#: Those that go round with the day and are never used up.
_OF_DAY = ("clock.hour", "clock.time")
_OF = "of"
_HAS_TO_BE = {"<": "below", ">": "above", "!=": "another"}
SAME, RESUMED = "the same again", "when it continues"


def is_used(name: str) -> bool:
    """Return whether a fact says how much of something has been used up."""
    return name.startswith(USED) and not name.startswith(_OF_DAY)


def sentences(outlook: Outlook, policy: CompiledPolicy, all: bool = False) -> tuple[str, ...]:
    """
    Return what would have changed the decision, the smallest changes first.

    For each other result the facts; the smallest change of a parameter, and for results that no facts
    give each. With `all` every change of a parameter, and what cannot be.
    """
    found = sorted((turn for turn in outlook.turns if turn.status == FOUND), key=_counts_up)
    given = {turn.result for turn in found}
    spare = [knob for knob in outlook.knobs if knob.result not in given]
    if all:
        rest = [turn for turn in outlook.turns if turn.status != FOUND]
        knobs = [change_text(knob, policy) for knob in outlook.knobs]
        return (*(turn_text(t, policy) for t in found), *knobs, *(turn_text(t, policy) for t in rest))
    knobs = [change_text(knob, policy) for knob in (*spare, *outlook.knobs[:1])]
    shown_turns = [turn_text(turn, policy) for turn in found[:CHANGES]]
    return (*shown_turns, *list(dict.fromkeys(knobs))[: max(1, CHANGES - len(shown_turns))])


def _counts_up(turn: Nearest) -> bool:
    """Return whether a change is one of what the run has used up: users do not think of those first."""
    return any(is_used(edit.name) for edit in turn.changes[0].edits)


def distance_rows(distances: Sequence[Distance], policy: CompiledPolicy, all: bool = False) -> list[Row]:
    """Return for each distance the first rule that wants it, and how far it is."""
    told_ones = distances if all else [one for one in distances if one.gap is not None][:DISTANCES]
    return [(_rules(one), distance_text(one, policy)) for one in told_ones]


def distance_text(one: Distance, policy: CompiledPolicy) -> str:
    """Return how far it is: ``tasks.percent 60%, needs $min_completion 80% (policy.yaml:9)``."""
    limit = _limit(one, policy)
    if one.wants == _OF:
        setter = f", {limit}" if one.parameter is not None else ""
        return f"{one.value} of {one.threshold}, {one.gap:g} to go: {one.text}{setter}"
    here = f"{one.text} {shown(one.value, one.type)}"
    if one.gap is None:
        return f"{here}, wanted {one.wants} {limit}"
    used = is_used(one.text) and one.wants in (">=", ">")
    if used:
        return f"{here} of {limit}, {_amount(one)} left"
    if one.value == one.threshold and one.wants in _HAS_TO_BE:
        return f"{here}, has to be {_HAS_TO_BE[one.wants]} {limit}"
    if one.type is not None and one.type.kind == "count" and one.wants in (">", "<"):
        return f"{here}, {_amount(one)} to pass {limit}"
    if one.wants == ">=":
        return f"{here}, needs {limit}"
    side = {">": "short of", "<=": "above", "<": "above"}.get(one.wants, "away from")
    return f"{here}, {_amount(one)} {side} {limit}"


def ahead_rows(ahead: Ahead, policy: CompiledPolicy, all: bool = False) -> list[Row]:
    """Return what comes if the facts stay, then for each other result what the next iteration has to show."""
    rows = [(RESUMED if ahead.resumed else SAME, same_text(ahead))]
    turns = ahead.turns if all else [turn for turn in ahead.turns if turn.status == FOUND][:TURNS]
    rows += [(verdict_text(*turn.result), ahead_text(turn, policy)) for turn in turns]
    if ahead.bound:
        rows.append(("in any case", "it ends regardless of the next iteration"))
    return rows


def same_text(ahead: Ahead) -> str:
    """Return what comes if the next iterations show the same facts: the decision, and when the run ends."""
    now = _decided(ahead.same)
    if ahead.after == 1:
        return now
    if ahead.end is None:
        return f"{now}, as far ahead as was checked"
    return f"{now}; {_decided(ahead.end)} in the {_ordinal(ahead.after or 0)} iteration from now"


def parameter_text(one: Distance) -> str:
    """Return who set the parameter of a distance, ``policy.yaml:9``, or the empty text."""
    place = one.place
    if one.parameter is None or place is None:
        return ""
    return place.file if place.file.startswith("<") else f"{place.file}:{place.line}"


def _limit(one: Distance, policy: CompiledPolicy) -> str:
    if one.parameter is None:
        return shown(one.threshold, one.type)
    parameter = policy.parameters.get(one.parameter)
    value = shown(one.threshold, parameter.type if parameter is not None else one.type)
    setter = parameter_text(one)
    return f"${one.parameter} {value}" + (f" ({setter})" if setter else "")


def _amount(one: Distance) -> str:
    """Return the gap with its unit; between two percents lie points."""
    assert one.gap is not None
    if one.type is not None and one.type.kind == "percent":
        number = shown(one.gap)
        return f"{number} point" + ("" if number == "1" else "s")
    return shown(one.gap, one.type)


def _rules(one: Distance) -> str:
    more = len(one.rules) - 1
    return one.rules[0] + (f" +{more}" if more else "")


def _decided(decision: Decision) -> str:
    return f"{verdict_text(decision.verdict, decision.exit_class)} · {decision.outcome}"


def _ordinal(number: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number // 10 % 10 != 1 else "th"
    return f"{number}{last}"


# The outlook of a decision as plain values for JSON.


def outlook_plain(outlook: Outlook) -> dict[str, object]:
    """Return `nearest`, `parameters`, `distances` and `next`; unknown values are null."""
    return {
        "nearest": [_turn(turn) for turn in outlook.turns],
        "parameters": [{**_result(knob.result), **_change(knob)} for knob in outlook.knobs],
        "distances": [_distance(one) for one in outlook.distances],
        "next": None if outlook.ahead is None else _ahead(outlook.ahead),
    }


def _turn(turn: Nearest) -> dict[str, object]:
    best = len(turn.best)
    changes = [{**_change(change), "smallest": place < best} for place, change in enumerate(turn.changes)]
    return {
        **_result(turn.result),
        "status": turn.status,
        "facts": turn.fewer,
        "why": turn.why,
        "changes": changes,
    }


def _change(change: Change) -> dict[str, object]:
    return {
        "outcome": change.decision.outcome,
        "rule": change.decision.rule,
        "edits": [_edit(edit) for edit in change.edits],
    }


def _edit(edit: Edit) -> dict[str, object]:
    key = "parameter" if edit.name.startswith("$") else "fact"
    return {
        key: edit.name.removeprefix("$"),
        "before": plain(edit.before),
        "after": None if edit.new else plain(edit.after),
        "new": edit.new,
    }


def _distance(one: Distance) -> dict[str, object]:
    return {
        "rules": list(one.rules),
        "text": one.text,
        "value": plain(one.value),
        "wants": one.wants,
        "threshold": plain(one.threshold),
        "type": None if one.type is None else str(one.type),
        "parameter": one.parameter,
        "set": parameter_text(one) or None,
        "gap": one.gap,
        "share": None if one.gap is None else round(one.share, 6),
    }


def _ahead(ahead: Ahead) -> dict[str, object]:
    return {
        "same": _decision(ahead.same),
        "ends_after": ahead.after,
        "end": None if ahead.end is None else _decision(ahead.end),
        "bound": ahead.bound,
        "nearest": [_turn(turn) for turn in ahead.turns],
    }


def _decision(decision: Decision) -> dict[str, object]:
    result = _result((decision.verdict, decision.exit_class))
    return {**result, "outcome": decision.outcome, "rule": decision.rule}


def _result(result: tuple[str, str | None]) -> dict[str, object]:
    return {"verdict": result[0], "class": result[1]}


def plain(value: object) -> object:
    """Return a value of a fact for JSON: null for unknown, a list for several."""
    if isinstance(value, Unknown):
        return None
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value
