"""What became of mutants as JSON, `exitgate/mutation@2`: `schemas/mutation.schema.json`."""

from __future__ import annotations

from exitgate.report.json import diagnostics_json, json_text
from exitgate.report.mutants_found import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.model.place import Place
    from exitgate.report.mutants_found import FoundMutant, FoundMutants

SCHEMA = "exitgate/mutation@2"


def mutation_json(found: Sequence[FoundMutants]) -> str:
    """Return the document with its line end. It holds no times: the same run gives the same text."""
    return json_text(
        {"schema": SCHEMA, "percent": _percent(found), "policies": [_policy(one) for one in found]}
    )


def _percent(found: Sequence[FoundMutants]) -> float:
    """Return the share killed with one decimal, rounded down."""
    return int(score(found) * 10) / 10


def _policy(one: FoundMutants) -> dict[str, object]:
    return {
        "file": one.file,
        "policy": one.policy,
        "version": one.version,
        "cases": one.cases,
        "percent": _percent([one]),
        "counts": dict(one.counts()),
        "mutants": [_mutant(mutant) for mutant in one.mutants],
        "diagnostics": diagnostics_json(one.stale),
    }


def _mutant(one: FoundMutant) -> dict[str, object]:
    return {
        "id": one.id,
        "kind": one.kind,
        "subject": one.subject,
        "place": _place(one.place),
        "before": one.before,
        "after": one.after or None,
        "status": one.status,
        "by": one.by or None,
        "why": one.why or None,
        "case": one.example or None,
        "excuse": one.excuse or None,
    }


def _place(place: Place | None) -> dict[str, object] | None:
    return None if place is None else {"file": place.file, "line": place.line, "column": place.column}
