"""Every shipped lexicon: valid, and each example counts while no counterexample does."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator

import jsonschema
import pytest
from cases import each
from fact_reading import LEXICONS, ROOT, document, facts, resolved

from exitgate.core.facts.extractors import graded_words, phrases, questions
from exitgate.core.facts.guards import catalogue
from exitgate.core.facts.lexicons.resolved import resolve
from exitgate.core.model.json_object import JsonObject

NAMES = sorted(path.stem for path in LEXICONS.glob("*.yaml"))
SCHEMA = json.loads((ROOT / "schemas" / "lexicon.schema.json").read_text(encoding="utf-8"))


def extractor(entry: dict) -> str:
    return "error_lines" if "kind" in entry else "phrases"


def entries_with(key: str) -> Iterator[object]:
    # those of these two run where their extractors are tested
    for name in (n for n in NAMES if n not in ("infrastructure", "tampering")):
        for entry in document(name).get("entries", []):
            if entry.get(key):
                yield pytest.param(name, entry, id=f"{name}-{entry['id']}")


@functools.cache
def options(name: str) -> dict:
    return {"lexicon": resolved(name), "overlap": "all"}


def counting(name: str, entry: dict, text: str) -> list[str]:
    """Return what counts in `text`: ids of entries, or kinds of errors; the row that gives the signature."""
    if "template" in entry:
        return [facts("signature", {"lexicon": resolved(name)}, response=text)["x.kind"].value]
    found = facts(extractor(entry), options(name), response=text)
    if entry.get("weight") == 0:  # never counts: its examples hold in part
        partial = found["x.partial"]
        return [e.note.partition(",")[0] for e in partial.rejected] if partial.value else []
    return [e.note.partition(",")[0] for e in found["x.count"].evidence]


@each(("name", "entry"), list(entries_with("examples")))
def test_examples_count(name: str, entry: dict) -> None:
    own = entry.get("kind", entry["id"])
    assert [text for text in entry["examples"] if own not in counting(name, entry, text)] == []


@each(("name", "entry"), list(entries_with("counterexamples")))
def test_counterexamples_do_not_count(name: str, entry: dict) -> None:
    own = entry.get("kind", entry["id"])
    assert [text for text in entry["counterexamples"] if own in counting(name, entry, text)] == []


@each("name", NAMES)
def test_the_lexicon_keeps_to_its_schema(name: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(document(name))
    assert document(name)["lexicon"] == name
    ids = [entry["id"] for entry in document(name).get("entries", [])]
    assert len(ids) == len(set(ids))


def test_the_schema_is_one_and_explains_every_property() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for owner in (SCHEMA, SCHEMA["$defs"]["entry"]):
        for name, part in owner["properties"].items():
            assert {"title", "description", "examples"} <= part.keys(), name
            for example in part["examples"]:
                jsonschema.Draft202012Validator({**part, "$defs": SCHEMA["$defs"]}).validate(example)
    jsonschema.Draft202012Validator(SCHEMA).validate(SCHEMA["examples"][0])


def test_the_schema_knows_the_guards_there_are() -> None:
    assert SCHEMA["$defs"]["guard_name"]["enum"] == list(catalogue.GUARDS)


@pytest.mark.parametrize(
    "broken",
    [
        {"entries": []},
        {"lexicon": "x", "format": 2, "title": "x", "entries": []},
        {"lexicon": "x", "format": 1, "title": "x", "entries": [{"id": "a", "phrase": "b"}]},
        {"lexicon": "x", "format": 1, "title": "x", "entries": [{"id": "a", "examples": ["b"]}]},
        {"lexicon": "x", "format": 1, "title": "x", "guards": {"sarcastic": {"words": ["great"]}}},
    ],
)
def test_the_schema_refuses(broken: dict) -> None:
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(broken)


def test_guards_come_from_the_shipped_words_unless_a_lexicon_has_its_own() -> None:
    plain = resolve(JsonObject({"lexicon": "own", "guards": {"negated": {"words": ["nay"]}}}), document)
    assert plain["guards"]["negated"] == {"words": ["nay"]}
    assert plain["guards"]["qualified"] == document("guards-en")["guards"]["qualified"]
    assert plain["entries"] == []


def test_entries_of_used_lexicons_come_first_and_take_the_guards_of_their_own_lexicon() -> None:
    shelf = {
        "a": JsonObject(lexicon="a", uses=[], apply=["quoted"], entries=[{"id": "x", "phrase": "x"}]),
        "b": JsonObject(lexicon="b", uses=["a"], apply=[], entries=[{"id": "y", "phrase": "y"}]),
    }
    entries = resolve(shelf["b"], shelf.__getitem__)["entries"]
    assert [(e["id"], e["guards"]) for e in entries] == [("x", ["quoted"]), ("y", [])]


def test_a_phrase_without_words_is_refused() -> None:
    own = {"phrases": ["all done", "...", {"phrase": "|", "weight": 2}], "lexicon": {"entries": []}}
    assert [(path, message) for path, message, _ in phrases.faults(JsonObject(own))] == [
        (("phrases", 1), "the phrase `...` has no word"),
        (("phrases", 2, "phrase"), "the phrase `|` has no word"),
    ]
    theirs = {
        "lexicon": {
            "entries": [{"id": "a", "words": ["done", "..."]}],
            "guards": {"quoted": {"words": ["|"]}},
        }
    }
    assert [(path, message) for path, message, _ in questions.faults(JsonObject(theirs))] == [
        (("lexicon",), "the phrase `...` of the lexicon has no word")
    ]
    graded = {"first": [{"value": 90, "words": ["sure", "..."]}]}
    assert [path for path, _, _ in graded_words.faults(JsonObject(graded))] == [("first", 0, "words", 1)]
