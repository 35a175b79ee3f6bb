"""
Files that others can write are opened in `exitgate.core.system.safe_files` alone: no links, no pipes, no
end of bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from cases import each

SOURCE = Path(__file__).parents[2] / "src/exitgate"
OWN = "core/system/safe_files.py"
#: Files where a name opens something else: what is opened is no file that others can write.
OTHERWISE = {
    "recordings/page/render.py": "the program's own",
    "analysis/diff/revisions.py": "writes into a temporary folder that it made, new files alone",
    "hosts/shim/bash.py": "the program's own",
    "hosts/shim/server.py": "pipes that the shim made, and a new file beside them",
    "core/policy/shipped.py": "the program's own",
    "recordings/location.py": "file systems of fsspec, named by the user",
}
PACKAGES = (
    "analysis/diff",
    "core/gate",
    "core/ledger",
    "core/observe",
    "core/policy",
    "core/probes",
    "core/settings",
    "core/state",
    "core/views",
    "hosts",
    "recordings",
    "testing",
)

METHODS = frozenset(("open", "read_text", "read_bytes", "write_text", "write_bytes", "mkfifo"))
OF_MODULES = {
    "os": frozenset(("open", "fdopen", "listdir")),
    "io": frozenset(("open", "open_code", "FileIO")),
    "codecs": frozenset(("open",)),
    "fileinput": frozenset(("input",)),
    "shutil": frozenset(("copy", "copy2", "copyfile", "copytree", "move")),
    "tempfile": frozenset(("mktemp",)),
    "mmap": frozenset(("mmap",)),
    "zipfile": frozenset(("ZipFile",)),
    "tarfile": frozenset(("open",)),
    "gzip": frozenset(("open",)),
    "sqlite3": frozenset(("connect",)),
}
#: Objects whose `open` is `exitgate.core.system.safe_files`'s in the end.
SAFE = frozenset(("self", "place", "at", "super()", "builder", "encoder", "safe_files"))


def opens(node: ast.AST) -> Iterator[str]:
    """Yield what of a node, without what is below it, opens others by itself."""
    if isinstance(node, ast.ImportFrom):
        names = OF_MODULES.get(node.module or "", frozenset())
        yield from (f"{node.module}.{one.name}" for one in node.names if one.name in names)
    elif isinstance(node, ast.Name) and node.id == "open":
        yield "open"
    elif isinstance(node, ast.Attribute):
        owner = ast.unparse(node.value)
        if node.attr in OF_MODULES.get(owner, ()) or (owner == "os" and node.attr.startswith("O_")):
            yield f"{owner}.{node.attr}"
        elif node.attr in METHODS and owner not in (*SAFE, *OF_MODULES):
            yield f".{node.attr}"


def takes_descriptor(node: ast.AST) -> bool:
    """
    Return whether a node calls `open` with a descriptor of `exitgate.core.system.safe_files`, or one opened
    before.
    """
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"):
        return False
    first = ast.unparse(node.args[0]) if node.args else ""
    return first.startswith("safe_files.") or first == "descriptor"


def faults_of(text: str | bytes) -> list[str]:
    nodes = list(ast.walk(ast.parse(text)))
    if any(isinstance(node, ast.arg) and node.arg == "open" for node in nodes):
        nodes = [node for node in nodes if not isinstance(node, ast.Name)]  # it means a parameter
    safe = {id(node.func) for node in nodes if isinstance(node, ast.Call) and takes_descriptor(node)}
    return sorted({fault for node in nodes if id(node) not in safe for fault in opens(node)})


def test_files_are_opened_in_one_place() -> None:
    found = {}
    for package in PACKAGES:
        for path in sorted((SOURCE / package).rglob("*.py")):
            name = path.relative_to(SOURCE).as_posix()
            if faults := faults_of(path.read_bytes()):
                found[name] = faults
    assert {name: faults for name, faults in found.items() if name not in OTHERWISE} == {}
    assert found.keys() >= OTHERWISE.keys()  # a file that opens nothing any more is taken off the list


@each(
    "text",
    [
        "open(path)",
        "with open(path, 'rb') as file: pass",
        "open(name)",
        "import io; io.open(path)",
        "import os; os.open(path, os.O_RDONLY)",
        "os.fdopen(3)",
        "from os import open as o",
        "from io import open",
        "path.read_text()",
        "Path(path).read_bytes()",
        "(folder / name).write_text('x')",
        "path.open()",
        "opener = open",
        "flags = os.O_RDONLY",
        "os.listdir(path)",
        "shutil.copyfile(a, b)",
    ],
)
def test_the_probe_sees(text: str) -> None:
    assert faults_of(text)


@each(
    "text",
    [
        "safe_files.reading(path)",
        "open(safe_files.writing(path), 'wb')",
        "place.open()",
        "open(descriptor, 'rb')",
    ],
)
def test_the_probe_lets(text: str) -> None:
    assert faults_of(text) == []
