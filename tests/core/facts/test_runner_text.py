"""`tests` and `work_summary` on hostile text: nothing raises, spans lie within it, work grows with it."""

from __future__ import annotations

import pytest
from cases import EVERY, each, some
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps
from test_fuzz_text import SNIPPETS

from exitgate.core.model.fact import EXCERPT_LIMIT
from exitgate.core.model.value import Unknown

OPTIONS = {"lexicon": resolved("test-runners")}
LINES = (
    "12 passed", "=== 2 failed, 3 passed in 0.1s ===", "test result: ok. 5 passed; 0 failed; 0 ignored", "OK",
    "Tests: 1 failed, 2 total", "ok 1 a", "not ok 2 - b", "1..3", "Ran 5 tests in 0.1s",
    "FAILED (failures=9)",
    "--- FAIL: TestA (0.0s)", "FAILED a.py::b - x", "$ npm test", "Running tests...", "all 14 tests pass",
    "9" * 60 + " passed", "Modified 3 files", "Fixed 2 errors", "Files changed:", "- src/a.py",
    "Updated a.py:",
    "3 tests failing", "FILES_MODIFIED: 3", "\x1b[32m5 passed\x1b[0m", "5 passed\x1b[", "  12 passing (3ms)",
    "99999999999999999999/1 tests pass", "12 个测试全部通过",
)  # fmt: skip
HOSTILE = st.lists(
    st.sampled_from(LINES) | st.sampled_from(SNIPPETS) | st.text(st.characters(codec=None), max_size=8),
    max_size=30,
)


@pytest.mark.parametrize("extractor", ["tests", "work_summary"])
@settings(max_examples=100, deadline=None)
@given(pieces=HOSTILE, task=HOSTILE, glue=st.sampled_from(["", " ", "\n", "\r\n"]))
def test_no_text_raises_and_spans_are_within_it(
    extractor: str, pieces: list[str], task: list[str], glue: str
) -> None:
    text = glue.join(pieces)
    found = facts(extractor, OPTIONS, response=text, task=glue.join(task))
    assert found == facts(extractor, OPTIONS, response=text, task=glue.join(task))
    for fact in found.values():
        for seen in (*fact.evidence, *fact.rejected):
            assert 0 <= seen.start < seen.end <= len(text)
            assert seen.line == text.count("\n", 0, seen.start) + 1
            assert len(seen.excerpt) <= EXCERPT_LIMIT
        if isinstance(fact.value, int):
            assert fact.value >= 0


@settings(max_examples=100, deadline=None)
@given(pieces=HOSTILE)
def test_figures_agree_with_one_another(pieces: list[str]) -> None:
    found = facts("tests", OPTIONS, response="\n".join(pieces))
    value = {name[2:]: None if isinstance(f.value, Unknown) else f.value for name, f in found.items()}
    if value["passing"] is True:
        assert value["failed"] == 0
        assert value["passed"] != 0
    if value["failed"]:
        assert value["passing"] is False
    if value["passed"] is not None or value["only"] is True:
        assert value["ran"] is True
    assert not (value["only"] is True and value["passed"] is None and value["ran"] is False)


#: Characters of the shorter of two texts: a square shows in less than the soak takes.
SIZE = 2_000 if EVERY else 1_000
#: Lines that say what was done, and beginnings of what is said of files.
OF_WORK = [*(f"{line}\n" for line in LINES[16:22]), LINES[23] + "\n", "Updated src/a.py and "]
OF_WORK += ["- Updated a.py:\n", "Updated:\n- a.py\n", "a.b/"]


@each(
    ("extractor", "text"),
    [
        *(("tests", f"{line}\n") for line in some(LINES, 10)),
        *(("tests", text) for text in ("12 tests pass and 3 tests fail ", "1 ", "all the ", "ran the ")),
        *(("work_summary", text) for text in OF_WORK),
        # All at once, and what says nothing to one of them.
        ("tests", "".join(f"{line}\n" for line in LINES)),
        ("tests", "".join(OF_WORK)),
        ("work_summary", "".join(f"{line}\n" for line in LINES)),
    ],
)
def test_twice_the_text_is_at_most_twice_the_work(extractor: str, text: str) -> None:
    def work(response: str) -> int:
        # a text of its own each time: what was prepared of it is kept
        return steps(lambda: facts(extractor, OPTIONS, response="".join(response)))

    # one long line is only read in part: from there on
    size = SIZE if "\n" in text else 2_000
    small, large = (text * (length // len(text) + 1) for length in (size, 2 * size))
    work(text)  # imports and caches are made before counting
    assert work(large) <= 2.3 * work(small) + 500


@pytest.mark.parametrize(
    "options", [{}, {"lexicon": None}, {"lexicon": {"entries": [1, {"reports": "summary"}], "guards": {}}}]
)
def test_without_a_lexicon_nothing_is_found(options: dict) -> None:
    assert facts("tests", options, response="12 passed in 0.1s")["x.ran"].value is False
    assert isinstance(facts("work_summary", options, response="Modified 3 files")["x"].value, Unknown)
