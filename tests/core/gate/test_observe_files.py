"""Files as sources: whatever lies at a path, the answer is a text, a reason or a clear error."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.observe.files import decode, first_existing, read_source


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "response.md")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


@pytest.mark.parametrize(
    ("raw", "text", "warnings"),
    [
        (b"", "", ()),
        (b"a\r\nb", "a\r\nb", ()),
        (b"\xef\xbb\xbfa", "a", ()),
        ("é😀".encode(), "é😀", ()),
        (b"a\xffb", "a\ufffdb", ("1 byte was not UTF-8",)),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", ("3 bytes were not UTF-8",)),
        (b"a\0b\0", "a\0b\0", ("holds 2 NUL characters",)),
        ("häh".encode("utf-16"), "häh", ("read as UTF-16",)),
        (b"\xff\xfe\x00", "\ufffd", ("read as UTF-16",)),
    ],
)
def test_bytes_become_text(place, raw, text, warnings):
    write(place, raw)
    source = read_source("response", place)
    assert (source.text, source.warnings, source.path, source.reason) == (text, warnings, place, "")


@given(raw=st.binary())
def test_any_bytes_become_text(raw):
    text, _ = decode(raw)
    text.encode("utf-8")


def make_directory(place):
    os.mkdir(place)


def make_pipe(place):
    os.mkfifo(place)


def make_loop(place):
    os.symlink(place, place)


def make_socket(place):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(place)


def make_below_a_file(place):
    write(os.path.dirname(place) + "/file", b"")
    os.symlink("file/below", place)


UNREADABLE = [
    (make_directory, "it is a directory"),
    (make_pipe, "it is a pipe"),
    (make_loop, "too many levels of symbolic links"),
    (make_socket, "it is a socket"),
    (make_below_a_file, "not a directory"),
]


@pytest.mark.parametrize(("make", "why"), UNREADABLE, ids=[make.__name__ for make, _ in UNREADABLE])
def test_what_is_no_file_is_a_reason_or_a_clear_error(place, make, why):
    make(place)
    source = read_source("response", place)
    assert source.text is None
    assert source.reason == f"response at `{place}` cannot be read: {why}"
    with pytest.raises(ExitgateError) as caught:
        read_source("response", place, named=True)
    assert caught.value.exit_code == 74
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("EP821", source.reason)
    assert diagnostic.help


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights_is_a_reason(place):
    write(place, b"x")
    os.chmod(place, 0)
    assert "permission denied" in read_source("response", place).reason


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_are_not_read(device):
    assert read_source("response", device).reason.endswith("it is a device")


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_paths_that_cannot_be(path):
    assert read_source("response", path).text is None


def test_a_missing_default_is_a_reason_and_a_missing_named_file_is_66(place):
    assert read_source("response", place).reason == f"no response at `{place}`"
    with pytest.raises(ExitgateError) as caught:
        read_source("response", place, named=True)
    assert caught.value.exit_code == 66
    (diagnostic,) = caught.value.diagnostics
    assert place in diagnostic.message
    assert os.getcwd() in diagnostic.help


def test_a_default_that_is_nowhere_says_where_it_was_looked_for():
    source = read_source("plan", None, tried=("a.md", "b.md"))
    assert source.reason == "no plan at `a.md` or `b.md`"
    assert read_source("task", None).reason == "no task was given"


def test_size_is_limited_whatever_the_file_claims(place):
    write(place, b"x" * 2_000_001)
    assert (
        read_source("response", place, limit=2_000_000).reason == f"response at `{place}` is larger than 2 MB"
    )
    with pytest.raises(ExitgateError) as caught:
        read_source("response", place, named=True, limit=2_000_000)
    assert caught.value.exit_code == 74
    assert len(read_source("response", place, limit=2_000_001).text) == 2_000_001
    write(place, b"")
    os.truncate(place, 10**12)
    assert "larger" in read_source("response", place).reason


def test_proc_files_claim_no_size_and_are_read():
    assert read_source("response", "/proc/self/status").text.startswith("Name:")


def test_standard_input_is_read_and_limited():
    code = (
        "from exitgate.core.observe.files import read_source\n"
        "for limit in (5, 4):\n"
        "    source = read_source('response', '-', limit=limit)\n"
        "    print(source.text, source.path, source.reason)\n"
    )
    feed = [sys.executable, "-c", code]
    done = subprocess.run(feed, input=b"h\xc3\xa9y!", capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[0] == "héy! <standard input> "
    late = subprocess.run(
        [*feed[:2], code.replace("(5, 4)", "(4,)")], input=b"hello", capture_output=True, check=True
    )
    assert b"larger" in late.stdout


def test_the_first_candidate_that_is_there(tmp_path):
    (tmp_path / "b").write_text("")
    (tmp_path / "c").write_text("")
    assert first_existing(str(tmp_path), ("a", "b", "c")) == str(tmp_path / "b")
    assert first_existing(str(tmp_path), ("a",)) is None
    (tmp_path / "a").symlink_to("a")
    assert first_existing(str(tmp_path), ("a", "b")) == str(tmp_path / "a")
