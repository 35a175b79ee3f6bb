"""Status blocks: their shapes, and what is no block."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cases import each
from fact_reading import facts
from status_forms import FORMS

from exitgate.core.model.value import Unknown

FOLDER = Path(__file__).parent / "status"


def cases(name: str) -> list[object]:
    rows = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return [pytest.param(row, id=row["id"]) for row in rows]


def shown(value: object) -> object:
    if isinstance(value, Unknown):
        assert value.reason
        return "?"
    return list(value) if isinstance(value, tuple) else value


def check(row: dict) -> None:
    form = FORMS[row.get("form", "ralph")]
    task = {"task": row["task"]} if "task" in row else {}
    found = facts("status_block", form, response=row["text"], **task)
    assert {name: shown(found[f"x.{name}"].value) for name in row["want"]} == row["want"]
    if "refused" in row:
        assert [e.guard for e in found["x.present"].rejected] == row["refused"]


@each("row", cases("shapes"))
def test_shapes(row: dict) -> None:
    check(row)


@each("row", cases("mentions"))
def test_mentions_examples_and_templates(row: dict) -> None:
    check(row)
