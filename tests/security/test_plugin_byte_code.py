"""What runs of an extractor is the source that was allowed: compiled files are neither read nor written."""

from __future__ import annotations

import colorsys
import importlib.util
import os
import py_compile
from pathlib import Path

import pytest
from cases import each
from installing import Place, install

SPECS = """\
CONTRACT = 1
SOURCE = 'response'
OPTIONS = {}
def facts(options): return [{'name': 'n', 'type': 'count'}]
"""
CHANGED = "`acme.sonar`: the distribution `acme-sonar` changed since you allowed it"


def says(what: str, imports: str = "") -> str:
    """Return the code of an extractor whose only fact is unknown, for a reason."""
    return f"{SPECS}def extract(source, options): return {{'n': {{'unknown': {what!r}}}}}\n{imports}"


def plant(place: Place, source: Path, compiled: Path) -> None:
    """Put code that leaves a trace where Python would look for that of a source; it fits any source."""
    evil = place.folder / "evil.py"
    evil.write_text(place.traced(says("planted")))
    compiled.parent.mkdir(parents=True, exist_ok=True)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(evil), str(compiled), str(source), doraise=True, invalidation_mode=mode)


def below(folder: Path, source: Path) -> Path:
    """Return where Python with `folder` as its prefix looks for the compiled file of a source."""
    name = Path(importlib.util.cache_from_source(str(source))).name
    return folder.joinpath(*source.parts[1:-1], name)


def beside(source: Path) -> Path:
    """Return where Python without a prefix looks for it."""
    return source.parent / "__pycache__" / below(Path(), source).name


@each("variable", ["EXITGATE_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPYCACHEPREFIX"])
@each("planted", ["extractor", "package", "library"])
def test_compiled_files_that_a_project_brings_never_run(
    variable: str, planted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    package = install(place.site, says("the source", "import colorsys\n"))
    source = {
        "extractor": package / "extractor.py",
        "package": package / "__init__.py",
        "library": Path(colorsys.__file__),
    }[planted]
    cache = place.project / ".cache"
    for one in (".", "exitgate", "plugin-code", "exitgate/plugin-code"):
        plant(place, source, below(cache / one, source))
    monkeypatch.delenv("EXITGATE_CACHE_DIR")
    monkeypatch.setenv(variable, str(cache))
    place.allow()
    assert place.asked() == "the source"
    assert not place.trace.exists()


@each("where", ["extractor", "package", "dependency", "module without source", "folder of compiled files"])
def test_compiled_files_beside_the_sources_never_run(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    (place.site / "needed.py").write_text("")
    imports = {
        "dependency": "import needed\n",
        "module without source": "try: import acme_sonar.more\nexcept ImportError: pass\n",
        "folder of compiled files": "try: import acme_sonar.__pycache__.more\nexcept ImportError: pass\n",
    }
    package = install(place.site, says("the source", imports.get(where, "")))
    source, compiled = {
        "extractor": (package / "extractor.py", beside(package / "extractor.py")),
        "package": (package / "__init__.py", beside(package / "__init__.py")),
        "dependency": (place.site / "needed.py", beside(place.site / "needed.py")),
        "module without source": (package / "more.py", package / "more.pyc"),
        "folder of compiled files": (package / "more.py", package / "__pycache__" / "more.pyc"),
    }[where]
    if where == "module without source":
        plant(place, source, compiled)  # of the distribution, so it is allowed, and not run all the same
    place.allow()
    plant(place, source, compiled)
    if where == "module without source":
        place.allow()
    assert place.asked() == "the source"
    assert not place.trace.exists()


def test_an_edit_in_the_same_second_and_of_the_same_size_runs_once_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(place.home / "cache"))
    module = install(place.site, says("one")) / "extractor.py"
    was = module.stat()
    py_compile.compile(str(module), doraise=True)  # as pip does
    place.allow()
    assert place.asked() == "one"
    module.write_text(says("two"))
    os.utime(module, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert module.stat().st_size == was.st_size
    assert place.asked() == CHANGED
    place.allow()
    assert place.asked() == "two"


def test_no_compiled_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, monkeypatch)
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(place.home / "cache"))
    (place.site / "needed.py").write_text("")
    install(place.site, says("the source", "import needed\n"))
    place.allow()
    assert place.asked() == "the source"
    assert list(tmp_path.rglob("*.pyc")) == []


@each("name", ["more.py", "more.so", "more.pyc.py", "deep/more.py", "more.pyc/__init__.py"])
def test_other_files_in_a_folder_of_compiled_files_count(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    package = install(place.site, says("the source"))
    place.allow()
    (package / "__pycache__").mkdir()
    for passed_over in ("more.cpython-311.pyc", "more.cpython-311.opt-1.pyc", "more.cpython-311.pyc.4711"):
        (package / "__pycache__" / passed_over).write_bytes(b"")
    assert place.asked() == "the source"
    more = package / "__pycache__" / name
    more.parent.mkdir(parents=True, exist_ok=True)
    more.write_text(place.traced())
    assert place.asked() == CHANGED


def test_a_module_that_takes_the_place_of_the_package_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package without `__init__.py` comes after a module of its name, which no digest covers."""
    place = Place(tmp_path, monkeypatch)
    package = install(place.site, says("the source"))
    (package / "__init__.py").unlink()
    place.allow()
    assert place.asked() == "the source"
    (place.site / "acme_sonar.py").write_text(place.traced())
    assert "which is not of the distribution" in place.asked()
    assert not place.trace.exists()
