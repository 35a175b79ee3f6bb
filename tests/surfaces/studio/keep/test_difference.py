"""What a change is shown as: every line that differs, and no secret."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest
from desk_of_project import Desk
from hypothesis import given
from hypothesis import strategies as st

from exitgate.surfaces.studio.keep.difference import diff
from exitgate.surfaces.studio.keep.files import Change, Place

BEGIN = "-----BEGIN RSA PRIVATE KEY-----"
KEY = [BEGIN, "MIIEowIBAAKCAQEAy8Dbv8prpJ0kKhlG", "eJYozo2t60EG8L0561g13R29LvMR5hyv"]
END = "-----END RSA PRIVATE KEY-----"


def shown(old: str | None, new: str | None, cover: Callable[[str], str] = str) -> list[str]:
    raw = [None if text is None else text.encode() for text in (old, new)]
    return diff(Change(Place("/", "a"), *raw), cover)


TEXTS = st.lists(st.sampled_from(["a", "b", "- c", ""]), max_size=25).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(TEXTS, TEXTS)
def test_it_is_what_a_unified_diff_is(old: str, new: str) -> None:
    wanted = difflib.unified_diff(old.splitlines(), new.splitlines(), "a", "a", lineterm="")
    assert shown(old, new) == list(wanted)


def test_line_ends_are_seen_where_they_differ() -> None:
    assert shown("a\r\nb\r\n", "a\r\nc\r\n")[3:] == [" a", "-b", "+c"]
    assert shown("a\r\nb\r\n", "a\nb\n")[3:] == ["-a\r", "-b\r", "+a", "+b"]
    assert shown("a\r\nb\n", "a\nb\n")[3:] == ["-a\r", "+a", " b"]
    assert shown("a\r\nb", "a\r\nb\r\nc\r\n")[3:] == [" a", " b", "+c"]
    assert shown("a\u2028b\x85\n", "c\n")[3:] == ["-a\u2028b\x85", "+c"]
    assert shown(None, "a\n") == ["--- /dev/null", "+++ a", "@@ -0,0 +1 @@", "+a"]


@pytest.mark.parametrize("secret", [KEY, [BEGIN, "short1"]])
def test_a_secret_on_several_lines_is_hidden_in_each(
    desk: Callable[..., Desk], project: Path, secret: list[str]
) -> None:
    text = "".join(f"    {line}\n" for line in [*secret, END])
    text = f"other:\n  key: |\n{text}exit_decision:\n  min_confidence: 65\n"
    (project / ".bb3" / "config.yaml").write_text(text, encoding="utf-8")
    one = desk()
    one.drafted("in force", values={"min_confidence": 72})
    (found,) = one.proposed("in force", "project")["files"]  # type: ignore[misc, attr-defined]
    assert not any(line in said for line in [*secret[1:], END] for said in found["diff"])
    assert found["diff"][-2:] == ["-  min_confidence: 65", "+  min_confidence: 72"]
