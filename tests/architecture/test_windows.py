"""
What Windows does not have is named in `exitgate.core.system.portable`, and in what needs WSL there, alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import posix_only
from cases import each

SOURCE = Path(__file__).parents[2] / "src/exitgate"
#: Files that may name it, each with why Windows never gets there.
ALLOWED = {
    "core/system/portable.py": "asks for the platform",
    # core/system/child.py: does it otherwise on Windows
    "cli/commands/repl.py": "completes names where this Python has readline",
    "core/system/child.py": "refuses on Windows to leave a program to itself",
    "hosts/shim/server.py": "`shim` needs WSL",
    "hosts/loop/child.py": "`run` needs WSL",
    "core/system/process_group.py": "`run` needs WSL",
    "core/plugins/child.py": "does without on Windows",
    "core/probes/turn.py": "ends nothing on Windows",
    "core/probes/running.py": "ends only the program itself on Windows",
    "core/system/processes.py": "its callers do otherwise on Windows, or need WSL",
    "surfaces/resident/alike.py": "`serve` needs WSL",
    "surfaces/resident/client.py": "`serve` needs WSL",
    "surfaces/resident/protocol.py": "`serve` needs WSL",
    "surfaces/resident/served.py": "`serve` needs WSL",
    "surfaces/resident/server.py": "`serve` needs WSL",
    "surfaces/resident/warm.py": "`serve` needs WSL",
    "hosts/loop/run_lock.py": "`run` needs WSL",
    "hosts/loop/resume.py": "`run` needs WSL",
    "hosts/loop/signals.py": "`run` needs WSL",
    "surfaces/watch/notify.py": "`watch` needs WSL",
    "surfaces/watch/wakeups.py": "`watch` needs WSL",
    "recordings/readers/git_history/commits.py": "reads from git otherwise on Windows",
}
#: Arguments that Windows refuses, and modules that take sockets alone there.
ARGUMENTS = frozenset(("dir_fd", "src_dir_fd", "dst_dir_fd", "preexec_fn", "pass_fds"))
SOCKETS = frozenset(("select", "selectors"))
#: Guarded by their own words: `getattr(os, "O_…", 0)` finds nothing on Windows.
BY_NAME = frozenset(("core/system/safe_files.py", "cli/byte_code.py"))
#: Replaces a file that others may have open: only `exitgate.core.system.portable` tries again.
REPLACES = frozenset(("replace", "rename", "renames"))
#: `os.path.relpath` raises between two drives, and names differ in case: see `exitgate.core.system.portable`.
PATHS = (r"os\.path\.relpath", r"\+ os\.sep")
#: Writes text with the line ends of the system, unless told otherwise, by its mode.
TEXT_MODE = re.compile(r"[wax]\+?t?|r\+t?")


def _suspect() -> re.Pattern[str]:
    """Return what a file with a fault has in it, to parse no other."""
    modules = "|".join((*posix_only.modules(), *SOCKETS))
    named = (
        rf"\b{owner}\.(?:{'|'.join(posix_only.names(owner) | REPLACES)})\b" for owner in posix_only.PARTLY
    )
    some = rf"\bfrom (?:{'|'.join(posix_only.PARTLY)}) import"
    calls = r"open\(|(?:read|write)_text|TemporaryFile"
    return re.compile(
        "|".join((rf"\b(?:import|from) (?:.*, *)?(?:{modules})\b", *named, some, *ARGUMENTS, *PATHS, calls))
    )


SUSPECT = _suspect()


def faults_of(tree: ast.AST) -> Iterator[str]:
    """Yield what of a file Windows does not have, or does otherwise."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if _lacks(one.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            if _lacks(module):
                yield module
            if module in posix_only.PARTLY:
                gone = posix_only.names(module)
                yield from (f"{module}.{one.name}" for one in node.names if one.name in gone)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "os.path.relpath":
            yield "os.path.relpath"
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and ast.unparse(node.right) == "os.sep"
        ):
            yield "+ os.sep"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            if owner in posix_only.PARTLY and node.attr in posix_only.names(owner):
                yield f"{owner}.{node.attr}"
            elif owner == "os" and node.attr in REPLACES:
                yield f"os.{node.attr}"
        elif isinstance(node, ast.Call):
            yield from (one.arg for one in node.keywords if one.arg in ARGUMENTS and not _is_none(one.value))
            yield from _text_written(node)


def _lacks(module: str) -> bool:
    first = module.partition(".")[0]
    return first in posix_only.modules() or first in SOCKETS


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _text_written(call: ast.Call) -> Iterator[str]:
    """Yield a call that writes text with whatever line ends or encoding the system has."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    given = {one.arg for one in call.keywords}
    if isinstance(call.func, ast.Attribute) and name in ("write_text", "read_text"):
        wanted = {"encoding"} if name == "read_text" else {"encoding", "newline"}
        metadata = ast.unparse(call.func.value).startswith("distribution(")
        if not (wanted <= given or metadata):
            yield f"{name} with the system's line ends or encoding"
    if name not in ("open", "fdopen", "NamedTemporaryFile", "TemporaryFile"):
        return
    of_path = name == "open" and isinstance(call.func, ast.Attribute)
    words = call.args if of_path else call.args[1:]
    modes = (*words[:1], *(one.value for one in call.keywords if one.arg == "mode"))
    texts = [one.value for one in modes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if any(TEXT_MODE.fullmatch(one) for one in texts) and not {"newline", "encoding"} <= given:
        yield f"{name} to write with the system's line ends or encoding"


def test_what_windows_lacks_is_named_in_one_place() -> None:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        if SUSPECT.search(text) and (faults := sorted(set(faults_of(ast.parse(text))))):
            found[name] = faults
    assert {name: faults for name, faults in found.items() if name not in ALLOWED} == {}
    assert found.keys() >= ALLOWED.keys()  # a file that needs nothing of it any more is taken off the list


@each("code", [
    "import fcntl", "from termios import tcgetattr", "import pwd", "import resource", "import pty",
    "import select",
    "os.geteuid()", "os.getuid()", "os.fork()", "os.killpg(1, 2)", "os.set_blocking(0, False)",
    "os.pread(0, 1, 2)",
    "signal.SIGKILL", "from signal import SIGKILL", "from os import O_NOFOLLOW", "os.O_CLOEXEC", "os.WNOHANG",
    "os.stat(a, dir_fd=b)", "os.replace(a, b)", "os.uname()", "time.tzset()", "os.register_at_fork()",
    "open(a, 'w')", "open(a, 'w', encoding='utf-8')", "a.write_text(b)", "a.open('x')", "a.read_text()",
    "subprocess.Popen(a, preexec_fn=b)", "os.fdopen(a, 'w')", "os.path.relpath(a)",
    "a.startswith(b + os.sep)", "from selectors import DefaultSelector",
])  # fmt: skip
def test_the_probe_sees(code: str) -> None:
    assert SUSPECT.search(code)
    assert list(faults_of(ast.parse(code)))


@each("code", [
    "os.open(a, os.O_RDONLY)", "signal.SIGINT", "os.stat(a)", "open(a, 'wb')", "open(a)", "a.open('rb')",
    "os.getpid()",
    "open(a, 'w', encoding='utf-8', newline='')", "f(dir_fd=None)", "getattr(os, 'O_NOFOLLOW', 0)",
])  # fmt: skip
def test_the_probe_lets(code: str) -> None:
    assert list(faults_of(ast.parse(code))) == []
