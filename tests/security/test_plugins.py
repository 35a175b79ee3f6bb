"""Extractors of other packages: they run only as the user allowed them, and never from inside the project."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from cases import each
from installing import CLEAN, EXAMPLE, POLICY, REPORT, Place, install

from exitgate.cli.main import main
from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.request import Request


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_without_permission_nothing_runs_and_the_line_to_write_is_told(place: Place) -> None:
    install(place.site, place.traced())
    told = place.refused()
    assert told.startswith("EP890")
    assert "exitgate plugins allow acme-sonar" in told


def test_with_permission_its_facts_decide_with_their_evidence(place: Place) -> None:
    install(place.site)
    assert place.allow() == 0
    assert place.check() == {"quality.issues": 2, "quality.worst": "BLOCKER", "rule": "worse"}
    assert place.check(CLEAN)["rule"] == "clean"
    assert place.check("no JSON")["rule"] is None


def test_its_options_are_held_to_its_schemas(place: Place) -> None:
    install(place.site)
    place.allow()
    place.write(POLICY.replace("from: response", "from: response, at_least: blocker"))
    assert place.check()["quality.issues"] == 1
    place.write(POLICY.replace("from: response", "at_most: 3"))
    assert "EP471" in place.refused()
    place.write(POLICY.replace("from: response", "at_least: huge"))
    assert "at_least" in place.refused() or "huge" in place.refused()


def test_the_policy_of_the_example_reads_a_file_of_the_project(place: Place) -> None:
    install(place.site)
    place.allow()
    place.write((EXAMPLE / "policy.yaml").read_text())
    (place.project / "build").mkdir()
    (place.project / "build" / "sonar.json").write_text(CLEAN)
    assert place.check()["rule"] == "clean"
    (place.project / "build" / "sonar.json").unlink()
    (place.project / "build" / "sonar.json").symlink_to("/etc/hostname")
    assert "leads out of the project" in place.why()


def test_the_example_passes_its_own_test() -> None:
    sys.path.insert(0, str(EXAMPLE))
    try:
        space: dict[str, object] = {}
        exec(compile((EXAMPLE / "test_extractor.py").read_text(), "test_extractor.py", "exec"), space)
        tests = [one for name, one in space.items() if name.startswith("test_")]
        for one in tests:
            one()  # type: ignore[operator]
    finally:
        sys.path.remove(str(EXAMPLE))
        for name in [name for name in sys.modules if name.startswith("acme_sonar")]:
            del sys.modules[name]
    assert len(tests) == 3


@each("where", ["beside", "egg", "PYTHONPATH", "venv", "root", "linked"])
def test_nothing_planted_in_the_project_runs_even_where_its_name_is_allowed(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    planted = {"venv": place.project / ".venv/lib/python3.11/site-packages"}.get(where, place.project)
    planted.mkdir(parents=True, exist_ok=True)
    if where == "linked":  # a folder outside that a link inside the project leads to is still named inside
        (place.folder / "other").mkdir()
        install(place.folder / "other", place.traced())
        (place.project / "lib").symlink_to(place.folder / "other")
        planted = place.project / "lib"
    else:
        install(planted, place.traced())
    if where == "egg":
        info = next(planted.glob("*.dist-info"))
        egg = planted / "exitgate_plugin.egg-info"
        info.rename(egg)
        (egg / "PKG-INFO").write_text((egg / "METADATA").read_text())
        (egg / "SOURCES.txt").write_text("acme_sonar/__init__.py\nacme_sonar/extractor.py\n")
    if where != "root":
        place.on_path(planted)
    else:
        monkeypatch.setattr(sys, "path", ["", ".", *sys.path])
    assert "EP891" in place.refused()
    assert place.allow() == 66
    install(place.site)  # now the right one is there, too, and allowed
    assert place.allow() == 0
    assert place.check()["rule"] == "worse"
    assert not place.trace.exists()


def test_the_project_of_a_check_made_from_elsewhere_counts(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may ask about a project that it is not in, by a policy that is not in it either."""
    inside = place.project / "lib"
    inside.mkdir()
    install(inside, place.traced())
    place.on_path(inside)
    monkeypatch.chdir(place.home)
    assert place.allow() == 0
    (place.home / "policy.yaml").write_text(POLICY)
    with pytest.raises(ExitgateError) as caught:
        check(Request(policy=str(place.home / "policy.yaml"), root=str(place.project), record=False))
    assert caught.value.diagnostics[0].code == "EP891"
    assert not place.trace.exists()


def test_a_permission_of_the_same_name_holds_for_its_place_alone(place: Place) -> None:
    install(place.site)
    place.allow()
    other = place.folder / "elsewhere"
    other.mkdir()
    install(other, place.traced())
    place.on_path(other)
    assert "EP893" in place.refused()


