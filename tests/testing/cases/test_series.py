from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.value import Unknown
from exitgate.testing.cases.series import GIVEN_UNKNOWN, SAMPLE_LIMIT, SeriesError, parse, write

U = GIVEN_UNKNOWN


@each(
    ("text", "want"),
    [
        ("1", ("1",)),
        ("1 2 2x3 3", ("1", "2", "2", "2", "2", "3")),
        ("  1\t2\n3 ", ("1", "2", "3")),
        ("_ 1 _x2", (U, "1", U, U)),
        ("OPENx2 CLOSED", ("OPEN", "OPEN", "CLOSED")),
        ("true false", ("true", "false")),
        ("80% 30m 0.5x2", ("80%", "30m", "0.5", "0.5")),
        ("'two words'x2 \"_\"", ("two words", "two words", "_")),
        ("'it''s' \"a\"\"b\"", ("it's", 'a"b')),
        ("''", ("",)),
        ("x3", ("x3",)),
        ('[a, b] []x2 ["x ]", b]x2 [c', ("[a, b]", "[]", "[]", '["x ]", b]', '["x ]", b]', "[c")),
        ("[a]b [a] b", ("[a]b", "[a]", "b")),
        ("box axb", ("box", "axb")),
        ("fix4", ("fi",) * 4),
        ("'fix4'", ("fix4",)),
        ("ax٣", ("ax٣",)),
    ],
)
def test_samples(text: str, want: tuple[object, ...]) -> None:
    assert parse(text) == want


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("", "no sample", 0),
        (" \n", "no sample", 0),
        ("1 2x0", "0 times", 2),
        ("1 'open", "never closed", 2),
        ("'a'b", "number of times", 0),
        ("'a'x", "number of times", 0),
        ("1 1x99999999999999999999999", "at most", 2),
        (f"1 2x{SAMPLE_LIMIT}", "at most", 2),
    ],
)
def test_trouble_names_the_place(text: str, message: str, offset: int) -> None:
    with pytest.raises(SeriesError, match=message) as caught:
        parse(text)
    assert caught.value.offset == offset


SAMPLES = st.lists(
    st.one_of(
        st.just(U),
        st.text(max_size=6),
        st.text('[] "ax1', max_size=8),
        st.from_regex(r"[a1]?x[0-9]{1,2}", fullmatch=True),
    ),
    min_size=1,
    max_size=12,
)


@given(SAMPLES)
@settings(max_examples=200, deadline=None)
def test_what_is_written_reads_the_same(samples: list[str | Unknown]) -> None:
    assert parse(write(samples)) == tuple(samples)


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        samples = parse(text)
    except SeriesError as error:
        assert 0 <= error.offset <= len(text)
    else:
        assert parse(write(samples)) == samples
