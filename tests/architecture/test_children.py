"""Processes are started in `exitgate.core.system` alone, and no Python looks for modules where it is."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from cases import each

from exitgate.cli.commands.init import workflow_text
from exitgate.core.system.python import command, program
from exitgate.hosts.shim.bash import shim

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/exitgate"
OWN = "core/system/"
#: May ask for the path of the interpreter, to show it.
SHOWS_INTERPRETER = frozenset(("cli/findings.py",))

#: Modules that start programs, or run a file as one, and what of others does.
MODULES = frozenset((
    "subprocess", "_posixsubprocess", "multiprocessing", "_multiprocessing", "concurrent.futures.process",
    "pty", "webbrowser", "runpy", "pdb", "idlelib", "pydoc", "venv", "ensurepip", "_winapi", "antigravity",
))  # fmt: skip
OF_OS = re.compile(r"posix_spawnp?|exec[lv]p?e?|spawn[lv]p?e?|v?fork|forkpty|system|popen|startfile")
OF_ANY = frozenset((
    "ProcessPoolExecutor", "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec",
    "subprocess_shell", "find_library", "getnode", "uuid1", "posix_spawn", "posix_spawnp", "execv", "execve",
    "execvp", "forkpty",
))  # fmt: skip
#: What a file with a fault has in it, to parse no other.
SUSPECT = (
    *(name for name in MODULES if "." not in name), *OF_ANY, "futures", "os import", "posix",
    "os.exec", "os.spawn", "fork", "os.system", "popen", "startfile",
)  # fmt: skip
#: Calls whose text names a module or an attribute.
BY_NAME = frozenset(("import_module", "__import__", "getattr", "attrgetter", "find_spec"))


def named(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_banned(module: str) -> bool:
    parts = module.split(".")
    return any(".".join(parts[:count]) in MODULES for count in range(1, len(parts) + 1))


def starts(tree: ast.AST) -> Iterator[str]:
    """Yield what of a file starts processes, type hints included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if is_banned(one.name))
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [one.name for one in node.names]
            if is_banned(module):
                yield module
            yield from (f"{module}.{name}" for name in names if is_banned(f"{module}.{name}"))
            yield from (name for name in names if name in OF_ANY)
            if module in ("os", "posix"):
                yield from (f"os.{name}" for name in names if OF_OS.fullmatch(name))
        elif isinstance(node, ast.Attribute):
            if named(node.value) in ("os", "posix") and OF_OS.fullmatch(node.attr):
                yield f"os.{node.attr}"
            elif node.attr in OF_ANY:
                yield node.attr
        elif isinstance(node, ast.Call) and named(node.func) in BY_NAME:
            texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
            yield from (one for one in texts if isinstance(one, str) and (is_banned(one) or one in OF_ANY))


def test_processes_are_started_in_one_place() -> None:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        if name.startswith(OWN) or not any(word in text for word in SUSPECT):
            continue
        if faults := sorted(set(starts(ast.parse(text)))):
            found[name] = faults
    assert found == {}


@each("code", [
    "import subprocess", "from subprocess import run", "import multiprocessing.pool",
    "import posix\nposix.fork()",
    "from concurrent.futures import ProcessPoolExecutor", "import os\nos.execv('a', [])",
    "from concurrent import futures\nfutures.ProcessPoolExecutor()", "import os\nos.popen('a')",
    "from os import fork", "import os\nos.spawnlp(0, '')", "import posix\nposix.system('a')",
    "import asyncio\nasyncio.create_subprocess_exec('a')", "import concurrent.futures.process",
    "__import__('subprocess')", "from importlib import import_module\nimport_module('pty')",
    "import os\ngetattr(os, 'posix_spawn')", "from concurrent.futures.process import BrokenProcessPool",
])  # fmt: skip
def test_each_way_to_start_one_is_found(code: str) -> None:
    assert any(word in code for word in SUSPECT)
    assert list(starts(ast.parse(code)))


def test_the_interpreter_is_named_in_one_place() -> None:
    naming = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"\bsys\._?(?:base_)?executable|\bimport executable", path.read_text(encoding="utf-8"))
    }
    assert {name for name in naming if not name.startswith(OWN)} <= SHOWS_INTERPRETER


#: An interpreter in a line of a shell, its switches, and the one that makes it look in the folder it is in.
PYTHON = re.compile(
    r"""(?:(?<![\w.-])(?:python|pypy)[0-9.]*(?:\.exe)?|\$\{?PYTHON\}?)["']?
        ((?:[\s,]+["']?(?:-[A-Za-z]+|-[XW]\s?\S+)["']?)*?)[\s,]+["']?-([A-Za-z]*[mc])["']?[\s,]+["'$\w]""",
    re.VERBOSE,
)
TEXTS = (
    ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml", ROOT / "Makefile", ROOT / "README.md",
    *(path for place in ("src", "plugins", "examples", "docs") for path in sorted((ROOT / place).rglob("*"))
      if path.is_file() and "lexicons" not in path.parts and path.suffix in (
          ".py", ".bash", ".sh", ".yaml", ".yml", ".json", ".md", ".txt", ".toml", ".tape", ".ipynb")),
)  # fmt: skip


def unsafe(text: str) -> list[str]:
    """Return the command lines of a text by which Python looks for modules in the working folder."""
    found = []
    lines = (line for line in text.splitlines() if "-" in line and re.search("py(?:thon|py)", line, re.I))
    for match in (match for line in lines for match in PYTHON.finditer(line)):
        switches = "".join(re.findall(r"-([A-Za-z]+)", match[1])) + match[2]
        if not set(switches) & {"P", "I"}:
            found.append(match[0])
    return found


#: Prose about a command that nobody is to type.
PROSE = {
    "docs/decisions/0302-start-of-a-check.md": ["python -c p"],
    "docs/decisions/0901-child-processes.md": ["python -m e"],
    "docs/explanation/threat-model.md": ["python -m e"],
}


def test_what_is_printed_or_shown_starts_python_with_a_safe_path() -> None:
    found = {}
    for path in TEXTS:
        if faults := unsafe(path.read_text(encoding="utf-8", errors="replace")):
            found[path.relative_to(ROOT).as_posix()] = faults
    assert {name: faults for name, faults in found.items() if faults != PROSE.get(name)} == {}


def test_what_the_program_writes_starts_python_with_a_safe_path() -> None:
    texts = [
        shim(None),
        workflow_text("git+https://example.org/team/exitgate@v0.1.0"),
        shlex.join(program("check")),
        shlex.join(command("exitgate.x", "main")),
    ]
    assert [unsafe(text) for text in texts] == [[], [], [], []]
    assert sum(len(PYTHON.findall(text)) for text in texts) == 3


@each("line, is_unsafe", [
    ("python -m pip install x", True), ("python3.12 -c 'x'", True), ("/usr/bin/python3 -S -E -s -c x", True),
    ('"$PYTHON" -m exitgate', True), ("python -um pip", True), ("python -X utf8 -m pip", True),
    ("python -P -m pip", False), ("python -I -m pip", False), ("python -Im pip", False),
    ("'/a/python3' '-S' '-E' '-s' '-c' 'x'", True), ('["python", "-m", "pip"]', True), ("python x.py", False),
    ("'/a b/python3' -S -I -c x", False), ("git -c x", False), ("python docs/generate.py -m x", False),
])  # fmt: skip
def test_an_unsafe_line_is_found(line: str, is_unsafe: bool) -> None:
    assert bool(unsafe(line)) is is_unsafe
