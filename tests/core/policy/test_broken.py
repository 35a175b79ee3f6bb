"""Every broken policy of the corpus gives exactly the diagnostics written beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.codes import CODES
from exitgate.core.policy.compile import load_policy

CORPUS = Path(__file__).parent / "broken"
FENCE = "```"

#: What a case may leave out; it comes behind the text of the case, so that lines stay as written.
DEFAULTS = {
    "policy": "policy: p",
    "format": "format: 1",
    "version": "version: 1.0.0",
    "facts": "facts: {tasks: {extract: checklist}, said: {extract: output, from: response}}",
    "rules": "rules: []",
}


class Case:
    def __init__(self, name: str) -> None:
        self.name = name
        self.files: dict[str, str] = {}
        self.expected = ""


def cases() -> list[Case]:
    found = []
    for path in sorted(CORPUS.glob("*.md")):
        block, info = None, ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if block is None and line.startswith("## "):
                found.append(Case(f"{path.stem}: {line[3:]}"))
            elif block is None and line.startswith(FENCE):
                block, info = [], line[len(FENCE) :]
            elif block is not None and line == FENCE:
                store(found[-1], info, block)
                block = None
            elif block is not None:
                block.append(line)
    return found


def store(case: Case, info: str, block: list[str]) -> None:
    """`yaml`, `yaml whole` (nothing added), `yaml escaped`, `yaml NAME.yaml` (a file beside it), `text`."""
    kind, _, rest = info.partition(" ")
    if kind == "text":
        case.expected = "\n".join(block)
        return
    text = "\n".join(block) + "\n"
    if rest == "escaped":
        text = text.encode("ascii").decode("unicode_escape").rstrip("\n")
    elif rest != "whole":
        text += "".join(f"{line}\n" for key, line in DEFAULTS.items() if not_in(key, block, rest))
    case.files[rest if rest.endswith(".yaml") else "policy.yaml"] = text


def not_in(key: str, block: list[str], name: str) -> bool:
    if key in ("rules", "facts") and any(line.startswith("extends:") for line in block):
        return False
    if name.startswith("lexicon"):
        return False
    return not any(line.startswith((f"{key}:", f"'{key}'")) for line in block)


def rendered(error: ExitgateError) -> str:
    lines = []
    for found in error.diagnostics:
        where = ""
        if found.place is not None:
            file = os.path.basename(found.place.file)
            where = (
                "" if file == "policy.yaml" else f"{file}:"
            ) + f"{found.place.line}:{found.place.column} "
        lines.append(f"{found.code} {where}{found.message}")
        lines += [f"    {found.help}"] if found.help else []
    return "\n".join(lines)


@each("case", cases(), ids=lambda case: case.name)
def test_broken(case: Case, tmp_path: Path) -> None:
    for name, text in case.files.items():
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ExitgateError) as caught:
        load_policy("./policy.yaml", base=str(tmp_path))
    assert rendered(caught.value) == case.expected
    assert caught.value.exit_code == 65


def test_the_corpus_is_large() -> None:
    assert len(cases()) >= 120


def test_every_code_of_the_room_is_in_the_corpus() -> None:
    elsewhere = {
        "EP101",
        "EP115",
        "EP200",
        "EP478",
        "EP810",
        "EP811",
        "EP842",
        "EP843",
        "EP844",
        "EP845",
        "EP846",
        "EP890",
        "EP891",
        "EP892",
        "EP893",
        "EP894",
    }  # test_library, test_lost_text, test_compose, test_schema_check, locked, security/test_plugins
    shown = {line.split()[0] for case in cases() for line in case.expected.splitlines() if line[:2] == "EP"}
    assert set(CODES) - elsewhere - shown == set()


def test_every_source_line_is_the_line_of_the_place(tmp_path: Path) -> None:
    for case in cases():
        for name, text in case.files.items():
            (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(ExitgateError) as caught:
            load_policy("./policy.yaml", base=str(tmp_path))
        for found in caught.value.diagnostics:
            if found.place is not None and found.place.file.endswith("policy.yaml"):
                lines = [*case.files["policy.yaml"].split("\n"), ""]
                line = lines[found.place.line - 1].rstrip("\r")
                if not found.source and not case.files["policy.yaml"].startswith("policy:"):
                    continue  # a file that does not begin as ours may be anybody's: no line of it is shown
                assert found.source == line, case.name
                assert found.place.column <= len(found.source) + 1, case.name
