"""Recordings in the forms that loops leave: what readers find in them, and where `recommended` stops."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from shapes_expected import NAMES, SHAPES, copy_of, decided_differences, expected_of, read_differences

#: Shapes that are not read as they should be, and those on which the decision is not right.
NOT_READ: frozenset[str] = frozenset()
NOT_DECIDED: frozenset[str] = frozenset()


def marked(names: frozenset[str], *, strict: bool) -> list[object]:
    return [
        pytest.param(name, marks=pytest.mark.xfail(strict=strict)) if name in names else name
        for name in NAMES
    ]


@each("name", marked(NOT_READ, strict=True))
def test_a_shape_is_read_as_it_was_recorded(tmp_path: Path, name: str) -> None:
    assert read_differences(expected_of(name), copy_of(name, tmp_path)) == []


@each("name", marked(NOT_DECIDED, strict=False))
def test_a_shape_is_stopped_where_it_should_be(tmp_path: Path, name: str) -> None:
    assert decided_differences(expected_of(name), copy_of(name, tmp_path)) == []


def test_every_shape_is_there() -> None:
    assert len(NAMES) >= 24 and {path.name for path in SHAPES.iterdir() if path.is_dir()} == set(NAMES)


def test_the_bytes_of_recordings_are_kept() -> None:
    assert "* -text" in (SHAPES / ".gitattributes").read_text("utf-8")
    assert b"\0" * 4096 in (SHAPES / "snarktank-console-cut" / "ralph-output.log").read_bytes()
    assert b"\r\n" in (SHAPES / "powershell-cut-es" / "ralph-panel-v2.log").read_bytes()
