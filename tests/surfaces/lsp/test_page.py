"""The how-to on editors: its settings are well-formed and start what there is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from exitgate.cli.main import load

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "set-up-an-editor.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def test_every_block_of_settings_can_be_read() -> None:
    settings = [json.loads(block) for block in blocks("json")]
    (helix,) = [tomllib.loads(block) for block in blocks("toml")]
    assert helix["language-server"]["exitgate"] == {"command": "exitgate", "args": ["lsp"]}
    merged = {key: value for block in settings for key, value in block.items()}
    assert [merged["glspc.server.command"], *merged["glspc.server.commandArguments"]] == ["exitgate", "lsp"]
    assert set(merged["programArgs"].values()) == {'sh -c "exitgate lsp"', "exitgate lsp"}
    written = {name.removeprefix("./") for name in merged["yaml.schemas"]}
    told = {line.rpartition("> ")[2] for block in blocks("sh") for line in block.splitlines() if "> " in line}
    assert written <= told


def test_neovim_starts_the_command() -> None:
    assert all("cmd = { 'exitgate', 'lsp' }" in block for block in blocks("lua"))


@pytest.mark.parametrize("option", ["--tcp"])
def test_the_options_it_names_exist(option: str) -> None:
    assert option in PAGE
    assert any(option in declared.flags for declared in load("lsp").options)
