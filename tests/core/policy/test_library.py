"""Files that are there, that are not, and that are no files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest
from cases import each

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.library import load_file
from exitgate.core.policy.reading import reading

RIGHT = "policy: p\nformat: 1\nversion: 1.0.0\nrules: []\n"


def test_by_name_by_path_and_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.yaml").write_text(RIGHT, encoding="utf-8")
    assert load_policy("p.yaml", base=str(tmp_path)).path == "p.yaml"
    assert load_policy(str(tmp_path / "p.yaml")).name == "p"
    monkeypatch.chdir(tmp_path)
    assert load_policy("./p.yaml").name == "p"
    for name in shipped.policies():
        assert load_policy(name).path == f"shipped:{name}"
        assert load_policy(shipped.path(name)).digest == load_policy(name).digest


def test_a_policy_and_a_lexicon_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    (tmp_path / "base.yaml").write_text(RIGHT, encoding="utf-8")
    text = "policy: p\nformat: 1\nversion: 1.0.0\nextends: ../base.yaml@1\n"
    (folder / "p.yaml").write_text(text, encoding="utf-8")
    assert load_policy("sub/p.yaml", base=str(tmp_path)).name == "p"


@each(
    ("reference", "code", "part"),
    [
        ("none.yaml", "EP810", "there is no policy file `none.yaml`"),
        ("bb33", "EP810", "there is no policy `bb33`"),
        ("./folder/", "EP810", "there is no policy in the folder `./folder/`"),
        ("./fifo.yaml", "EP811", "it is a pipe"),
        ("./circle.yaml", "EP811", "too many levels of symbolic links"),
        ("./a\0b.yaml", "EP811", "null "),
        ("/dev/null", "EP811", "it is a device"),
        ("./" + "x" * 5000 + ".yaml", "EP811", "file name too long"),
        ("./bytes.yaml", "EP101", "byte 0xff is not UTF-8"),
        ("./huge.yaml", "EP104", "more than 4194304 bytes"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, reference: str, code: str, part: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo.yaml")
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"a: \xff")
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(ExitgateError) as caught:
        load_policy(reference, base=str(tmp_path))
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert part in found.message
    assert found.help
    assert caught.value.exit_code == {"EP810": 66, "EP811": 74}.get(code, 65)


def test_an_empty_name_is_not_the_only_policy_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "only.yaml").write_text(RIGHT, encoding="utf-8")
    assert load_policy(".", base=str(tmp_path)).path == "./only.yaml"
    with pytest.raises(ExitgateError) as caught:
        load_policy("", base=str(tmp_path))
    assert [(one.code, one.message) for one in caught.value.diagnostics] == [
        ("EP810", "there is no policy ``")
    ]


def test_load_file(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: [1]\n", encoding="utf-8")
    assert load_file(str(tmp_path / "x.yaml")).data == {"a": [1]}
    with pytest.raises(ExitgateError) as caught:
        load_file(str(tmp_path / "y.yaml"))
    assert caught.value.exit_code == 66
    with pytest.raises(ExitgateError) as caught:
        load_file(str(tmp_path))
    assert caught.value.exit_code == 74


@each("name", shipped.schema_names())
def test_every_schema_is_one(name: str) -> None:
    schema = shipped.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(schema)) == schema


def test_the_policy_schema_explains_every_key() -> None:
    def walk(node: object, path: str) -> None:
        if not isinstance(node, dict):
            return
        for key, value in node.get("properties", {}).items():
            assert value.get("description") or "$ref" in value or value == {"type": "string"}, f"{path}.{key}"
            walk(value, f"{path}.{key}")
        for key in ("then", "else", "items", "additionalProperties"):
            walk(node.get(key), f"{path}/{key}")

    schema = shipped.schema("policy")
    walk(schema, "")
    for name, node in schema["$defs"].items():  # type: ignore[attr-defined]
        walk(node, name)


def test_unknown_names() -> None:
    for get in (shipped.path, shipped.lexicon_path, shipped.schema):
        with pytest.raises(KeyError):
            get("../policies/bb3")


def test_package_data_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "exitgate"
    (package / "core" / "policy").mkdir(parents=True)
    (package / "policies" / "only").mkdir(parents=True)
    (package / "policies" / "only" / "policy.yaml").write_text(RIGHT, encoding="utf-8")
    monkeypatch.setattr(shipped, "__file__", str(package / "core" / "policy" / "shipped.py"))
    assert shipped.policies() == ("only",)
    with pytest.raises(FileNotFoundError, match="installed without its schemas"):
        shipped.schema_names()


def test_a_text_that_is_not_written_yet_counts_in_place_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    head = "policy: p\nformat: 1\nversion: 1.0.0\n"
    text = f"{head}rules:\n  - {{id: a, when: run.iterations > 3, exit: exhausted}}\n"
    path.write_text(text, encoding="utf-8")
    held = {os.path.realpath(path): text.replace("> 3", "> 4").encode()}
    policies = [reading(held, lambda: load_policy(str(path))), load_policy(str(path))]
    texts = [policy.rules[0].text for policy in policies]
    assert texts == ["run.iterations > 4", "run.iterations > 3"]
