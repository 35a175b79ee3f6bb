"""`exitgate policies lock` and `update` from start to end, with an index over https."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cases import each
from cli_program import Ran, run
from pinned import own_store
from wheels import Pages, version, wheel

from exitgate.core.policy.compile import load_policy
from exitgate.core.system.folders import LOCK_FILE

SETTINGS = "exit_decision:\n  policy: pypi:acme-policies@^2/strict\n"
PLAN = "- [x] one\n- [ ] two\n"


def project(folder: Path, settings: str = SETTINGS) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".bb3").mkdir()
    (folder / ".bb3/config.yaml").write_text(settings, encoding="utf-8")
    (folder / "plan.md").write_text(PLAN, encoding="utf-8")
    (folder / "r.md").write_text("One is done.\n", encoding="utf-8")
    return folder


def said(ran: Ran) -> str:
    """Return what was written to standard error, on one line."""
    return " ".join(ran.err.split())


def test_locked_used_and_moved(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    check = ("check", "r.md", "plan.md", "--no-record")
    unpinned = run(*check, cwd=here)
    assert unpinned.code == 65
    assert "EP844" in unpinned.err
    assert "exitgate policies lock" in unpinned.err
    assert pages.asked == []

    pages.put(dict([version("1.9.0", 10), version("2.0.0", 90)]))
    ran = run("policies", "lock", cwd=here)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("pypi:acme-policies  2.0.0 (new)  sha256:")
    assert ran.out.endswith("  not signed\nwrote .bb3/policies.lock\n")
    text = (here / LOCK_FILE).read_text(encoding="utf-8")
    assert pages.url not in text

    pages.asked.clear()
    assert run(*check, cwd=here).code == 0
    pages.put(dict([version("2.0.0", 90), version("2.1.0", 50), version("3.0.0", 10)]))
    assert run("policies", "lock", cwd=here).out.endswith(".bb3/policies.lock stays as it is\n")
    assert run("policies", "lock", "--check", cwd=here).code == 0
    assert pages.asked == []
    assert (here / LOCK_FILE).read_text(encoding="utf-8") == text

    moved = run("policies", "update", "Acme_Policies", cwd=here)
    assert (moved.code, moved.err) == (0, "")
    assert "2.1.0 (was 2.0.0)" in moved.out
    assert run(*check, cwd=here).code == 10
    assert len(text.splitlines()) == len((here / LOCK_FILE).read_text(encoding="utf-8").splitlines())


def test_another_machine_fetches_what_is_pinned(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    assert run("policies", "lock", cwd=here).code == 0
    text = (here / LOCK_FILE).read_text(encoding="utf-8")
    own_store(tmp_path / "other", monkeypatch)
    missing = run("check", "r.md", "plan.md", "--no-record", cwd=here)
    assert missing.code == 65
    assert "EP845" in missing.err
    pages.put(dict([version("2.0.0"), version("2.5.0", 10)]), yanked=True)
    assert run("policies", "lock", "--check", cwd=here).code == 0
    assert run("check", "r.md", "plan.md", "--no-record", cwd=here).code == 0
    assert (here / LOCK_FILE).read_text(encoding="utf-8") == text


def test_what_the_index_gives_later_is_what_was_pinned(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    assert run("policies", "lock", cwd=here).code == 0
    own_store(tmp_path / "other", monkeypatch)
    name, _ = version("2.0.0")
    pages.put({name: version("2.0.0", 10)[1]})
    ran = run("policies", "lock", cwd=here)
    assert ran.code == 74
    assert "with the SHA-256 that is pinned" in said(ran)
    pages.put(dict([version("2.0.0")]))
    pages.answers[f"/files/{name}"] = (200, {}, b"another")
    ran = run("policies", "lock", cwd=here)
    assert ran.code == 65
    assert "EP848" in said(ran)
    pages.put(dict([version("2.0.0")]))
    lock = here / LOCK_FILE
    digest = lock.read_text(encoding="utf-8").split("digest: sha256:")[1][:64]
    lock.write_text(lock.read_text(encoding="utf-8").replace(digest, "0" * 64), encoding="utf-8")
    ran = run("policies", "lock", cwd=here)
    assert ran.code == 65
    assert "its digest is not the one of the lock file" in said(ran)


def test_check_fails_where_the_lock_file_is_behind(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0"), version("3.0.0")]))
    ran = run("policies", "lock", "--check", cwd=here)
    assert (ran.code, "EP849" in said(ran)) == (69, True)
    assert "config.yaml:2:11" in said(ran)
    assert not (here / LOCK_FILE).exists()
    assert run("policies", "lock", cwd=here).code == 0
    (here / ".bb3/config.yaml").write_text(SETTINGS.replace("^2", "^3"), encoding="utf-8")
    assert run("policies", "lock", "--check", cwd=here).code == 69
    (here / ".bb3/config.yaml").write_text("exit_decision: {}\n", encoding="utf-8")
    ran = run("policies", "lock", "--check", cwd=here)
    assert ran.code == 69
    assert "nothing names it" in said(ran)
    assert "no longer pinned" in run("policies", "lock", cwd=here).out


def test_policies_beside_the_settings_are_remembered(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p", "exit_decision: {}\n")
    (here / "policies/ours").mkdir(parents=True)
    ours = "policy: ours\nformat: 1\nversion: 1.0.0\nextends: pypi:acme-policies@2/strict\n"
    (here / "policies/ours/policy.yaml").write_text(ours, encoding="utf-8")
    pages.put(dict([version("2.0.0")]))
    assert run("policies", "lock", cwd=here).out == "the project names no package and no repository\n"
    assert "2.0.0 (new)" in run("policies", "lock", "policies", cwd=here).out
    assert 'also:\n  - "policies"\n' in (here / LOCK_FILE).read_text(encoding="utf-8")
    assert run("policies", "lock", "--check", cwd=here).code == 0
    assert load_policy("policies/ours", base=str(here)).name == "ours"
    ran = run("policies", "lock", "..", cwd=here)
    assert (ran.code, "is not in the project" in said(ran)) == (64, True)


def test_what_is_fetched_may_name_more(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p", SETTINGS.replace("acme-policies", "team"))
    team = "policy: team\nformat: 1\nversion: 1.0.0\nextends: {}\n"
    for extends, code, part in (
        ("pypi:acme-policies@^1/strict", 0, "pypi:acme-policies  1.9.0"),
        ("'git+file:///srv/p@v1#x'", 65, "cannot name"),
        ("'git+ssh://git@h.org/p@v1#x'", 65, "cannot name"),
    ):
        (here / LOCK_FILE).unlink(missing_ok=True)
        pages.put({"team-2.0.0-py3-none-any.whl": wheel({"team/strict.yaml": team.format(extends)})}, "team")
        pages.put(dict([version("1.9.0", 10), version("2.0.0", 90)]))
        ran = run("policies", "lock", cwd=here)
        assert ran.code == code
        assert part in ran.out + ran.err
        if code == 0:
            assert run("check", "r.md", "plan.md", "--no-record", cwd=here).code == 10


def test_one_version_serves_all_who_name_a_package(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p", SETTINGS + "  preset: pypi:acme-policies@<2.5/preset\n")
    pages.put(dict([version("2.0.0"), version("2.4"), version("2.6.0")]))
    assert "pypi:acme-policies  2.4 (new)" in run("policies", "lock", cwd=here).out
    (here / ".bb3/config.yaml").write_text(SETTINGS + "  preset: pypi:acme-policies@^3/preset\n")
    ran = run("policies", "lock", cwd=here)
    assert ran.code == 74
    assert "no version of `acme-policies` is in `^2` and `^3`" in said(ran)
    assert "there are 2.6.0, 2.4, 2.0.0" in said(ran)


@each(
    ("listing", "code", "part"),
    [
        (None, 74, "answered 404"),
        ([], 74, "has no wheel"),
        (
            {
                "files": [
                    {"filename": "acme_policies-2.0.0.tar.gz", "url": "x", "hashes": {"sha256": "0" * 64}}
                ]
            },
            74,
            "no wheel",
        ),
        (
            {
                "files": [
                    {
                        "filename": "acme_policies-2.0.0-cp311-cp311-linux_x86_64.whl",
                        "url": "x",
                        "hashes": {"sha256": "0" * 64},
                    }
                ]
            },
            74,
            "no wheel",
        ),
        (
            {
                "files": [
                    {"filename": "acme_policies-2.0.0-py3-none-any.whl", "url": "x", "hashes": {"md5": "0"}}
                ]
            },
            74,
            "no wheel",
        ),
        (
            {
                "files": [
                    {"filename": "other-2.0.0-py3-none-any.whl", "url": "x", "hashes": {"sha256": "0" * 64}}
                ]
            },
            74,
            "no wheel",
        ),
        (
            {
                "files": [
                    {
                        "filename": "acme_policies-2.0.0rc1-py3-none-any.whl",
                        "url": "x",
                        "hashes": {"sha256": "0" * 64},
                    }
                ]
            },
            74,
            "no wheel",
        ),
        (
            {
                "files": [
                    {
                        "filename": "acme_policies-2.0.0-py3-none-any.whl",
                        "url": "http://localhost/x",
                        "hashes": {"sha256": "0" * 64},
                    }
                ]
            },
            74,
            "`http://localhost/x` is not an https URL",
        ),
        (
            {
                "files": [
                    {
                        "filename": "acme_policies-2.0.0-py3-none-any.whl",
                        "url": "file:///etc/passwd",
                        "hashes": {"sha256": "0" * 64},
                    }
                ]
            },
            74,
            "is not an https URL",
        ),
        (
            {
                "files": [
                    {
                        "filename": "acme_policies-2.0.0-py3-none-any.whl",
                        "url": "../../nothing",
                        "hashes": {"sha256": "0" * 64},
                    }
                ]
            },
            74,
            "answered 404",
        ),
        ({"files": {"filename": 1}}, 74, "no wheel"),
    ],
)
def test_what_an_index_may_answer(
    pages: Pages, tmp_path: Path, listing: object, code: int, part: str
) -> None:
    here = project(tmp_path / "p")
    pages.answers.clear()
    if listing is not None:
        pages.listing(listing)
    ran = run("policies", "lock", cwd=here)
    assert ran.code == code
    assert part in said(ran)
    assert "config.yaml:2:11" in said(ran)
    assert not (here / LOCK_FILE).exists()


def test_other_pages_of_an_index(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    listing, name = "/simple/acme-policies/", version("2.0.0")[0]
    pages.put(dict([version("2.0.0")]))
    right = pages.answers[listing]
    for wrong, part in (
        ((200, {}, b"<html>"), "did not answer with JSON"),
        ((200, {}, b"[" * 100_000), "did not answer with JSON"),
        ((302, {"Location": "http://localhost/x"}, b""), "is not an https URL"),
        ((302, {"Location": "file:///etc/passwd"}, b""), "answered 302"),
        ((302, {"Location": listing}, b""), "answered 302"),
        ((500, {}, b""), "answered 500"),
    ):
        pages.answers[listing] = wrong
        ran = run("policies", "lock", cwd=here)
        assert ran.code == 74
        assert part in said(ran)
    pages.answers[listing] = (302, {"Location": "/moved/"}, b"")
    pages.answers["/moved/"] = (right[0], right[1], right[2].replace(b"../../files", b"/files"))
    assert run("policies", "lock", cwd=here).code == 0
    assert f"/files/{name}" in [path for path, _ in pages.asked]


def test_credentials_go_to_the_index_alone_and_nowhere_else(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    secret = pages.url.replace("https://", "https://me:s%40cret@")
    assert run("policies", "lock", "--index", secret, cwd=here).code == 0
    assert {given for _, given in pages.asked} == {"Basic bWU6c0BjcmV0"}
    assert "cret" not in (here / LOCK_FILE).read_text(encoding="utf-8")
    (here / LOCK_FILE).unlink()
    pages.asked.clear()
    pages.answers["/simple/acme-policies/"] = (302, {"Location": "/moved/"}, b"")
    ran = run("policies", "lock", "--index", secret, cwd=here)
    assert "cret" not in ran.err
    assert [given for path, given in pages.asked if path == "/moved/"] == [None]


def test_no_project_names_the_index(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    (here / ".env").write_text("PIP_INDEX_URL=https://elsewhere.invalid/\n", encoding="utf-8")
    (here / "pip.conf").write_text("[global]\nindex-url = https://elsewhere.invalid/\n", encoding="utf-8")
    (here / "pyproject.toml").write_text('[[tool.uv.index]]\nurl = "https://elsewhere.invalid/"\n')
    pages.put(dict([version("2.0.0")]))
    assert run("policies", "lock", cwd=here).code == 0
    for url in ("http://localhost/simple/", "ftp://localhost/", "nothing"):
        ran = run("policies", "lock", "--index", url, cwd=here)
        assert (ran.code, "is not an https URL" in said(ran)) == (64, True)
    ran = run("policies", "lock", cwd=here, PIP_INDEX_URL="https://elsewhere.invalid/")
    assert ran.code == 0


def test_a_folder_of_wheels_is_an_index(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name, content in (version("2.0.0"), version("2.3.0", 50), version("3.0.0")):
        (wheels / name).write_bytes(content)
    assert "2.3.0 (new)" in run("policies", "lock", "--index", f"file://{wheels}", cwd=here).out
    assert pages.asked == []
    assert run("check", "r.md", "plan.md", "--no-record", cwd=here).code == 10


def test_a_package_in_sight_is_neither_installed_nor_imported(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    assert run("policies", "lock", cwd=here).code == 0
    kept = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert sorted(path.name for path in kept) == ["LICENSE", "preset.yaml", "strict.yaml"]
    assert not any(os.access(path, os.X_OK) for path in kept)


def test_update_of_what_nobody_names(pages: Pages, tmp_path: Path) -> None:
    ran = run("policies", "update", "acme-polices", cwd=project(tmp_path / "p"))
    assert ran.code == 64
    assert "did you mean `acme-policies`?" in said(ran)


def test_where_a_policy_comes_from_is_said(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    assert run("policies", "lock", cwd=here).code == 0
    digest = (here / LOCK_FILE).read_text(encoding="utf-8").split("digest: ")[1][:71]
    said_of_it = f"from pypi:acme-policies 2.0.0, {digest}"
    assert run("policies", "list", "--pinned", cwd=here).out == f"pypi:acme-policies  2.0.0  {digest}\n"
    plain = [{"source": "pypi:acme-policies", "pinned": "2.0.0", "digest": digest, "kept": True}]
    assert json.loads(run("policies", "list", "--pinned", "--format", "json", cwd=here).out) == plain
    assert said_of_it in run("config", cwd=here).out
    assert json.loads(run("config", "--format", "json", cwd=here).out)["sources"][0]["digest"] == digest
    shown = run("policies", "show", "pypi:acme-policies@^2/strict", cwd=here).out
    assert shown.splitlines()[2:4] == ["pypi:acme-policies@2.0.0/strict.yaml", said_of_it]
    assert run("check", "r.md", "plan.md", cwd=here).code == 0
    for form in ("text", "markdown"):
        assert said_of_it in run("explain", "--format", form, cwd=here).out
    (tmp_path / "kept").rename(tmp_path / "gone")
    missing = run("policies", "list", "--pinned", cwd=here).out
    assert missing.endswith("not in your store: run `exitgate policies lock`\n")
    assert said_of_it in run("explain", cwd=here).out
