"""Coverage of policies as JSON, `exitgate/coverage@1`: `schemas/coverage.schema.json`."""

from __future__ import annotations

from exitgate.model.coverage import Share
from exitgate.report.json import diagnostics_json, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.model.coverage import Aim, Coverage, Leaf, Part
    from exitgate.model.place import Place

SCHEMA = "exitgate/coverage@1"


def coverage_json(found: Sequence[Coverage]) -> str:
    """Return everything: for each policy its parts and leaves with the first case that shows each truth."""
    whole = Share(0, 0)
    for one in found:
        whole += one.share
    plain = {"schema": SCHEMA, "total": _share(whole), "policies": [_policy(one) for one in found]}
    return json_text(plain)


def _policy(found: Coverage) -> dict[str, object]:
    return {
        "policy": found.policy,
        "version": found.version,
        "tests": found.tests,
        "cases": found.cases,
        "total": _share(found.share),
        "parts": [_part(part) for part in found.parts],
        "results": [{"result": name, **_aim(aim)} for name, aim in found.results.items()],
        "problems": diagnostics_json(found.problems),
    }


def _part(part: Part) -> dict[str, object]:
    return {
        "kind": part.kind,
        "name": part.name,
        "says": part.says or None,
        **_place(part.place),
        "aim": None if part.aim is None else {"what": part.aim.what, **_aim(part.aim)},
        "leaves": [_leaf(leaf) for leaf in part.leaves],
    }


def _leaf(leaf: Leaf) -> dict[str, object]:
    return {
        "text": leaf.text,
        "places": [_place(place) for place in leaf.places],
        **{aim.what: _aim(aim) for aim in leaf.aims},
    }


def _aim(aim: Aim) -> dict[str, object]:
    return {"shown_by": aim.shown_by or None, "excused": aim.excused or None, "wanted": aim.wanted}


def _place(place: Place | None) -> dict[str, object]:
    if place is None:
        return {"file": None, "line": None, "column": None}
    return {"file": place.file, "line": place.line, "column": place.column}


def _share(share: Share) -> dict[str, object]:
    return {
        "percent": share.percent,
        "shown": share.shown,
        "whole": share.whole,
        "excused": share.excused,
    }
