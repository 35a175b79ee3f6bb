"""Edits of a file's text: what they touch, and what they leave."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis import edits
from exitgate.analysis.edits import Edit, apply
from exitgate.core.policy.yaml.document import load_yaml

TEXT = """\
policy: p   # the name
parameters:
  # how many
  one: {type: count, default: 1, doc: 'it''s one'}
  two: {type: count, default: 2}  # goes
lists:
  words: [a, "b", c]   # few
  more:
    - x
    - y   # goes too
    - z
"""


def changed(path: tuple[str | int, ...], remove: bool = True) -> str:
    document = load_yaml(TEXT, "p.yaml")
    part = document.root.at(path)
    make = edits.item_removed if isinstance(path[-1], int) else edits.entry_removed
    return apply(TEXT, [make(document.lines, part)])


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (("parameters", "two"), "  two: {type: count, default: 2}  # goes\n", ""),
        (("parameters", "one", "type"), "type: count, ", ""),
        (("parameters", "one", "doc"), ", doc: 'it''s one'", ""),
        (("lists", "words", 0), "a, ", ""),
        (("lists", "words", 1), '"b", ', ""),
        (("lists", "words", 2), ", c", ""),
        (("lists", "more", 1), "    - y   # goes too\n", ""),
    ],
)
def test_what_is_removed_takes_only_its_own_text(path: tuple[str | int, ...], old: str, new: str) -> None:
    assert changed(path) == TEXT.replace(old, new, 1)


def test_a_scalar_keeps_its_quotes_and_the_comment_behind_it() -> None:
    root = load_yaml(TEXT, "p.yaml").root
    made = [
        edits.scalar(root.at(("policy",)), "a: b"),
        edits.scalar(root.at(("lists", "words", 1)), 'say "x"'),
        edits.scalar(root.at(("parameters", "one", "doc")), "that's"),
        edits.scalar(root.at(("lists", "words", 0)), "d, e"),
    ]
    text = apply(TEXT, made)
    plain = load_yaml(text, "p.yaml").root
    assert [plain.at(path).value for path in (("policy",), ("lists", "words", 1))] == ["a: b", 'say "x"']
    assert plain.at(("parameters", "one", "doc")).value == "that's"
    assert plain.at(("lists", "words", 0)).value == "d, e"
    assert text.startswith("policy: 'a: b'   # the name\n")


def test_a_line_is_put_in_with_the_line_end_of_the_file() -> None:
    text = "policy: p\r\nformat: 1\r\n"
    document = load_yaml(text, "p.yaml")
    assert apply(text, [edits.inserted_line(document.lines, 2, "# x")]) == "policy: p\r\n# x\r\nformat: 1\r\n"


def test_edits_that_meet_are_refused_and_equal_ones_made_once() -> None:
    with pytest.raises(ValueError, match="meet at character 1"):
        apply("abc", [Edit(0, 2, "x"), Edit(1, 3, "y")])
    with pytest.raises(ValueError, match="character 2"):
        apply("abc", [Edit(2, 9, "x")])
    assert apply("abc", [Edit(1, 2, "x"), Edit(1, 2, "x")]) == "axc"
    assert not edits.compatible([Edit(0, 2, "")], [Edit(2, 3, "")])
    assert edits.compatible([Edit(0, 2, "")], [Edit(0, 2, ""), Edit(3, 4, "")])


def test_what_shares_its_line_with_something_else_is_refused() -> None:
    text = "rules:\n  - id: a\n    when: b\n"
    document = load_yaml(text, "p.yaml")
    with pytest.raises(ValueError, match="shares a line"):
        edits.entry_removed(document.lines, document.root.at(("rules", 0, "id")))


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab\n", max_size=30), st.lists(st.integers(0, 30), min_size=2, max_size=6))
def test_edits_are_the_same_as_slices_put_together(text: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(text)) for cut in cuts})
    made = [Edit(a, b, "<>") for a, b in zip(places[::2], places[1::2], strict=False)]
    expected = text
    for edit in reversed(made):
        expected = expected[: edit.start] + edit.text + expected[edit.end :]
    assert apply(text, reversed(made)) == expected


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab\nc\r", max_size=30), st.integers(0, 30))
def test_offset_undoes_locate(text: str, at: int) -> None:
    from exitgate.core.policy.yaml.lines import Lines

    lines = Lines("f", text)
    at = min(at, len(text))
    assert edits.offset(lines, *lines.locate(at)) == at


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_between_entries_are_of_neither(end: str) -> None:
    text = "runs:\n- run: a\n  note: |\n    one\n# of b\n\n  # too\n"
    text += "- run: b\n  in: {x: 1}  # own\n# last\n- c\n"
    text = text.replace("\n", end)
    document = load_yaml(text, "")
    items = [document.root.at(("runs", at)) for at in (0, 1)]
    without = [apply(text, [edits.item_removed(document.lines, item)]) for item in items]
    assert without[0] == text.replace(end.join(["- run: a", "  note: |", "    one", ""]), "")
    assert without[1] == text.replace(end.join(["- run: b", "  in: {x: 1}  # own", ""]), "")
    block = "a:\n  x: 1\n# of b\nb: 2\n"
    document = load_yaml(block, "")
    assert apply(block, [edits.entry_removed(document.lines, document.root.at(("a",)))]) == "# of b\nb: 2\n"
