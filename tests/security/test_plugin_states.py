"""`exitgate plugins list` and a check agree on what may run, whatever has become of what was installed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from installing import POLICY, Place, install

from exitgate.cli.main import main
from exitgate.core.model.diagnostic import ExitgateError

OTHER = "acme-fine"


def info(place: Place, name: str = "acme_sonar") -> Path:
    return place.site / f"{name}-1.0.0.dist-info"


def points(place: Place) -> Path:
    return info(place) / "entry_points.txt"


def instead(path: Path, put: Callable[[Path], object]) -> None:
    path.unlink()
    put(path)


def bound(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)
    os.chdir(here)


def edited(place: Place) -> None:
    module = place.site / "acme_sonar" / "extractor.py"
    module.write_text(module.read_text() + "\n")


def upgraded(place: Place) -> None:
    head = info(place) / "METADATA"
    head.write_text(head.read_text().replace("1.0.0", "2.0.0"))


def same_id(place: Place) -> None:
    install(place.site, name="acme-other", package="acme_other")


def same_name_before(place: Place) -> None:
    (place.folder / "first").mkdir()
    install(place.folder / "first")
    place.on_path(place.folder / "first")


def twice(place: Place) -> None:
    shutil.copytree(info(place), place.site / "acme_sonar-0.9.0.dist-info")


def uninstalled(place: Place) -> None:
    shutil.rmtree(info(place))


def compiled_only(place: Place) -> None:
    import py_compile

    module = place.site / "acme_sonar" / "extractor.py"
    py_compile.compile(str(module), str(module.with_suffix(".pyc")))
    module.unlink()


def pointed(text: str) -> Callable[[Place], None]:
    return lambda place: (points(place).write_text(f"[exitgate.extractors]\n{text}\n"), None)[1]


#: What happened after it was allowed -> codes of a check; a list says "allowed" with none of them alone.
STATES: dict[str, tuple[Callable[[Place], object], str]] = {
    "as it was": (lambda place: None, ""),
    "touched": (lambda place: (place.site / "acme_sonar" / "extractor.py").touch(), ""),
    "compiled beside it": (lambda place: (place.site / "acme_sonar" / "x.pyc").write_bytes(b"x"), "EP893"),
    "edited": (edited, "EP893"),
    "another version": (upgraded, "EP893"),
    "not allowed": (lambda place: main(["plugins", "remove", "acme-sonar"]), "EP890"),
    "another of the same id": (same_id, "EP891"),
    "another of the same name first": (same_name_before, "EP893"),
    "two folders of metadata": (twice, "EP892"),
    "uninstalled": (uninstalled, "EP891"),
    "a file is missing": (lambda place: (place.site / "acme_sonar" / "__init__.py").unlink(), "EP893"),
    "its module is missing": (lambda place: (place.site / "acme_sonar" / "extractor.py").unlink(), "EP892"),
    "compiled only": (compiled_only, "EP892"),
    "a pipe among its files": (lambda place: os.mkfifo(place.site / "acme_sonar" / "pipe"), "EP893"),
    "a module that is a pipe": (
        lambda place: instead(place.site / "acme_sonar" / "extractor.py", os.mkfifo), "EP892"),
    "a module as large as can be": (
        lambda place: os.truncate(place.site / "acme_sonar" / "__init__.py", 10**9), "EP893"),
    "no list of files": (lambda place: (info(place) / "RECORD").unlink(), "EP892"),
    "a list of files that is a pipe": (lambda place: instead(info(place) / "RECORD", os.mkfifo), "EP892"),
    "a list of files with a NUL": (lambda place: (info(place) / "RECORD").write_bytes(b"a\0b,,\n"), "EP892"),
    "no metadata": (lambda place: (info(place) / "METADATA").unlink(), "EP892"),
    "metadata that is a pipe": (lambda place: instead(info(place) / "METADATA", os.mkfifo), "EP892"),
    "metadata that is not UTF-8": (lambda place: (info(place) / "METADATA").write_bytes(b"\xff"), "EP892"),
    "a name with colours": (
        lambda place: (info(place) / "METADATA").write_text("Name: \x1b[31mred\nVersion: 1\n"), "EP892"),
    "points that are not UTF-8": (
        lambda place: points(place).write_bytes(b"[exitgate.extractors]\nacme.sonar = \xff\n"), "EP891"),
    "points that are a pipe": (lambda place: instead(points(place), os.mkfifo), "EP891"),
    "points that are a socket": (lambda place: instead(points(place), bound), "EP891"),
    "points that are a folder": (lambda place: instead(points(place), os.mkdir), "EP891"),
    "points that are a device": (
        lambda place: instead(points(place), lambda path: path.symlink_to("/dev/zero")), "EP891"),
    "points that lead to a pipe": (
        lambda place: (os.mkfifo(place.folder / "pipe"),
                       instead(points(place), lambda path: path.symlink_to(place.folder / "pipe"))), "EP891"),
    "points that lead nowhere": (
        lambda place: instead(points(place), lambda path: path.symlink_to(place.folder / "no")), "EP891"),
    "points elsewhere": (
        lambda place: (points(place).rename(place.folder / "points"),
                       points(place).symlink_to(place.folder / "points")), "EP893"),
    "points without end": (lambda place: os.truncate(points(place), 10**10), "EP891"),
    "points of nothing": (lambda place: points(place).write_text(""), "EP891"),
    "a line that is no point": (pointed("acme.sonar = acme_sonar.extractor\nwhat"), "EP892"),
    "a point twice": (pointed("acme.sonar = acme_sonar.extractor\nacme.sonar = os"), "EP892"),
    "a point to nothing": (pointed("acme.sonar ="), "EP892"),
    "a point to a function": (pointed("acme.sonar = acme_sonar.extractor:facts"), "EP892"),
    "a point to another package": (pointed("acme.sonar = os.path"), "EP892"),
    "a point to no module": (pointed("acme.sonar = acme_sonar.other"), "EP892"),
    "a point with a dash": (pointed("acme.sonar = acme_sonar.extractor\nacme.so-nar = os"), "EP892"),
    "a point without a dot": (pointed("sonar = acme_sonar.extractor"), "EP891"),
    "a point to another module": (pointed("acme.sonar = acme_sonar"), "EP893"),
}  # fmt: skip


@each("what", STATES)
def test_what_the_list_says_is_what_a_check_does(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path, monkeypatch)
    install(place.site)
    fine(place)
    assert place.allow(OTHER) == 0
    happen, code = STATES[what]
    happen(place)
    capsys.readouterr()
    assert main(["plugins", "list", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    said = {row["state"] for row in rows if row["distribution"].startswith(("acme-sonar", "acme_sonar"))}
    try:
        place.check()
        found = ""
    except ExitgateError as error:
        assert [one.code for one in error.diagnostics] == [code]
        found = error.diagnostics[0].code
        assert error.exit_code == 65
    assert found == code
    assert ("allowed" in said) == (code == ""), said
    assert main(["plugins", "list"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    # others go on
    assert {row["state"] for row in rows if row["distribution"] == OTHER} == {"allowed"}
    place.write(POLICY.replace("acme.sonar", "acme.fine"))
    assert place.check()["rule"] == "worse"


def fine(place: Place) -> None:
    """Install another distribution with an extractor of its own."""
    install(place.site, name=OTHER, package="acme_fine")
    there = info(place, "acme_fine") / "entry_points.txt"
    there.write_text("[exitgate.extractors]\nacme.fine = acme_fine.extractor\n")


FAILS = {
    "raises": ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
    "lacks a package": ("import acme_absent", "ModuleNotFoundError: No module named 'acme_absent'"),
    "is not Python": ("def facts(", "SyntaxError"),
    "exits": ("import os; os._exit(0)", "its process ended without an answer"),
    "describes nothing": ("x = 1", "AttributeError"),
    "another contract": ("CONTRACT = 7; SOURCE = 'output'; OPTIONS = {}", "its `CONTRACT` is not 1"),
    "options that cannot be checked": (
        "CONTRACT = 1; SOURCE = 'output'; OPTIONS = {'a': {'pattern': '^(a+)+$'}}", "`pattern`"),
}  # fmt: skip


@each("what", FAILS)
def test_the_list_says_that_what_is_allowed_fails(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path, monkeypatch)
    code, why = FAILS[what]
    install(place.site, f"{place.traced()}{code}\n")
    capsys.readouterr()

    def told() -> str:
        assert main(["plugins", "list", "--format", "json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        return str(row["state"])

    assert told() == "not allowed"
    assert not place.trace.exists(), "what is not allowed is not imported to be listed"
    assert place.allow() == 0
    assert not place.trace.exists()
    capsys.readouterr()
    said = told()
    assert place.trace.exists() is (why != "SyntaxError")
    assert said.startswith("allowed, but `acme.sonar` cannot be used: ")
    assert why in said
    place.trace.unlink(missing_ok=True)
    with pytest.raises(ExitgateError) as caught:  # a check says the same
        place.check()
    assert [one.code for one in caught.value.diagnostics] == ["EP894"]
    assert said.partition("cannot be used: ")[2] in caught.value.diagnostics[0].message


NAMES = (
    "sonar",
    "Acme.sonar",
    "acme.",
    ".sonar",
    "acme..sonar",
    "acme.1",
    "acme.so-nar",
    "a.b c",
    "\xe4cme.b",
)


@each("name", NAMES)
def test_an_id_that_no_policy_could_name_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path, monkeypatch)
    install(place.site)
    pointed(f"{name} = acme_sonar.extractor")(place)
    assert place.allow() == 66
    told = " ".join(capsys.readouterr().err.split())
    assert f"names an extractor `{name}`: an id is two or more names with dots" in told
    pointed("a.b1.c_d = acme_sonar.extractor")(place)
    assert place.allow() == 0


def test_a_distribution_is_one_however_its_name_is_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    install(place.site)
    assert main(["plugins", "allow", "Acme_Sonar"]) == 0
    assert place.check()["rule"] == "worse"
    assert main(["plugins", "remove", "ACME.sonar"]) == 0
    assert "EP890" in place.refused()


def test_who_changes_permissions_at_once_loses_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, monkeypatch)
    names = [f"acme-n{number}" for number in range(6)]
    for name in names:
        package = name.replace("-", "_")
        install(place.site, name=name, package=package)
        there = place.site / f"{package}-1.0.0.dist-info" / "entry_points.txt"
        there.write_text(f"[exitgate.extractors]\n{package.replace('_', '.')} = {package}.extractor\n")
    assert main(["plugins", "allow", *names[:3]]) == 0
    words = [["remove", name] for name in names[:3]] + [["allow", name] for name in names[3:]]
    code = f"import sys; sys.path.insert(0, {str(place.site)!r}); from exitgate.cli.main import main; "
    started = [
        subprocess.Popen([sys.executable, "-c", code + f"sys.exit(main({['plugins', *one]!r}))"])
        for one in words
    ]
    assert [one.wait(60) for one in started] == [0] * len(words)
    file = place.home / "config" / "exitgate" / "plugins.json"
    assert sorted(json.loads(file.read_text())["allowed"]) == names[3:]
