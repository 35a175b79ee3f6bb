"""Promise tags: given or only mentioned."""

from __future__ import annotations

from pathlib import Path

import yaml
from cases import each
from fact_reading import facts, iteration
from status_forms import LEXICON

from exitgate.core.facts.extractors import promise
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

ROWS = yaml.safe_load((Path(__file__).parent / "status" / "promises.yaml").read_text(encoding="utf-8"))


@each("row", ROWS, ids=lambda r: r["id"])
def test_given_or_mentioned(row: dict) -> None:
    options = {"lexicon": LEXICON, **row.get("options", {})}
    task = {"task": row["task"]} if "task" in row else {}
    found = facts("promise", options, response=row["text"], **task)
    for name in ("emitted", "count", "mentioned"):
        if name in row:
            assert found[f"x.{name}"].value == row[name], name
    if "refused" in row:
        assert [e.guard for e in found["x.mentioned"].rejected] == row["refused"]
    assert found["x.emitted"].value is False or found["x.count"].value > 0
    assert found["x.mentioned"].value is bool(found["x.mentioned"].rejected)


def test_a_missing_source_is_unknown_and_the_scope_is_known() -> None:
    found = {
        f.name: f.value for f in promise.extract("p", "output", JsonObject({"scope": "task"}), iteration())
    }
    assert found.pop("p.scope") == "TASK"
    assert all(v == Unknown("no output was given", name) for name, v in found.items())


def test_the_scope_of_a_run_is_the_default() -> None:
    assert facts("promise", {}, response="")["x.scope"].value == "RUN"


def test_evidence_is_the_tag() -> None:
    text = "One line\n  <promise>COMPLETE</promise>  \n"
    (seen,) = facts("promise", {}, response=text)["x.emitted"].evidence
    assert text[seen.start : seen.end] == "<promise>COMPLETE</promise>"
    assert (seen.line, seen.column) == (2, 3)
