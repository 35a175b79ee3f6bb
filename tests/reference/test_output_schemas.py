"""Schemas of outputs are those of the structs that are printed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec import to_builtins

from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.reference.output_schemas import OUTPUTS, output_schema, schema_text
from exitgate.report.formats.json import diagnostics_json
from exitgate.report.formats.output import diagnostic_outputs

SCHEMAS = Path(__file__).parents[2] / "schemas"
PLACE = Location("a\ud800.yaml", 3, 1, 3, 9)


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_schema_is_up_to_date(name: str) -> None:
    written = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    assert written == schema_text(name), "run `python docs/generate.py`"


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_member_is_described_and_every_part_is_used(name: str) -> None:
    schema = output_schema(name)
    text = schema_text(name)
    for part, plain in {"": schema, **schema["$defs"]}.items():
        assert plain["description"], part
        assert all(one["description"] for one in plain["properties"].values()), part
        assert not part or f'"#/$defs/{part}"' in text


def test_diagnostics_are_those_of_validate() -> None:
    found = [
        Diagnostic("EP402", "percent is compared with duration", PLACE, help="write a percent"),
        Diagnostic("EP403", "unknown", related=(("declared here", PLACE),)),
    ]
    outputs = json.loads(json.dumps(to_builtins(diagnostic_outputs(found))))
    assert json.dumps(outputs) == json.dumps(diagnostics_json(found))
    schema = output_schema("mutation")
    items = {"$ref": "#/$defs/diagnostic", "$defs": schema["$defs"]}
    for one in outputs:
        jsonschema.Draft202012Validator(items).validate(one)
