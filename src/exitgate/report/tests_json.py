"""What ran of policies' tests, as JSON: `schemas/test-results.schema.json`."""

from __future__ import annotations

from exitgate.report.json import diagnostics_json, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.place import Place
    from exitgate.report.tests_ran import Miss, Ran, RanAll, RanFile

SCHEMA = "exitgate/tests@1"


def tests_json(found: RanAll) -> str:
    """Return the document with its line end."""
    return json_text(
        {
            "schema": SCHEMA,
            "passed": len(found.ran) - len(found.failed),
            "failed": len(found.failed),
            "unusable": len(found.unusable),
            "not_selected": found.left_out,
            "stopped": found.stopped,
            "seconds": round(found.seconds, 6),
            "files": [_file(file) for file in found.files],
        }
    )


def _file(file: RanFile) -> dict[str, object]:
    return {
        "path": file.path,
        "policy": file.policy or None,
        "version": file.version or None,
        "seconds": round(file.seconds, 6),
        "diagnostics": diagnostics_json(file.diagnostics),
        "results": [_ran(one) for one in file.ran],
    }


def _ran(one: Ran) -> dict[str, object]:
    return {
        "kind": one.kind,
        "name": one.name,
        "place": _place(one.place),
        "note": one.note,
        "result": "failed" if one.failed else "passed",
        "seconds": round(one.seconds, 6),
        "failures": [_miss(miss) for miss in one.misses],
        "broken": list(one.broken),
    }


def _miss(miss: Miss) -> dict[str, object]:
    return {
        "key": miss.key,
        "subject": miss.subject or None,
        "iteration": miss.iteration,
        "place": _place(miss.place),
        "expected": miss.wanted,
        "got": miss.got,
        "why": list(miss.why),
    }


def _place(place: Place | None) -> dict[str, object] | None:
    if place is None:
        return None
    return {"file": place.file, "line": place.line, "column": place.column}
