"""What differs between two policies, as JSON: `exitgate/policy-diff@2`."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report.json import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.compared.change import Change, Side
    from exitgate.policy.compared.decision import Decided, Kind, Result, Unseen

SCHEMA = "exitgate/policy-diff@2"


def diff_json(
    sides: tuple[Side, Side],
    changes: Sequence[Change],
    decided: Decided,
    unseen: Unseen,
    cases: Sequence[str],
    recorded: object = None,
) -> str:
    """Return all that differs; `cases` holds a case for each kind, `recorded` plain data or None."""
    plain = {
        "schema": SCHEMA,
        "before": side_plain(sides[0]),
        "after": side_plain(sides[1]),
        "changes": [change_plain(one) for one in changes],
        "decisions": decided_plain(decided, cases),
        "unseen": {
            "reading": list(unseen.reading),
            "breaker": list(unseen.breaker),
            "silence": unseen.silence,
        },
    }
    return json_text(plain | ({} if recorded is None else {"recorded": recorded}))


def side_plain(side: Side) -> dict[str, object]:
    """Return what a policy is called and which one it is."""
    policy = side.policy
    return {
        "label": side.label,
        "policy": policy.name,
        "version": policy.version,
        "digest": policy.digest,
    }


def change_plain(change: Change) -> dict[str, object]:
    """Return a written change."""
    plain: dict[str, object] = {"section": change.section, "name": change.name, "kind": change.kind}
    plain |= {key: said for key, said in (("was", change.was), ("now", change.now)) if said}
    details = [{"property": d.property, "before": d.before, "after": d.after} for d in change.details]
    return plain | {"details": details}


def decided_plain(decided: Decided, cases: Sequence[str] = ()) -> dict[str, object]:
    """Return what the walk found; `settled` counts points and may have more digits than a float holds."""
    return {
        "differ": decided.differ,
        "others": decided.rest.status,
        "why": decided.rest.why or None,
        "settled": str(decided.rest.points),
        "points": decided.points,
        "points_are_all": decided.every,
        "kinds": [
            kind_plain(kind) | ({"case": cases[at]} if at < len(cases) else {})
            for at, kind in enumerate(decided.kinds)
        ],
        "warnings": [kind_plain(kind) for kind in decided.warned],
        "other_warnings": decided.quiet.status,
        "why_warnings": decided.quiet.why or None,
        "facts_only_before": list(decided.only_before),
        "facts_only_after": list(decided.only_after),
    }


def kind_plain(kind: Kind) -> dict[str, object]:
    """Return a kind of input with its example."""
    return {
        "stage": kind.stage,
        "before": _result(kind.before),
        "after": _result(kind.after),
        "points": kind.points,
        "facts": [{name: _value(value) for name, value in sorted(facts.items())} for facts in kind.run],
    }


def _result(result: Result) -> dict[str, object]:
    return {
        "verdict": result.verdict,
        "class": result.exit_class,
        "outcome": result.outcome,
        "rule": result.rule,
        "warnings": list(result.warnings),
    }


def _value(value: object) -> object:
    if isinstance(value, Unknown):
        return None
    return [_value(one) for one in value] if isinstance(value, tuple) else value
