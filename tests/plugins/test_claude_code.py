"""The plugin for Claude Code: its files are what Claude Code reads, and say what this version does."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from cases import each
from jsonschema import Draft202012Validator

from exitgate import __version__
from exitgate.cli.main import COMMANDS, load
from exitgate.core.policy.compile import load_policy
from exitgate.hosts.install.host import EntrySpec
from exitgate.hosts.install.inspect import HOSTS, PLUGIN_WAITS
from exitgate.report.policy.prompt import prompt_page

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"
MANIFEST = PLUGIN / ".claude-plugin" / "plugin.json"
MARKETPLACE = ROOT / ".claude-plugin" / "marketplace.json"
SKILL = PLUGIN / "skills" / "status-block" / "SKILL.md"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def schema(name: str, part: str = "") -> Draft202012Validator:
    found = read(Path(__file__).with_name(f"{name}.schema.json"))
    Draft202012Validator.check_schema(found)
    return Draft202012Validator({**found, **found["$defs"][part]} if part else found)


def front_matter(path: Path) -> tuple[dict[str, Any], str]:
    head, _, body = path.read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
    return yaml.safe_load(head), body


def test_the_manifest_is_as_published() -> None:
    manifest = read(MANIFEST)
    assert list(schema("plugin").iter_errors(manifest)) == []
    assert manifest["version"] == __version__


def test_the_marketplace_is_as_published() -> None:
    marketplace = read(MARKETPLACE)
    assert list(schema("marketplace").iter_errors(marketplace)) == []
    (entry,) = marketplace["plugins"]
    assert (ROOT / entry["source"]).resolve() == PLUGIN
    assert (entry["name"], entry["description"]) == (read(MANIFEST)["name"], read(MANIFEST)["description"])


def test_the_hooks_are_those_of_install() -> None:
    found = read(PLUGIN / "hooks" / "hooks.json")
    hooks = schema("plugin", "hooks_file")
    assert list(hooks.iter_errors(found)) == []
    host = HOSTS["claude-code"]
    assert found["hooks"] == host.document(EntrySpec("exitgate hook claude-code", PLUGIN_WAITS))["hooks"]


def broken() -> Iterator[tuple[str, str, Any]]:
    """Manifests that Claude Code refuses or does not read: which schema, what is wrong, the document."""
    wrong = {
        "no name": ("name", None),
        "a name with a space": ("name", "exit gate"),
        "no such version": ("version", "1.0"),
        "an author that is a text": ("author", "somebody"),
        "an author without a name": ("author", {"email": "a@example.com"}),
        "keywords in a text": ("keywords", "a, b"),
        "commands from outside": ("commands", "/etc"),
        "an unknown field": ("comands", []),
        "hooks that are no file": ("hooks", "hooks.json"),
        "no such event": ("hooks", {"OnStop": []}),
        "a homepage that is none": ("homepage", "exitgate"),
    }
    for name, (key, value) in wrong.items():
        manifest = read(MANIFEST)
        manifest.pop(key, None)
        yield "plugin", name, manifest if value is None else {**manifest, key: value}
    market = {
        "no owner": ("owner", None),
        "no plugins": ("plugins", []),
        "a plugin without a source": ("plugins", [{"name": "exitgate"}]),
        "a source from above": ("plugins", [{"name": "exitgate", "source": "./../x"}]),
    }
    for name, (key, value) in market.items():
        found = read(MARKETPLACE)
        found.pop(key)
        yield "marketplace", name, found if value is None else {**found, key: value}
    for name, key, value in (
        ("no command", "command", None),
        ("another type", "type", "shell"),
        ("no time at all", "timeout", 0),
        ("a time in a text", "timeout", "30"),
        ("an unknown key", "loop_limit", 5),
    ):
        hooks = copy.deepcopy(read(PLUGIN / "hooks" / "hooks.json"))
        handler = hooks["hooks"]["Stop"][0]["hooks"][0]
        handler.pop(key, None)
        handler |= {} if value is None else {key: value}
        yield "hooks", name, hooks


@each(("which", "name", "document"), [pytest.param(*one, id=one[1]) for one in broken()])
def test_what_is_wrong_is_found(which: str, name: str, document: Any) -> None:
    against = schema("plugin", "hooks_file") if which == "hooks" else schema(which)
    assert list(against.iter_errors(document)), name


def test_only_the_manifest_is_in_its_folder() -> None:
    """Claude Code reads parts from the plugin's root; what lies beside the manifest is not found."""
    assert [path.name for path in MANIFEST.parent.iterdir()] == ["plugin.json"]
    assert {path.name for path in PLUGIN.iterdir()} == {
        ".claude-plugin", "hooks", "commands", "skills", "README.md",
    }  # fmt: skip


def test_the_command_asks_for_what_there_is() -> None:
    head, body = front_matter(PLUGIN / "commands" / "why.md")
    assert set(head) == {"description", "argument-hint", "allowed-tools"}
    assert all(isinstance(value, str) for value in head.values())
    options = {flag for option in load("explain").options for flag in option.flags}
    assert {"--run", "--format"} <= options
    assert 'exitgate explain --run "${CLAUDE_SESSION_ID}" --format markdown' in body
    for name in ("explain", "history"):
        assert f"Bash(exitgate {name}:*)" in head["allowed-tools"]
        assert name in COMMANDS


def test_the_skill_teaches_what_the_policy_reads() -> None:
    """`EXITGATE_GOLDEN=write` writes the part that `exitgate prompt recommended` prints anew."""
    head, body = front_matter(SKILL)
    assert head["name"] == SKILL.parent.name
    assert 20 < len(head["description"]) < 1024
    assert set(head) == {"name", "description"}
    before, mark, taught = body.partition("\n<!-- exitgate prompt recommended -->\n\n")
    assert mark
    page = prompt_page(load_policy("recommended"))
    if os.environ.get("EXITGATE_GOLDEN") == "write":
        text = SKILL.read_text(encoding="utf-8")
        SKILL.write_text(text[: len(text) - len(taught)] + page, encoding="utf-8")
        taught = page
    assert taught == page
    assert "`exitgate prompt`" in before


def test_the_readme_names_every_part() -> None:
    text = (PLUGIN / "README.md").read_text(encoding="utf-8")
    for word in ("hooks/hooks.json", "/exitgate:why", "status-block", "/plugin marketplace add"):
        assert word in text
    assert f"waits {PLUGIN_WAITS} seconds" in text
    for groups in read(PLUGIN / "hooks" / "hooks.json")["hooks"].values():
        assert [entry["timeout"] for group in groups for entry in group["hooks"]] == [PLUGIN_WAITS]
