"""Probes that a project could have: by its files alone, whatever is in them."""

from __future__ import annotations

import json
from pathlib import Path

from cases import each
from hypothesis import given
from hypothesis import strategies as st
from yaml import safe_load

from exitgate.core.probes.proposals import as_yaml, has_workflow, proposals
from exitgate.core.settings.load import problems_of

MAKE = {"command": ["make", "test"]}
PYTEST = {
    "command": ["pytest", "-q", "--junitxml=build/junit.xml"],
    "reads": {"junit": "build/junit.xml"},
}
NPM = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1", "lint": "eslint ."}}'
LINT = {"command": ["make", "lint"]}
GO = {"command": ["go", "test", "-json", "./..."], "reads": {"go_json": "-"}}
TARGETS = ".PHONY: test\ntest lint: build\n\techo check:\n"
FILES: dict[str, tuple[dict[str, str], dict[str, object]]] = {
    "a makefile": ({"Makefile": TARGETS}, {"tests": MAKE, "lint": LINT}),
    "a recipe is not a target": ({"Makefile": "all:\n\ttest: x\n# test:\n"}, {}),
    "check is one": ({"makefile": "check:\n\ttrue\n"}, {"tests": {"command": ["make", "check"]}}),
    "what npm wrote is no test": ({"package.json": NPM}, {"lint": {"command": ["npm", "run", "lint"]}}),
    "a test of npm": (
        {"package.json": '{"scripts": {"test": "vitest"}}'},
        {"tests": {"command": ["npm", "test"]}},
    ),
    "pytest": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.mypy]\n"},
        {"tests": PYTEST, "types": {"command": ["mypy"]}},
    ),
    "ruff": ({"pyproject.toml": "[tool.ruff]\n"}, {"lint": {"command": ["ruff", "check", "."]}}),
    "rust": ({"Cargo.toml": "[package]\n"}, {"tests": {"command": ["cargo", "test"]}}),
    "go": ({"go.mod": "module x\n"}, {"tests": GO}),
    "make goes first": ({"Makefile": "test:\n", "Cargo.toml": "[package]\n"}, {"tests": MAKE}),
    "broken files": ({"package.json": "{", "pyproject.toml": "[[", "Makefile": "\xff"}, {}),
    "other shapes": ({"package.json": '["scripts"]', "pyproject.toml": "tool = 3\n"}, {}),
    "nothing": ({}, {}),
}  # fmt: skip


@each("what", FILES)
def test_by_the_files_of_the_project(what: str, tmp_path: Path) -> None:
    files, wanted = FILES[what]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="latin-1")
    found = proposals(str(tmp_path))
    assert found == wanted
    if found:  # what is shown can be written as it is
        lines = as_yaml(found)
        assert safe_load("\n".join(lines)) == {"verify": list(found), "probes": found}
        config = tmp_path / "config.yaml"
        config.write_text(
            "exit_decision:\n  policy: recommended\n" + "".join(f"  {line}\n" for line in lines)
        )
        assert problems_of(str(config), "recommended") == ()


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_any_text_gives_an_answer(make: str, package: str, project: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("Makefile", make), ("package.json", package), ("pyproject.toml", project)):
            (Path(folder) / name).write_text(text, encoding="utf-8", errors="surrogatepass")
        json.dumps(proposals(folder))


def test_a_workflow_is_seen(tmp_path: Path) -> None:
    assert not has_workflow(str(tmp_path))
    (tmp_path / ".github/workflows").mkdir(parents=True)
    assert not has_workflow(str(tmp_path))
    (tmp_path / ".github/workflows/ci.yml").write_text("on: push\n")
    assert has_workflow(str(tmp_path))
