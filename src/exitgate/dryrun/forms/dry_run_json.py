"""A dry run as JSON (`schemas/dry-run.schema.json`) and as JSON lines."""

from __future__ import annotations

from exitgate.dryrun.sums import sums
from exitgate.dryrun.tables import decisions, runs, stops
from exitgate.report.json import json_text
from exitgate.report.json_line import json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.expect import Checked
    from exitgate.dryrun.result import DryRun


def dry_run_json(found: DryRun, checked: Checked | None, *, detail: bool = False) -> str:
    """Return everything as one document; `detail` adds `decisions`, a row for each iteration."""
    return json_text(plain(found, checked, detail=detail))


def dry_run_jsonl(found: DryRun, checked: Checked | None, *, detail: bool = False) -> str:
    """Return a line for each row, its kind under `kind`; the last line says whether all was done."""
    whole = plain(found, checked, detail=detail)
    lines = []
    for member, kind in _KINDS.items():
        rows = whole.get(member, ())
        assert isinstance(rows, list | tuple)
        lines += [json_line({"kind": kind, **row}) for row in rows]
    expected = whole["expected"]
    if isinstance(expected, dict):
        lines += [json_line({"kind": "difference", **row}) for row in expected["differences"]]
    rest = {name: whole[name] for name in ("notes", "sub_agents", "interrupted")}
    count = {"expected": None if checked is None else checked.count}
    return "".join([*lines, json_line({"kind": "end", **rest, **count})])


_KINDS = {
    "policies": "policy",
    "runs": "run",
    "stops": "stop",
    "decisions": "decision",
    "problems": "problem",
    "unread": "unread",
}


def plain(found: DryRun, checked: Checked | None, *, detail: bool) -> dict[str, object]:
    """Return the document as plain values."""
    document: dict[str, object] = {
        "policies": [
            {
                "policy": one.policy, "version": one.version, "runs": one.runs, "stops": one.stops,
                "tentative": one.tentative, "classes": dict(one.classes), "iterations_after": one.after,
                "cost_usd_after": one.cost_after,
            }
            for one in sums(found)
        ],
        "runs": runs(found),
        "stops": stops(found),
    }  # fmt: skip
    if detail:
        document["decisions"] = decisions(found)
    return {
        **document,
        "expected": None
        if checked is None
        else {
            "count": checked.count,
            "differences": [
                {"run": d.run, "policy": d.policy, "expected": d.expected, "found": d.found}
                for d in checked.differences
            ],
        },
        "notes": list(found.notes),
        "sub_agents": found.sub_agents,
        "problems": [{"file": p.file, "line": p.line or None, "message": p.message} for p in found.problems],
        "unread": [{"file": p.file, "why": p.message} for p in found.unread],
        "interrupted": found.interrupted,
    }
