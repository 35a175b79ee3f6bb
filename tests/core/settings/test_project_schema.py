"""The schema for editors takes what the loader takes, and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.reference.editor_schemas import project_schema

POLICY = (Path(__file__).parent / "layer_cases.py").read_text(encoding="utf-8")
POLICY = POLICY.partition('POLICY = """\\\n')[2].partition('"""')[0]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schema")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / ".bb3").mkdir()
    return folder


def asked(root: Path) -> SettingsRequest:
    return SettingsRequest("bb3", str(root / "policy.yaml"), {}, str(root), {"HOME": "/nonexistent"})


def refusals(schema: dict[str, object], section: object) -> list[str]:
    found = Draft202012Validator(schema).iter_errors({"exit_decision": section})
    return [error.message for error in found]


def loads(root: Path, section: object) -> bool:
    (root / ".bb3/config.yaml").write_text(json.dumps({"exit_decision": section}), encoding="utf-8")
    try:
        load_settled(asked(root))
    except ExitgateError:
        return False
    finally:
        (root / ".bb3/config.yaml").unlink()
    return True


VALUES = st.one_of(
    st.integers(-2, 130), st.booleans(), st.floats(-1, 130, allow_nan=False),
    st.lists(st.just("a"), max_size=2),
    st.sampled_from(["90%", "130%", "1h30m", "5 USD", "5 EUR", "5USD", "30", "bad", "BAD", "soon"]),
    st.sampled_from(["1.5h", "30 m", "", "7 %"]),
)  # fmt: skip
#: Where a schema of the common subset cannot say all: bounds of texts, upper case in the middle.
KNOWN = ("goal", "pause", "budget", "mood")


@given(st.sampled_from(["limit", "goal", "pause", "budget", "strict", "mood", "words"]), VALUES)
@settings(max_examples=150, deadline=None)
def test_schema_and_loader_agree(root: Path, name: str, value: object) -> None:
    schema = project_schema(load_settled(asked(root)))
    refused = refusals(schema, {name: value})
    if loads(root, {name: value}):
        assert refused == []
    elif not (name in KNOWN and isinstance(value, str)):
        assert refused != []


def test_it_names_what_the_policy_has(root: Path) -> None:
    schema = project_schema(load_settled(asked(root)))
    Draft202012Validator.check_schema(schema)
    section = schema["$defs"]["section"]["properties"]  # type: ignore[index]
    assert section["limit"] == {
        "title": "limit",
        "description": "Iterations without a tick. Write a whole number from 0, such as `3`.",
        "default": 3, "type": "integer", "minimum": 1, "maximum": 9,
    }  # fmt: skip
    assert (section["pause"]["default"], section["budget"]["default"]) == ("30m", "5 USD")
    assert sorted(section["rules"]["properties"]) == ["done", "early", "stuck", "watchful"]
    assert list(section["lists"]["properties"]) == ["later"]
    assert section["profile"]["enum"] == ["critical_feature", "relaxed"]
    assert refusals(schema, {"limmit": 3}) != []
    assert refusals(schema, {"rules": {"breaker": {"mode": "warn", "why": "x"}}}) != []


def test_what_the_loader_refuses_the_editor_marks(root: Path) -> None:
    schema = project_schema(load_settled(asked(root)))
    for change in ({"mode": "warn"}, {"mode": "shadow"}, {"disabled": True}):
        assert refusals(schema, {"rules": {"stuck": change}}) != []
        assert refusals(schema, {"rules": {"stuck": {**change, "why": "x"}}}) == []
    assert refusals(schema, {"rules": {"stuck": {"mode": "enforce"}}}) == []
    (root / ".bb3" / "config.yaml").write_text("exit_decision: {policy: bb3}\n", encoding="utf-8")
    plain = project_schema(load_settled(asked(root)))
    assert refusals(plain, {"profile": "any"}) != []


def test_its_own_examples_fit(root: Path) -> None:
    for schema in (project_schema(load_settled(asked(root))), shipped.schema("config")):
        for example in schema["examples"]:  # type: ignore[attr-defined]
            assert list(Draft202012Validator(schema).iter_errors(example)) == []


@pytest.mark.parametrize("name", some(shipped.policies(), 5))
def test_every_shipped_policy_has_one(name: str) -> None:
    schema = project_schema(load_settled(SettingsRequest("bb3", name, environment={"HOME": "/nonexistent"})))
    Draft202012Validator.check_schema(schema)
    assert refusals(schema, {"policies": {"bb3": {"min_confidence": 3}}}) == []
