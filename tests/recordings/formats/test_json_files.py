"""JSON values in a file: one that is all of it, or one a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem


def found(path: Path, content: bytes) -> list[tuple[object, int] | tuple[str, int]]:
    path.write_bytes(content)
    return [
        (one.message, one.line) if isinstance(one, Problem) else one for one in documents(Location(str(path)))
    ]


LEFT_OUT, CUT = "not JSON; skipped", "cut off at the end; the rest counts"


@each(
    ("content", "values"),
    [
        (b"", []),
        (b"  \n", []),
        (b'{"a": 1}', [({"a": 1}, 1)]),
        (b'{\n"a": 1\n}\n', [({"a": 1}, 0)]),
        (b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": 2}\r\n', [({"a": 1}, 1), ({"a": 2}, 3)]),
        (b'{"a": 1}\nTerminated: 15\n{"a": 2}\n', [({"a": 1}, 1), (LEFT_OUT, 2), ({"a": 2}, 3)]),
        (b'{"a": 1}\n{"a": [1, "x', [({"a": 1}, 1), (CUT, 2), ({"a": [1, "x"]}, 2)]),
        (b'{"a": 1}\n{"a": [1, "x\n{"a": 3}\n', [({"a": 1}, 1), (LEFT_OUT, 2), ({"a": 3}, 3)]),
        (b'{"a": "\\users \x07"}\n{"a": 2}', [({"a": "\\users \x07"}, 1), ({"a": 2}, 2)]),
        (b"plain words", [(LEFT_OUT, 1)]),
        (b"[" * 100_000, [(LEFT_OUT, 1)]),
        (b'{"a": ' + b"9" * 5_000 + b"}", [({"a": None}, 1)]),
        (b'{"a": "\xff\x00"}', [({"a": "\ufffd\x00"}, 1)]),
    ],
)  # fmt: skip
def test_values_and_what_is_wrong(tmp_path: Path, content: bytes, values: list[tuple[object, int]]) -> None:
    assert found(tmp_path / "f", content) == values


def test_half_characters_can_be_written(tmp_path: Path) -> None:
    ((value, _),) = found(tmp_path / "f", b'{"a": "\\ud83d!"}')
    json.dumps(value, ensure_ascii=False).encode()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(documents(Location(str(tmp_path / "none"))))


@given(st.lists(st.one_of(st.binary(max_size=60), st.just(b'{"a": 1}')), max_size=6))
def test_any_lines(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    found(tmp_path_factory.getbasetemp() / "any", b"\n".join(lines))