@each("change", ["code", "new file", "link", "link to folder", "entry point", "gone", "same size and time"])
def test_a_change_after_it_was_allowed_ends_the_permission(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    package = install(place.site)
    place.allow()
    assert place.check()["rule"] == "worse"  # compiled, and kept in the cache
    module = package / "extractor.py"
    was = module.stat()
    if change == "code":
        module.write_text(place.traced(module.read_text()))
    elif change == "new file":
        (package / "more.py").write_text(place.traced())
    elif change == "link":
        module.rename(place.folder / "moved.py")
        module.symlink_to(place.folder / "moved.py")
    elif change == "link to folder":
        package.rename(place.folder / "moved")
        package.symlink_to(place.folder / "moved")
    elif change == "entry point":
        points = next(place.site.glob("*.dist-info")) / "entry_points.txt"
        points.write_text(points.read_text() + "acme.other = acme_sonar.other\n")
    elif change == "gone":
        module.unlink()
    else:
        module.write_text(module.read_text().replace('SOURCE = "sonar"', 'SOURCE = "SONAR"'))
        os.utime(module, ns=(was.st_atime_ns, was.st_mtime_ns))
        assert module.stat().st_size == was.st_size
    assert "acme-sonar" in place.why()
    assert not place.trace.exists()
    place.write(POLICY + "otherwise: continue\n")  # another policy, not in the cache
    assert "EP89" in place.refused()
    assert not place.trace.exists()


def test_what_only_looks_changed_is_read_and_found_the_same(place: Place) -> None:
    package = install(place.site)
    place.allow()
    (package / "extractor.py").touch()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "extractor.cpython-311.pyc").write_bytes(b"planted")
    assert place.check()["rule"] == "worse"


def test_a_permission_can_be_taken_back(place: Place) -> None:
    install(place.site)
    place.allow()
    assert place.check()["rule"] == "worse"
    assert main(["plugins", "remove", "acme-sonar"]) == 0
    assert "EP890" in place.refused()
    assert main(["plugins", "remove", "acme-sonar"]) == 66


def test_a_digest_that_is_asked_for_must_be_the_one(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    install(place.site)
    assert place.allow("--digest", "00") == 66
    digest = next(word for word in capsys.readouterr().err.split() if len(word) >= 64).strip(",")
    assert place.allow("--digest", digest) == 0
    assert main(["plugins", "list", "--format", "json"]) == 0
    out = capsys.readouterr().out
    (row,) = json.loads(out[out.index("[") :])
    assert (row["state"], row["digest"]) == ("allowed", digest)


@each("planted", ["project", "writable", "link", "broken", "other form"])
def test_only_the_users_own_file_gives_permission(
    planted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    install(place.site, place.traced())
    place.allow()
    file = place.home / "config" / "exitgate" / "plugins.json"
    if planted == "project":
        target = place.project / "config" / "exitgate"
        target.mkdir(parents=True)
        target.chmod(0o700)
        (target / "plugins.json").write_bytes(file.read_bytes())
        monkeypatch.setenv("XDG_CONFIG_HOME", str(place.project / "config"))
    elif planted == "writable":
        file.chmod(0o666)
    elif planted == "link":
        file.rename(place.folder / "real.json")
        file.symlink_to(place.folder / "real.json")
    else:
        file.write_text("{}" if planted == "broken" else '{"form": 2, "allowed": {}}')
        file.chmod(0o600)
    assert "EP890" in place.refused()


def test_no_setting_of_a_project_can_allow_one(place: Place) -> None:
    install(place.site, place.traced())
    (place.project / ".bb3").mkdir()
    for text in ("plugins: {acme-sonar: allow}", "exit_decision: {plugins: {allow: [acme-sonar]}}"):
        (place.project / ".bb3" / "config.yaml").write_text(text + "\n")
        place.refused()


def test_two_distributions_with_one_id_are_refused(place: Place) -> None:
    install(place.site)
    install(place.site, place.traced(), name="acme-other", package="acme_other")
    place.allow()
    assert "`acme-other` and `acme-sonar`" in place.refused()


def test_an_editable_or_unlisted_installation_is_refused(place: Place) -> None:
    install(place.site)
    info = next(place.site.glob("*.dist-info"))
    (info / "RECORD").write_text("acme_sonar-1.0.0.dist-info/METADATA,,\n")
    assert place.allow() == 66
    assert "EP892" in place.refused()


def test_editing_the_stored_policy_of_a_project_runs_nothing(place: Place) -> None:
    """What is compiled names a digest; the permission and the files decide."""
    install(place.site)
    place.allow()
    found = check(
        Request(policy=str(place.project / "policy.yaml"), record=False, texts={"response": REPORT})
    )
    plugin = dict(found.policy.extractions[0].options["(plug-in)"])  # type: ignore[call-overload]
    entry = found.policy.extractions[0].but(options={"(plug-in)": {**plugin, "module": "os"}})
    from exitgate.core.gate.extract import facts_of

    facts = facts_of(entry, found.iteration)
    assert {str(getattr(fact.value, "reason", "")) for fact in facts} == {
        "`acme.sonar`: the distribution `acme-sonar` is not the one that the policy was compiled with"
    }


def test_a_folder_of_settings_that_others_can_write_to_is_told_when_something_is_allowed(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    install(place.site)
    folder = place.home / "config" / "exitgate"
    folder.mkdir(parents=True)
    folder.chmod(0o775)
    assert place.allow() == 74
    assert "chmod go-w" in " ".join(capsys.readouterr().err.split())
    folder.chmod(0o755)
    assert place.allow() == 0
    assert place.check()["rule"] == "worse"
