"""Which lines were added to files: against a model that counts them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.observe.added_lines import Side, added, packed, side_of, unpacked

LINES = st.sampled_from(["a", " a", "b", "\tc", "", "  ", "d\r", "ü"])
FILES = st.lists(
    st.tuples(st.lists(LINES, max_size=8), st.lists(LINES, max_size=8), st.booleans()), max_size=4
)


def said(lines: list[str]) -> Counter[str]:
    return Counter(line.strip() for line in lines if line.strip())


@given(FILES)
def test_what_is_in_more_places_than_before_was_added_and_is_where_it_is_said_to_be(files):
    pairs = []
    for number, (before, after, kept) in enumerate(files):
        old = side_of("\n".join(before).encode())
        pairs.append(
            (f"f{number}", unpacked(packed(old)) if kept else old, side_of("\n".join(after).encode()))
        )
    found = added(pairs)
    then = sum((said(before) for before, _, _ in files), Counter())
    now = sum((said(after) for _, after, _ in files), Counter())
    assert said([line for _, _, line in found]) == now - then
    assert len({(path, at) for path, at, _ in found}) == len(found)
    for path, at, line in found:
        assert files[int(path[1:])][1][at - 1] == line


def test_the_line_that_is_shown_is_the_one_in_the_changed_part():
    before, after = "@skip\na\n@skip\nb\nc\n", "@skip\na\n@skip\nb\n@skip\nc\n"
    assert added([("f", side_of(before.encode()), side_of(after.encode()))]) == [("f", 5, "@skip")]


def test_a_line_moves_between_files_and_from_a_deleted_one():
    line = side_of(b"  @skip\nx")
    nothing = Side((), ())
    assert added([("a", line, nothing), ("b", nothing, line)]) == []
    assert added([("a", line, nothing), ("b", nothing, side_of(b"@skip\n@skip\ny"))]) == [
        ("b", 2, "@skip"),
        ("b", 3, "y"),
    ]
