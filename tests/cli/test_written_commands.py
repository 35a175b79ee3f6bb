"""Command lines that people read, in help pages and in the documentation, are ones that the program takes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from cases import each

from exitgate.cli.main import COMMANDS, find, load
from exitgate.cli.parsing import arguments

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
CALL = re.compile(r"""(?<![\w./`-])exitgate ([a-z](?:'[^'\n]*'|"[^"\n]*"|[^\n|;&#<>)`'"])*)""")


def in_examples() -> list[str]:
    found = []
    for name in COMMANDS:
        command = load(name)
        found += [line for one in (command, *command.children) for line, _ in one.examples]
    return found


def in_pages() -> list[str]:
    blocks = [
        block
        for page in PAGES
        for block in re.findall(
            r"```(?:bash|sh|yaml|console)\n(.*?)```", page.read_text(encoding="utf-8"), re.S
        )
    ]
    whole = [re.sub(r"\\\n\s*", "", block) for block in blocks]  # a line that goes over several
    return [line for block in whole for line in block.splitlines() if "exitgate " in line]


@each("line", [*in_examples(), *in_pages()])
def test_a_written_command_is_read(line: str) -> None:
    calls = CALL.findall(line)
    for call in calls:
        words = shlex.split(re.sub(r"\$[?s]", "0", call))
        command, _, rest = find(words)
        assert arguments.read(command, rest) is not None, call


def test_commands_were_found() -> None:
    assert len([line for line in in_pages() if CALL.search(line)]) > 15


def test_the_commands_themselves_load_nothing_heavy() -> None:
    code = (
        "import sys; import exitgate.cli.main, exitgate.cli.commands.check, "
        "exitgate.report.decision.verbose, exitgate.report.formats.json; print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in set(ran.stdout.split()) - set(bare.stdout.split())}
    heavy = {"yaml", "jsonschema", "lark", "simpleeval", "structlog", "click", "rich", "markdown_it"}
    assert loaded & (heavy | {"dataclasses", "typing", "logging", "subprocess"}) == set()
