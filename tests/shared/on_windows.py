"""
A program that runs commands of exitgate as if this system were Windows, and prints what came of them.

Python starts as usual and loads what does not belong to exitgate. Then everything goes that Windows does not
have: modules, names of `os` and `signal`, descriptors of folders, links that are not followed. Files behave
as there: an open one is neither replaced nor removed, and none is opened as text by mistake. Locks are those
of `msvcrt`. What it cannot show: backslashes and drives in paths.

stdin: {"words": [[WORD, ...], ...], "encoding": NAME, "gone": {MODULE: [NAME, ...]}, "modules": [NAME, ...]}.
stdout: a list of [exit code, stdout, stderr].
"""

import builtins
import errno
import fcntl
import importlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

#: What does not belong to exitgate, and asks for the platform when it is loaded.
OTHERS = (
    "asyncio", "click", "fsspec.implementations.local", "jinja2", "jsonschema", "lark", "msgspec",
    "platformdirs", "rapidfuzz", "re2", "rich.console", "simpleeval", "structlog", "yaml",
)  # fmt: skip
for name in OTHERS:
    importlib.import_module(name)

asked = json.load(sys.stdin)
flock, BUSY, readlink, listed = fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB, os.readlink, os.listdir
UNLOCK = fcntl.LOCK_UN


def locking(descriptor: int, mode: int, _: int) -> None:
    """Lock as msvcrt does: another error than elsewhere says that somebody has it."""
    try:
        flock(descriptor, UNLOCK if mode == 0 else BUSY)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


def is_open(path: str) -> bool:
    """Return whether this process has a file open."""
    goal = os.path.realpath(path)
    for name in listed("/proc/self/fd"):
        try:
            if readlink(f"/proc/self/fd/{name}") == goal:
                return True
        except OSError:
            continue
    return False


def without_folders(name: str, function: object) -> object:
    """Return a function of `os` that takes no descriptor of a folder, and follows links."""

    def narrower(*words: object, **named: object) -> object:
        for key in ("dir_fd", "src_dir_fd", "dst_dir_fd"):
            if named.get(key) is not None:
                raise NotImplementedError(f"{key} unavailable on this platform")
        if name in ("utime", "chmod") and named.get("follow_symlinks") is False:
            raise NotImplementedError("follow_symlinks unavailable on this platform")
        if name in ("listdir", "scandir") and words and isinstance(words[0], int):
            raise TypeError("listdir: path should be string, bytes, os.PathLike or None, not int")
        if name == "open":
            if os.path.isdir(words[0]):
                raise PermissionError(errno.EACCES, "Permission denied", words[0])
            assert words[1] & os.O_BINARY or words[0] == os.devnull, f"{words[0]} is opened as text"
        if name in ("replace", "rename", "unlink", "remove") and any(is_open(one) for one in words):
            raise PermissionError(errno.EACCES, "The process cannot access the file", words[0])
        return function(*words, **named)

    return narrower


def opened(file: object, mode: str = "r", *words: object, **named: object) -> object:
    """Open a file, none of exitgate's as text in what encoding and with what line ends Windows likes."""
    caller = sys._getframe(1).f_globals.get("__name__", "")
    if caller.startswith("exitgate") and "b" not in mode:
        assert "encoding" in named, f"{caller} opens {file} in any encoding"
        assert "newline" in named or mode == "r", f"{caller} writes {file} with line ends of Windows"
    return real_open(file, mode, *words, **named)


own = types.ModuleType("os")
own.__dict__.update(os.__dict__)
own_signal = types.ModuleType("signal")
own_signal.__dict__.update(sys.modules["signal"].__dict__)
# What Python itself needs to work on this system after all.
for module in (subprocess, shutil, tempfile, pathlib):
    module.__dict__.update({name: own for name in ("os", "_os") if name in module.__dict__})
subprocess.signal = own_signal
real_open = builtins.open
builtins.open = opened
for name in (
    "open",
    "stat",
    "unlink",
    "remove",
    "replace",
    "rename",
    "utime",
    "mkdir",
    "chmod",
    "listdir",
    "scandir",
):
    setattr(os, name, without_folders(name, getattr(os, name)))
for module, names in asked["gone"].items():
    for name in names:
        if name in sys.modules[module].__dict__:
            delattr(sys.modules[module], name)
for name in asked["modules"]:
    sys.modules[name] = None
os.O_BINARY = 0x8000
os.name, sys.platform = "nt", "win32"
msvcrt = types.ModuleType("msvcrt")
msvcrt.locking = locking
msvcrt.LK_UNLCK, msvcrt.LK_LOCK, msvcrt.LK_NBLCK, msvcrt.LK_RLCK, msvcrt.LK_NBRLCK = range(5)
sys.modules["msvcrt"] = msvcrt

from exitgate.cli.main import main  # noqa: E402


def ran(words: list[str]) -> list[object]:
    """Run a command and return its exit code and what it wrote."""
    kept = sys.stdin, sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=asked["encoding"], newline="\n") for _ in range(2))
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), out, err
    try:
        code = main(words)
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    out.flush()
    err.flush()
    return [code, *(one.buffer.getvalue().decode(asked["encoding"]) for one in (out, err))]


answers = [ran(words) for words in asked["words"]]
json.dump(
    {"answers": answers, "loaded": sorted(name for name in sys.modules if name.startswith("exitgate"))},
    sys.stdout,
)
