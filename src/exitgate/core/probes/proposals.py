"""Probes that a project could have, by the files that are in it. Nothing of them is run or imported."""

from __future__ import annotations

import os

from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.system import safe_files

_LARGEST = 1_000_000
#: What npm writes into a new package in place of a test.
_NO_TEST = "no test specified"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


def proposals(root: str) -> dict[str, dict[str, object]]:
    """Return name -> definition of probes that fit the project in a folder, as settings have them."""
    found: dict[str, dict[str, object]] = {}
    for one in (_make, _node, _python, _cargo, _go):
        for name, definition in one(root).items():
            found.setdefault(name, definition)
    return found


def has_workflow(root: str) -> bool:
    """Return whether GitHub runs workflows of the project: its verdict could be a probe."""
    try:
        names = safe_files.names(os.path.join(root, ".github", "workflows"))
    except OSError:
        return False
    return any(name.endswith((".yml", ".yaml")) for name in names)


def _make(root: str) -> dict[str, dict[str, object]]:
    text = next(filter(None, (_text(root, name) for name in _MAKEFILES)), "")
    targets = {
        line.partition(":")[0].strip()
        for line in text.splitlines()
        if ":" in line and line[:1] not in "\t #."
    }
    words = {word for target in targets for word in target.split()}
    named = {"tests": ("test", "check", "tests"), "lint": ("lint",)}
    return {
        name: {"command": ["make", target]}
        for name, some in named.items()
        for target in [next((one for one in some if one in words), "")]
        if target
    }


def _node(root: str) -> dict[str, dict[str, object]]:
    import json

    try:
        scripts = object_of(json.loads(_text(root, "package.json") or "null")).object("scripts")
    except (ValueError, RecursionError, AttributeError):
        return {}
    found: dict[str, dict[str, object]] = {}
    if _NO_TEST not in scripts.text("test", _NO_TEST):
        found["tests"] = {"command": ["npm", "test"]}
    for name, script in (("lint", "lint"), ("types", "typecheck")):
        if script in scripts:
            found[name] = {"command": ["npm", "run", script]}
    return found


def _python(root: str) -> dict[str, dict[str, object]]:
    import tomllib

    text = _text(root, "pyproject.toml")
    try:
        tool = object_of(tomllib.loads(text)).object("tool") if text else JsonObject()
    except (ValueError, RecursionError):
        return {}
    found: dict[str, dict[str, object]] = {}
    if "pytest" in tool or _text(root, "pytest.ini") or _text(root, "tests/conftest.py"):
        report = "build/junit.xml"
        found["tests"] = {
            "command": ["pytest", "-q", f"--junitxml={report}"],
            "reads": {"junit": report},
        }
    if "ruff" in tool:
        found["lint"] = {"command": ["ruff", "check", "."]}
    if "mypy" in tool:
        found["types"] = {"command": ["mypy"]}
    return found


def _cargo(root: str) -> dict[str, dict[str, object]]:
    return {"tests": {"command": ["cargo", "test"]}} if _text(root, "Cargo.toml") else {}


def _go(root: str) -> dict[str, dict[str, object]]:
    if not _text(root, "go.mod"):
        return {}
    return {"tests": {"command": ["go", "test", "-json", "./..."], "reads": {"go_json": "-"}}}


def _text(root: str, name: str) -> str:
    """Return the text of a file of the project; empty where there is none that can be read."""
    try:
        return safe_files.content(os.path.join(root, name), _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def as_yaml(found: dict[str, dict[str, object]]) -> list[str]:
    """Return the lines of the settings that define probes, below `exit_decision:`."""
    import json

    lines = [f"verify: [{', '.join(found)}]", "probes:"]
    for name, plain in found.items():
        shown = ", ".join(f"{key}: {json.dumps(value)}" for key, value in plain.items())
        lines.append(f"  {name}: {{{shown}}}")
    return lines
