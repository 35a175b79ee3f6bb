"""What the schemas hold for editors beside what they demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import each
from jsonschema import Draft7Validator, Draft202012Validator

from exitgate.core.policy import shipped
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.surfaces.lsp.completion.complete import body_text
from exitgate.surfaces.lsp.completion.item import plain_of

NAMES = ("policy", "config", "lexicon")
PLACES = {"condition": "nothing is known", "name": "word"}


def parts(schema: object) -> Iterator[dict[str, Any]]:
    """Yield every schema inside of a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from parts(one)
    elif isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            if key not in ("examples", "defaultSnippets", "default", "enum", "const"):
                yield from parts(value)


def snippets() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for name in NAMES:
        for part in parts(shipped.schema(name)):
            for snippet in part.get("defaultSnippets", ()):
                yield name, part, snippet


def filled(body: object) -> Any:
    """Return the data that a snippet gives when nobody changes its fields."""
    text = plain_of(body_text({"here": body}))
    for place, word in PLACES.items():
        text = text.replace(f": {place}\n", f": {word}\n")
    return load_yaml(text + "\n", "snippet").data["here"]  # type: ignore[index]


@each(
    ("name", "part", "snippet"),
    [pytest.param(n, p, s, id=f"{n}: {s['label']}") for n, p, s in snippets()],
)
def test_every_snippet_fits_the_place_it_is_for(
    name: str, part: dict[str, Any], snippet: dict[str, Any]
) -> None:
    whole = shipped.schema(name)
    here = {**part, "$defs": whole["$defs"]}
    assert [error.message for error in Draft202012Validator(here).iter_errors(filled(snippet["body"]))] == []
    assert snippet["description"]


@each("name", shipped.schema_names())
def test_the_twin_of_draft_07_takes_the_same_documents(name: str) -> None:
    from exitgate.reference.editor_schemas import draft_07

    twin: Any = draft_07(shipped.schema(name))
    Draft7Validator.check_schema(twin)
    assert "$defs" not in str(twin)
    assert not [
        part for part in parts(twin) if "$ref" in part and len(part) > 1 and isinstance(part["$ref"], str)
    ]
    ours, theirs = Draft202012Validator(shipped.schema(name)), Draft7Validator(twin)
    for document in DOCUMENTS:
        assert ours.is_valid(document) == theirs.is_valid(document), document


POLICY: Any = load_yaml(Path(shipped.path("recommended")).read_text(encoding="utf-8"), "p").data
DOCUMENTS: list[Any] = [
    POLICY,
    {**POLICY, "rules": [{"id": "x"}]},
    {**POLICY, "facts": {"a": {"points": [], "range": [1]}}},
    {**POLICY, "circuit": {"open": [{"id": "a", "when": {"all": [1]}}]}},
    {"lexicon": "a", "format": 1, "entries": [{"id": "b", "phrase": "c", "examples": ["c"]}]},
    {"lexicon": "a", "format": 1, "entries": [{"id": "b", "guards": ["none"]}]},
    {"exit_decision": {"mode": "warn", "rules": {"a": {"mode": "warn"}}}},
    {"exit_decision": {"rules": {"a": {"mode": "warn", "why": "so"}}}},
    {"format": 1, "tests": [{"name": "a", "expect": {"verdict": "EXIT"}}]},
    {"format": 1, "tests": [{"name": "a", "expect": {}}]},
    {}, [], "text",
]  # fmt: skip


@pytest.mark.parametrize("label", ["new policy", "policy that extends another"])
def test_a_new_policy_can_be_used_as_it_is(label: str) -> None:
    from exitgate.core.policy.compile import load_policy
    from exitgate.core.policy.reading import reading

    body = next(s["body"] for n, _, s in snippets() if n == "policy" and s["label"] == label)
    text = plain_of(body_text(body)) + "\n"
    policy = reading({"/nowhere/policy.yaml": text.encode()}, lambda: load_policy("/nowhere/policy.yaml"))
    assert policy.rules


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_a_list_with_meanings_has_one(name: str) -> None:
    lists = [part for part in parts(shipped.schema(name)) if "enumDescriptions" in part]
    assert lists
    for part in lists:
        assert len(part["enumDescriptions"]) == len(part["enum"])
        assert all(part["enumDescriptions"])


def test_classes_stages_and_modes_have_meanings() -> None:
    rule: Any = shipped.schema("policy")["$defs"]["rule"]["properties"]  # type: ignore[index]
    for key in ("exit", "stage", "mode"):
        assert "enumDescriptions" in rule[key]


@pytest.mark.parametrize("name", NAMES)
def test_examples_fit(name: str) -> None:
    whole = shipped.schema(name)
    for part in parts(whole):
        examples = part.get("examples")
        for example in examples if isinstance(examples, list) and "$ref" not in part else ():
            here = {**part, "$defs": whole["$defs"]}
            assert [error.message for error in Draft202012Validator(here).iter_errors(example)] == [], part
