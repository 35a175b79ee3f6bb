"""Values of the fields of a status block, one by one."""

from __future__ import annotations

from pathlib import Path

import yaml
from cases import each
from fact_reading import facts
from status_forms import FORMS

from exitgate.core.model.value import Unknown

ROWS = yaml.safe_load((Path(__file__).parent / "status" / "values.yaml").read_text(encoding="utf-8"))

#: A field that can be read, beside the one in question.
OTHERS = {"ralph": "STATUS: BLOCKED", "other": "STATUS: DONE"}


def key(form: str, field: str) -> str:
    written = FORMS[form]["fields"][field].get("key", field.upper())
    return written if isinstance(written, str) else written[0]


@each("row", ROWS, ids=lambda r: f"{r['field']}={r['raw']}")
@each("shape", ["---{name}---\n{key}: {raw}\nOTHER: 1\n", "{name}:\n- **{key}:** {raw}\n"])
def test_a_value(row: dict, shape: str) -> None:
    form = row.get("form", "ralph")
    options = FORMS[form]
    name = options["name"] if isinstance(options["name"], str) else options["name"][0]
    other = OTHERS[form] if row["field"] != "status" else "FILES_MODIFIED: 1"
    text = shape.format(name=name, key=key(form, row["field"]), raw=row["raw"])
    found = facts("status_block", options, response=text.replace("OTHER: 1", other))
    fact = found[f"x.{row['field']}"]
    if row["want"] == "?":
        assert isinstance(fact.value, Unknown)
    else:
        assert (fact.value, type(fact.value)) == (row["want"], type(row["want"]))
    told = (f"{key(form, row['field'])}: {row['raw']}",) if row.get("unread") else ()
    if found["x.present"].value:
        assert found["x.unread"].value == told
