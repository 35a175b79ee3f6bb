"""What a file that no reader knows is said to look like."""

from __future__ import annotations

from pathlib import Path

from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.recordings.location import Location
from exitgate.recordings.probe import Probe, probe_of
from exitgate.recordings.unread import guess_format


@each(
    ("content", "shape"),
    [
        (b"", "an empty file"),
        (b" \n\t\n", "a file of blanks"),
        (b'{"foo": 1, "bar": []}\n{"foo": 2}\n', "JSON lines whose first object has the keys `foo`, `bar`"),
        (b'{"only": 1}\n{"only": 2}\n', "JSON lines whose first object has the key `only`"),
        (b'{"foo": 1,\n "bar": 2}', "a JSON object with the keys `foo`, `bar`"),
        (b"{}", "a JSON object with no keys"),
        (b'[{"a": 1}, 2]', "a JSON list whose first object has the key `a`"),
        (b"[1, 2]", "a JSON list"),
        (b"[]", "an empty JSON list"),
        (
            b'{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}',
            "a JSON object with the keys `a`, `b`, `c`, `d`, `e`, `f` and 2 more",
        ),
        (b"words first\n{\"foo\": 1}\n", "text with JSON lines whose first object has the key `foo`"),
        (b"\xef\xbb\xbf# Title\n\ntext\n", "Markdown"),
        (b"Intro\n\n- [ ] task\n", "Markdown"),
        (b"---\na: b\n", "YAML or Markdown with front matter"),
        (b"<!DOCTYPE html>\n<p>", "HTML"),
        (b"<?xml version='1.0'?><a/>", "XML"),
        (b"#!/bin/sh\necho\n", "a script"),
        (b"SQLite format 3\x00\x10\x00", "an SQLite database"),
        (b"\x1f\x8b\x08\x00", "gzip-compressed data"),
        (b"PK\x03\x04abc", "a ZIP archive"),
        (b"abc\x00def", "binary data"),
        (bytes(range(128, 256)), "binary data"),
        ("日本語のログ".encode(), "text that begins with `日本語のログ`"),
        (b"\x1b[31mred\x1b[0m log\n", "text that begins with `\x1b[31mred\x1b[0m log`"),
        (b"x" * 500, f"text that begins with `{'x' * 39}…`"),
    ],
)  # fmt: skip
def test_shapes(tmp_path: Path, content: bytes, shape: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)
    assert guess_format(probe_of(Location(str(path)))) == shape


def test_folders(tmp_path: Path) -> None:
    assert guess_format(probe_of(Location(str(tmp_path), is_folder=True))) == "an empty folder"
    (tmp_path / "notes").mkdir()
    (tmp_path / "a.txt").touch()
    assert (
        guess_format(probe_of(Location(str(tmp_path), is_folder=True))) == "a folder with `a.txt`, `notes/`"
    )


@given(st.binary(max_size=600), st.booleans())
def test_anything_looks_like_something(content: bytes, whole: bool) -> None:
    assert guess_format(Probe(Location("x"), content, whole=whole))
