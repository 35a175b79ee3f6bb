"""A range that holds nothing, or that its type cannot have, is refused wherever a range can be written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts import registry
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import KINDS, ORDERED, outside, range_fault, usual_range
from exitgate.core.policy.compile import load_policy

ROOT = Path(__file__).parents[3]
#: Where a range can be written -> an entry with the range `[low, high]`, of a type.
ENTRIES = {
    "given_fact": "given: {{n: {{type: {type}, range: [{low}, {high}]}}}}",
    "points": "facts: {{n: {{points: [{{when: output.empty, add: 1}}], type: {type},"
    " range: [{low}, {high}]}}}}",
    "formula": "facts: {{n: {{formula: output.length, type: {type}, range: [{low}, {high}]}}}}",
    "json": "facts: {{n: {{extract: json, file: a.json, type: {type}, range: [{low}, {high}]}}}}",
    "probe": "facts: {{n: {{extract: probe, name: tests, at: /a, type: {type}, range: [{low}, {high}]}}}}",
    "graded_words": "facts: {{n: {{extract: graded_words, first: [{{value: 9, words: [a]}}],"
    " range: [{low}, {high}]}}}}",
    "parameter": "parameters: {{n: {{type: {type}, default: 5, min: {low}, max: {high}}}}}",
}
#: What keeps a number from being in a range -> type, ends.
RANGES = {
    "reversed": ("number", 9, 1),
    "a percent reversed": ("percent", 90, 10),
    "above 100": ("percent", 10, 101),
    "below 0": ("count", -1, 5),
}


def faults(folder: Path, section: str) -> list[str]:
    (folder / "p.yaml").write_text(f"policy: p\nformat: 1\nversion: 1.0.0\n{section}\nrules: []\n")
    try:
        load_policy("./p.yaml", base=str(folder))
    except ExitgateError as error:
        return [one.code for one in error.diagnostics]
    return []


@each(("where", "what"), [(where, what) for where in ENTRIES for what in RANGES])
def test_a_range_that_holds_nothing_is_refused(where: str, what: str, tmp_path: Path) -> None:
    type, low, high = RANGES[what]
    found = faults(tmp_path, ENTRIES[where].format(type=type, low=low, high=high))
    assert len(found) == 1, found
    assert found[0] in ("EP205", "EP467", "EP469", "EP479")
    assert faults(tmp_path, ENTRIES[where].format(type="number", low=1, high=9)) == []


@each("where", ["given_fact", "json", "parameter"])
def test_a_type_without_an_order_has_no_range(where: str, tmp_path: Path) -> None:
    section = ENTRIES[where].format(type="bool", low=1, high=9).replace("default: 5", "default: true")
    found = faults(tmp_path, section)
    assert found
    assert set(found) <= {"EP467", "EP479"}


def test_no_other_place_takes_a_range() -> None:
    """Each pair of numbers in a schema is among the cases, or is held elsewhere to be in order."""

    def pairs(schema: object, path: str) -> Iterator[str]:
        if isinstance(schema, dict):
            if (schema.get("minItems"), schema.get("maxItems")) == (2, 2):
                yield path
            for key, one in schema.items():
                yield from pairs(one, f"{path}/{key}")
        if isinstance(schema, list):
            for one in schema:
                yield from pairs(one, path)

    policy = json.loads((ROOT / "schemas" / "policy.schema.json").read_text())
    assert list(pairs(policy, "")) == ["/$defs/given_fact/properties/range", "/$defs/range"]
    options = {id: dict(registry.load(id).OPTIONS) for id in registry.names()}
    assert {id for id, one in options.items() if [*pairs(one, "")]} == {"json", "probe", "graded_words"}


@each("kind", KINDS)
def test_a_kind_has_an_order_if_it_has_a_usual_range_or_takes_one(kind: str) -> None:
    assert (range_fault(kind, None, None) is None) == (kind in ORDERED)
    assert kind in ORDERED or usual_range(kind) == (None, None)


ENDS = st.none() | st.integers(-3, 120) | st.floats(-3, 120)


@given(st.sampled_from(sorted(ORDERED)), ENDS, ENDS)
def test_a_range_without_a_fault_holds_a_value_of_the_type(
    kind: str, low: float | None, high: float | None
) -> None:
    value = low if low is not None else high if high is not None else 0
    least, most = usual_range(kind)
    if range_fault(kind, low, high) is None:
        assert not outside(value, low, high)
        assert not outside(value, least, most)
    else:
        assert outside(low, None, high) or outside(low, least, most) or outside(high, least, most)


BASE = """\
policy: base
format: 1
version: 1.0.0
facts:
  cov: {extract: json, file: a.json, type: percent, unreadable: %s}
rules: []
"""
#: What a policy has, what one that extends it adds -> stand-ins.
STAND_INS = {
    "its own value": ("20%", "", {"cov": 20}),
    "by the word": ("{value: 20%}", "", {"cov": 20}),
    "another value": ("20%", "unreadable: 30", {"cov": 30}),
    "in another form": ("{value: 20%}", "unreadable: 30", {"cov": 30}),
    "back again": ("20%", "unreadable: {value: 30}", {"cov": 30}),
    "and another fact": ("20%", "unreadable: {age: 5s}", {"cov": 20, "cov.age": 5}),
    "beside another fact": ("{age: 5s}", "unreadable: 30", {"cov": 30, "cov.age": 5}),
    "another type": ("{age: 5s}", "type: number, unreadable: 300", {"cov": 300, "cov.age": 5}),
}


@each("what", STAND_INS)
def test_an_entry_may_have_a_value_that_stands_in_for_its_own(what: str, tmp_path: Path) -> None:
    base, later, expected = STAND_INS[what]
    (tmp_path / "base.yaml").write_text(BASE % base)
    facts = f"facts: {{cov: {{{later}}}}}\n" if later else ""
    (tmp_path / "p.yaml").write_text(
        f"policy: p\nformat: 1\nversion: 1.0.0\nextends: ./base.yaml@1.0.0\n{facts}"
    )
    assert dict(load_policy("./p.yaml", base=str(tmp_path)).unreadable) == expected
