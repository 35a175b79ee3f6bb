"""What was fetched is the user's own, and what it was when it was fetched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from pinned import FILES, own_store

from exitgate.core.policy.locked import store
from exitgate.core.policy.locked.files import Refused, check, digest_of, fault_of_name, is_taken

SOME = {name: text.encode() for name, text in FILES.items()} | {"a/b/policy.yaml": b"policy: b\n"}


def test_kept_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = own_store(tmp_path, monkeypatch)
    digest = store.keep(SOME, os.environ)
    assert store.load(digest, os.environ) == SOME
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    assert store.keep(SOME, os.environ) == digest
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
    assert [path.name for path in place.iterdir()] == [f"sha256-{digest}"]
    for path in (place, *place.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0


def test_the_digest_is_that_of_sha256sum(tmp_path: Path) -> None:
    for name, content in SOME.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    line = r"find * -type f | LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum | sha256sum"
    ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split()[0] == digest_of(SOME)


def changed(folder: Path, how: str, outside: Path) -> None:
    target = folder / "strict.yaml"
    if how == "content":
        target.write_bytes(target.read_bytes() + b"#")
    elif how == "gone":
        target.unlink()
    elif how == "more":
        (folder / "more.yaml").write_bytes(b"policy: x\n")
    elif how == "renamed":
        target.rename(folder / "other.yaml")
    elif how == "link":
        target.rename(outside)
        target.symlink_to(outside)
    elif how == "folder":
        (folder / "a").rename(outside)
        (folder / "a").symlink_to(outside)
    elif how == "pipe":
        target.unlink()
        os.mkfifo(target)
    elif how == "open to others":
        target.chmod(0o666)
    elif how == "open folder":
        folder.chmod(0o777)
    elif how == "deep":
        (folder / "/".join("x" * 12)).mkdir(parents=True)
    elif how == "whole link":
        folder.rename(outside)
        folder.symlink_to(outside)


@each(
    "how",
    [
        "content",
        "gone",
        "more",
        "renamed",
        "link",
        "folder",
        "pipe",
        "open to others",
        "open folder",
        "deep",
        "whole link",
    ],
)
def test_a_changed_store_is_refused_and_made_whole_by_keeping(tmp_path: Path, how: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        place = own_store(tmp_path, patch)
        digest = store.keep(SOME, os.environ)
        changed(place / f"sha256-{digest}", how, tmp_path / "outside")
        with pytest.raises(Refused):
            store.load(digest, os.environ)
        store.keep(SOME, os.environ)
        assert store.load(digest, os.environ) == SOME


def test_a_store_that_others_can_write_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = own_store(tmp_path, monkeypatch)
    digest = store.keep(SOME, os.environ)
    place.chmod(0o777)
    with pytest.raises(Refused, match="other users can write"):
        store.load(digest, os.environ)
    with pytest.raises(Refused, match="other users can write"):
        store.keep({"x.yaml": b""}, os.environ)


def test_nothing_is_kept_without_a_home() -> None:
    with pytest.raises(Refused, match="neither HOME nor XDG_DATA_HOME"):
        store.place({})
    with pytest.raises(store.Missing):
        store.load("0" * 64, {"XDG_DATA_HOME": "/nowhere"})


@given(st.dictionaries(st.text("ab/. \n", min_size=1, max_size=8), st.binary(max_size=8), max_size=4))
def test_different_files_have_different_digests(files: dict[str, bytes]) -> None:
    try:
        check({name: len(content) for name, content in files.items()})
    except Refused:
        return
    for name, content in files.items():
        rest = {other: files[other] for other in files if other != name}
        assert digest_of(rest) != digest_of(files)
        assert digest_of({**rest, name: content + b"x"}) != digest_of(files)
        assert digest_of({**rest, name + "x": content}) != digest_of(files)


@each(
    "name",
    [
        "",
        "/a",
        "a/",
        "a//b",
        "./a",
        "../a",
        "a/../b",
        "a\\b",
        "c:a",
        "a\0",
        "a\nb",
        "a\u202eb",
        "~/a",
        "-a",
        "nul",
        "aux.yaml",
        "a/COM1.yaml",
        "a.",
        "a ",
        " a",
        "x" * 201,
        "/".join("a" * 9),
        "e\u0301.yaml",
        "\ud800",
    ],
)
def test_names_that_mean_something_else_somewhere(name: str) -> None:
    assert fault_of_name(name)
    with pytest.raises(Refused):
        check({name: 1})


@each(
    ("names", "part"),
    [
        (("a.yaml", "A.yaml"), "one file"),
        (("ß.yaml", "ss.yaml"), "one file"),
        (("a", "a/b"), "a file and a folder"),
        (("A", "a/b"), "a file and a folder"),
    ],
)
def test_names_that_are_one_elsewhere(names: tuple[str, ...], part: str) -> None:
    with pytest.raises(Refused, match=part):
        check(dict.fromkeys(names, 1))


@each(
    ("sizes", "part"),
    [
        ({f"{n}.yaml": 1 for n in range(1001)}, "more than 1000 files"),
        ({"a.yaml": 5_000_000}, "`a.yaml` has more"),
        ({f"{n}.yaml": 4_000_000 for n in range(5)}, "files have more"),
    ],
)
def test_too_much(sizes: dict[str, int], part: str) -> None:
    with pytest.raises(Refused, match=part):
        check(sizes)


def test_what_is_taken() -> None:
    names = ("a.yaml", "x/b.yml", "LICENSE", "x/license.txt", "NOTICE.md", "COPYING")
    assert all(map(is_taken, names))
    others = ("a.py", "a.pth", ".github/ci.yaml", "x/.a.yaml", "README.md", "a.so", "yaml", "setup.cfg")
    assert not any(map(is_taken, others))
