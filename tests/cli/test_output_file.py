"""`-o`: results in files, on stdout by any of its names, and places that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_loops import policy
from cli_program import LOUD, run
from compiled import COMPILED
from patience import PATIENCE
from sessions_on_disk import session

from exitgate.cli.files import check_output, is_stdout, write_output
from exitgate.core.model.diagnostic import ExitgateError

DRY = ("dry-run", "runs", "-p", "./sure.yaml", "--no-cache")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    session(tmp_path / "runs", "talk", ["likely", "certain"])
    policy(tmp_path)
    return tmp_path


def test_a_dash_is_stdout(place: Path) -> None:
    for form in ("text", "json", "csv", "junit"):
        assert run(*DRY, "--format", form, "-o", "-", cwd=place) == run(*DRY, "--format", form, cwd=place)
    ran = run(*DRY, "--format", "parquet", "-o", "-", cwd=place)
    assert (ran.code, ran.out) == (64, "")
    assert "`--format parquet` is not text" in ran.err
    assert not (place / "-").exists()


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "all.txt"])
def test_stdout_by_another_name_is_not_replaced(place: Path, name: str) -> None:
    # as root, a file put in the place of /dev/stdout would break every program of the machine
    before = os.lstat("/dev/stdout")
    environment = {key: value for key, value in os.environ.items() if key not in LOUD}
    environment["EXITGATE_CACHE_DIR"] = COMPILED
    said = run(*DRY, cwd=place).out
    (place / "all.txt").write_text("before\n", encoding="utf-8")
    with (place / "all.txt").open("ab") as out:
        ran = subprocess.run(
            [sys.executable, "-m", "exitgate", *DRY, "-o", name],
            cwd=place, env=environment, stdout=out, check=False, timeout=PATIENCE,
        )  # fmt: skip
    assert ran.returncode == 0
    assert (place / "all.txt").read_text("utf-8") == "before\n" + said
    assert os.path.samestat(before, os.lstat("/dev/stdout"))


def test_a_link_keeps_pointing_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "page.html", tmp_path / "link.html"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o600)
    link.symlink_to("page.html")
    write_output(str(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "page.html"]


def test_what_is_open_is_written_to_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "open.txt"
    with file.open("wb") as held:
        write_output(f"/proc/self/fd/{held.fileno()}", b"new")
        assert os.path.samestat(os.fstat(held.fileno()), file.stat())
    assert file.read_bytes() == b"new"
    with pytest.raises(ExitgateError, match="No space left") as caught:
        write_output("/dev/full", b"new")
    assert caught.value.exit_code == 73


@pytest.mark.parametrize("command", [("dry-run", "--no-cache"), ("report",)])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(
    place: Path, command: tuple[str, ...]
) -> None:
    for name, code, said in (("", 64, "`--output` is empty"), ("no/file", 73, "EP862")):
        ran = run(*command, "gone.jsonl", "-p", "./sure.yaml", "-o", name, cwd=place)
        assert (ran.code, ran.out) == (code, ""), (name, ran)
        assert said in ran.err
        assert "gone.jsonl" not in ran.err


def test_a_folder_without_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ExitgateError, match="is not writable") as caught:
        check_output(str(tmp_path / "page.html"), ())
    assert caught.value.exit_code == 73


def test_other_files_are_not_stdout(tmp_path: Path) -> None:
    (tmp_path / "page.html").touch()
    assert is_stdout("-")
    assert not is_stdout(str(tmp_path / "page.html"))
    assert not is_stdout(str(tmp_path / "gone.html"))
    assert not is_stdout("a\0b")
