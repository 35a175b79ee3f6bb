"""`exitgate.core.system.safe_files`: what it takes, what it refuses, and in which words."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each

from exitgate.core.system import safe_files


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def ended_socket(path: Path) -> None:
    at = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(path.name)
    finally:
        os.chdir(at)


def link(path: Path) -> None:
    (path.parent / "target").write_text("precious")
    path.symlink_to("target")


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


PLANTS = (pipe, folder, ended_socket, link, link_to_device, link_to_nowhere)
WORDS = {pipe: "it is a pipe", folder: "it is a directory", ended_socket: "it is a socket"}


def no_descriptor_stays(work: Callable[[], object]) -> OSError:
    before = set(os.listdir("/dev/fd"))
    with pytest.raises(OSError) as caught:
        work()
    assert set(os.listdir("/dev/fd")) == before
    return caught.value


@each("plant", PLANTS)
def test_only_regular_files_are_opened(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    path = tmp_path / "planted"
    plant(path)
    why = WORDS.get(plant, "it is a link")
    for work in (safe_files.reading, safe_files.stream, safe_files.writing):
        error = no_descriptor_stays(lambda work=work: work(str(path)))
        assert error.strerror.lower() == why or plant is folder
    for name in ("append", "read", "empty"):
        no_descriptor_stays(lambda name=name: safe_files.writing(str(path), **{name: True}))
    no_descriptor_stays(lambda: safe_files.content(str(path), 10))
    assert not (tmp_path / "nowhere").exists()
    if plant is link:
        assert (tmp_path / "target").read_text() == "precious"


@each("plant", (pipe, folder, ended_socket, link_to_device, link_to_nowhere))
def test_where_links_are_allowed_they_lead_to_regular_files(
    tmp_path: Path, plant: Callable[[Path], None]
) -> None:
    path = tmp_path / "planted"
    plant(path)
    no_descriptor_stays(lambda: safe_files.reading(str(path), links=True))
    link(tmp_path / "fine")
    assert safe_files.content(str(tmp_path / "fine"), 10, links=True) == b"precious"


def test_a_file_beyond_its_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    assert no_descriptor_stays(lambda: safe_files.content(str(path), 10)).errno == errno.EFBIG
    assert safe_files.content(str(path), 11) == b"x" * 11
    assert safe_files.beginning(str(path), 10) == b"x" * 10
    os.truncate(path, 1 << 40)
    assert no_descriptor_stays(lambda: safe_files.content(str(path), 10)).errno == errno.EFBIG


def test_a_file_that_claims_to_be_small_is_bounded_too() -> None:
    assert no_descriptor_stays(lambda: safe_files.content("/proc/self/maps", 100)).errno == errno.EFBIG


@each("plant", (pipe, ended_socket, link, link_to_device, link_to_nowhere))
def test_a_folder_is_a_folder(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    path = tmp_path / "planted"
    plant(path)
    for work in (safe_files.open_folder, safe_files.make_folder, safe_files.names):
        no_descriptor_stays(lambda work=work: work(str(path)))
    assert not (tmp_path / "nowhere").exists()


@each("ending", ["", "/", "//"])
def test_a_link_to_a_folder_is_refused_under_any_spelling(tmp_path: Path, ending: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "link").symlink_to("outside")
    path = f"{tmp_path}/link{ending}"
    for work in (safe_files.open_folder, safe_files.make_folder, safe_files.names):
        assert no_descriptor_stays(lambda work=work: work(path)).strerror == "it is a link"
    no_descriptor_stays(lambda: safe_files.replace_in(path, "file", b"x"))
    no_descriptor_stays(lambda: safe_files.content_in(path, "file", 9))
    assert list((tmp_path / "outside").iterdir()) == []
    assert safe_files.is_link(path)


def test_a_replaced_file_is_whole_and_a_link_in_its_place_goes(tmp_path: Path) -> None:
    link(tmp_path / "file")
    safe_files.replace(str(tmp_path / "file"), b"new")
    assert (tmp_path / "target").read_text() == "precious"
    assert (tmp_path / "file").read_text() == "new"
    assert not (tmp_path / "file").is_symlink()
    (tmp_path / "folder").mkdir()
    no_descriptor_stays(lambda: safe_files.replace(str(tmp_path / "folder"), b"new"))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder", "target"]


def test_what_is_made_is_private(tmp_path: Path) -> None:
    assert safe_files.make_folder(str(tmp_path / "a" / "b"))
    assert not safe_files.make_folder(str(tmp_path / "a" / "b"))
    os.close(safe_files.writing(str(tmp_path / "a" / "b" / "file")))
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a" / "b" / "file").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        safe_files.writing(str(tmp_path / "a" / "b" / "file"), new=True)
