"""Comments that turn lints off: where they are found, and how far they reach."""

from __future__ import annotations

import pytest

from exitgate.analysis.lint.suppressions import Suppression, comments, read
from exitgate.core.policy.yaml.document import load_yaml

TEXT = """\
# lint: off-file title-style: our titles are long
policy: p   # lint: off id-style: one line
title: "no # lint: off a: comment in quotes"
doc: |
  nor # lint: off b: in a block
rules:
  # lint: off missing-because, missing-doc: the whole rule
  # and another comment

  - id: one
    when: a
    # lint: off c: the next key and its value
    because: >-
      folded
      text
  - id: two#lint
lists: {x: [a, b]}  #lint: off e
"""


def found(text: str) -> tuple[Suppression, ...]:
    return read(load_yaml(text, "p.yaml"))


def test_each_is_found_with_its_reach_and_nothing_else() -> None:
    told = [(s.ids, s.reason, s.first, s.last) for s in found(TEXT)]
    assert told == [
        (("title-style",), "our titles are long", 0, 0),
        (("id-style",), "one line", 2, 2),
        (("missing-because", "missing-doc"), "the whole rule", 10, 15),
        (("c",), "the next key and its value", 13, 15),
        (("e",), "", 17, 17),
    ]


@pytest.mark.parametrize(
    "text",
    [TEXT, "policy: p  # lint: off ,a-b, b,  b ,a-b,: why\n", "policy: p # lint: off off, lint , of: why\n"],
)
def test_places_are_those_of_the_comment_and_of_each_id(text: str) -> None:
    lines = text.splitlines()
    for one in found(text):
        place = one.place
        assert lines[place.line - 1][place.column - 1 : place.end_column - 1].startswith("#")
        ends = 0
        for id, at in zip(one.ids, one.id_places, strict=True):
            assert lines[at.line - 1][at.column - 1 : at.end_column - 1] == id
            assert lines[at.line - 1][at.column - 2] in " ,"
            assert at.column > ends, "behind the one before it, not the first of its kind"
            ends = at.end_column


@pytest.mark.parametrize(
    ("line", "ids", "reason"),
    [
        ("# lint: off a-b: because", ("a-b",), "because"),
        ("#lint:off a-b", (), None),
        ("#   lint: off   a-b ,  c : why: not ", ("a-b", "c"), "why: not"),
        ("# lint: off", (), ""),
        ("# lint: of a", (), None),
        ("# lint: offa", (), None),
        ("# Lint: off a", (), None),
    ],
)
def test_forms(line: str, ids: tuple[str, ...], reason: str | None) -> None:
    suppressions = found(f"{line}\nkey: value\n")
    if line == "#lint:off a-b":
        ids, reason = ("a-b",), ""
    if reason is None:
        assert suppressions == ()
    else:
        assert [(s.ids, s.reason) for s in suppressions] == [(ids, reason)]


def test_a_comment_that_nothing_follows_covers_nothing_that_is_there() -> None:
    (one,) = found("key: value\n# lint: off a: b\n")
    assert not any(one.covers("a", line) for line in (1, 2))


def test_comments_of_every_place_and_line_end() -> None:
    text = "a: 'x # y'  # one\r\n# two\r\nb: x#y\r\nc: [1, # three\r\n  2]\r\n"
    assert [(n, c, t) for n, c, t in comments(load_yaml(text, "f"))] == [
        (1, 13, "# one"),
        (2, 1, "# two"),
        (4, 8, "# three"),
    ]
