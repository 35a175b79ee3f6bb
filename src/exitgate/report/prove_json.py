"""Answers about policies as JSON, `exitgate/prove@2`: `schemas/prove.schema.json`."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.prove_told import Told, ToldPolicy

SCHEMA = "exitgate/prove@2"


def prove_json(policies: tuple[ToldPolicy, ...]) -> str:
    """Return one object; a number of points is a text, as it may have hundreds of digits."""
    plain = {
        "schema": SCHEMA,
        "policies": [
            {
                "policy": policy.name,
                "version": policy.version,
                "path": policy.path,
                "by": policy.by,
                "counts": policy.counted(),
                "proofs": [_proof(one) for one in policy.proofs],
            }
            for policy in policies
        ],
    }
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _proof(one: Told) -> dict[str, object]:
    plain: dict[str, object] = {
        "kind": one.kind,
        "subject": one.subject,
        "status": one.status,
        "answer": one.answer,
        "says": one.says,
        "lines": list(one.lines),
        "stage": one.stage,
        "points": str(one.points),
        "place": str(one.place) if one.place is not None else None,
        "run": [dict(values) for values in one.run] if one.run is not None else None,
    }
    return {**plain, "case": one.case} if one.case else plain
