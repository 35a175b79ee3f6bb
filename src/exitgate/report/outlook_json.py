"""The outlook of a decision as plain values for JSON."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report.outlook import parameter_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.change import Change, Edit
    from exitgate.model.decision import Decision
    from exitgate.model.outlook import Ahead, Distance, Nearest, Outlook


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
