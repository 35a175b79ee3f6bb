"""The list of slow tests names what there is, and the bounds of properties take hold."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from suite import KEPT, LIST, ROOT, covers, function_of, listed

MANY = 10_000
SEEN: list[int] = []


def test_every_line_names_something() -> None:
    lines = (line.lstrip(KEPT) for line in LIST.read_text(encoding="utf-8").splitlines())
    for line in (one for one in lines if one and not one.startswith("#")):
        path, _, function = line.partition("::")
        assert (ROOT / path).exists(), line
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8") if function else True, line


def test_a_line_covers_a_function_a_file_or_a_folder() -> None:
    one = function_of("tests/a/test_b.py::test_c[x[1]]")
    assert one == "tests/a/test_b.py::test_c"
    assert all(covers({line}, one) for line in (one, "tests/a/test_b.py", "tests/a/"))
    assert not any(covers({line}, one) for line in ("tests/a/test_b.py::test_d", "tests/b/"))
    assert not any(line.startswith(KEPT) for line in listed())


@settings(max_examples=MANY)
@given(st.integers())
def test_a_property(number: int) -> None:
    SEEN.append(number)


def test_takes_as_many_examples_as_the_suite_allows() -> None:
    assert len(SEEN) < MANY / 2
