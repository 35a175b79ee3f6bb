"""Nothing that is shipped points at an address that serves nothing, or at a schema that is not there."""

from __future__ import annotations

import json
import re
from pathlib import Path

from exitgate.cli.commands.new import skeleton

ROOT = Path(__file__).parents[2]
SHIPPED = ("src", "schemas", "policies", "docs", "examples", "plugins", "README.md", "action.yml")
ENDINGS = (".py", ".md", ".json", ".yaml", ".yml", ".toml", ".txt", ".js", ".html")
MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)", re.MULTILINE)


def texts() -> list[tuple[Path, str]]:
    found = []
    for name in SHIPPED:
        top = ROOT / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in ENDINGS:
                found.append((path, path.read_text(encoding="utf-8", errors="replace")))
    return found


def test_no_address_of_a_domain_that_nobody_serves() -> None:
    unserved = re.compile(r"exitgate\.(dev|io|org|com|sh)\b")
    assert [str(path) for path, text in texts() if unserved.search(text)] == []


def test_schemas_go_by_names_that_are_no_addresses() -> None:
    for path in sorted((ROOT / "schemas").glob("*.json")):
        kind = path.name.removesuffix(".schema.json")
        assert json.loads(path.read_text(encoding="utf-8"))["$id"] == f"urn:exitgate:schema:{kind}"


def test_every_modeline_names_a_file_that_is_there() -> None:
    for top in ("policies", "examples"):
        for path in (ROOT / top).rglob("*.yaml"):
            for place in MODELINE.findall(path.read_text(encoding="utf-8")):
                assert (path.parent / place).is_file(), path


def test_a_new_policy_has_the_schemas_that_it_names(tmp_path: Path) -> None:
    files = skeleton("policy", "ours", str(tmp_path)).files
    named = {(Path(path).parent / place) for path, text in files.items() for place in MODELINE.findall(text)}
    assert len(named) == 2
    assert {str(path) for path in named} <= set(files)


def test_no_modeline_of_a_page_or_example_is_an_address() -> None:
    for path, text in texts():
        for place in re.findall(r"yaml-language-server: \$schema=(https?:\S+)", text):
            assert re.match(r"https?://(\w+\.)?example\.", place), path
