"""Own modules by the short way to their byte code: the same modules, and never an old one."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from exitgate.cli.byte_code import Finder

TAG = str(sys.implementation.cache_tag)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "exitgate"
    (root / "room").mkdir(parents=True)
    (root / "room" / "__init__.py").write_text("")
    (root / "room" / "one.py").write_text("VALUE = 1\n")
    for source in root.rglob("*.py"):
        py_compile.compile(str(source), doraise=True)
    return root


def test_modules_and_packages_are_found(package: Path) -> None:
    finder = Finder(str(package), TAG)
    spec = finder.find_spec("exitgate.room.one")
    assert spec is not None
    assert spec.origin == str(package / "room" / "one.py")
    assert spec.submodule_search_locations is None
    room = finder.find_spec("exitgate.room")
    assert room is not None
    assert room.submodule_search_locations == [str(package / "room")]
    for name in ("exitgate", "exitgates.room", "json", "exitgate.room.two", "exitgate.room.one.two"):
        assert finder.find_spec(name) is None


def test_old_damaged_and_foreign_byte_code_is_left_to_python(package: Path) -> None:
    finder = Finder(str(package), TAG)
    source = package / "room" / "one.py"
    compiled = Path(py_compile.compile(str(source), doraise=True) or "")
    good = compiled.read_bytes()
    for raw in (b"", good[:10], b"\0" * 16 + good[16:], good[:4] + b"\1" + good[5:]):
        compiled.write_bytes(raw)
        assert finder.find_spec("exitgate.room.one") is None
    compiled.write_bytes(good)
    assert finder.find_spec("exitgate.room.one") is not None
    source.write_text("VALUE = 22\n")
    assert finder.find_spec("exitgate.room.one") is None
    source.write_text("VALUE = 1\n")
    os.utime(source, (1, 1))
    assert finder.find_spec("exitgate.room.one") is None
    # compiled for another place: tracebacks would name files that are not there
    moved = package.rename(package.with_name("moved"))
    assert Finder(str(moved), TAG).find_spec("exitgate.room.one") is None


def run(code: str, *flags: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    words = [sys.executable, *flags, "-c", code]
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)


def test_modules_are_whole() -> None:
    code = (
        "import exitgate.cli.main as m, exitgate.core.gate as g, inspect\n"
        "print(m.__name__, m.__package__, m.__file__ == m.__spec__.origin, m.__cached__.endswith('.pyc'),"
        " g.__path__ == [g.__file__[:-12]], 'def main' in inspect.getsource(m))"
    )
    assert run(code).stdout.split() == ["exitgate.cli.main", "exitgate.cli", "True", "True", "True", "True"]
    assert run(code, "-O").stdout.split()[-1] == "True"


WORDS = (
    "import sys; sys.argv = ['exitgate', '--version']; from exitgate.cli.main import main; sys.exit(main())"
)


def test_the_end_is_regular_where_somebody_waits_for_it() -> None:
    assert run(WORDS).stdout.startswith("exitgate")
    waiting = f"import atexit; atexit.register(print, 'last words'); {WORDS}"
    assert run(waiting).stdout.endswith("last words\n")
    traced = f"import sys; sys.setprofile(lambda *a: None); import weakref, sys; {WORDS}"
    assert run(traced).returncode == 0


def test_words_of_a_caller_never_end_the_process() -> None:
    code = "from exitgate.cli.main import main; code = main(['--version']); print('still here', code)"
    assert run(code).stdout.endswith("still here 0\n")
