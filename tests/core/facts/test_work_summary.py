"""`work_summary`: the line, its parts, and what does not count."""

from __future__ import annotations

from cases import each
from fact_reading import facts, iteration, resolved

from exitgate.core.facts.extractors import work_summary
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("test-runners"))


def line(text: str, **more: str) -> object:
    value = facts("work_summary", OPTIONS, response=text, **more)["x"].value
    return None if isinstance(value, Unknown) else value


@each(
    ("text", "want"),
    [
        (
            "Modified 3 files. 12 tests passing. Fixed 2 errors.",
            "Modified 3 files, 12 tests passing, 2 errors fixed",
        ),
        (
            "I updated `src/a.py` and src/b/c.ts, and fixed a type error in the reader.\n\n5 passed in 0.2s",
            "Modified 2 files, 5 tests passing, 1 error fixed",
        ),
        ("Files changed:\n- src/a.py\n- `src/b.py`\n- src/a.py\n\nDone.", "Modified 2 files"),
        ("**Files modified:**\n\n1. [a.ts](lib/a.ts)\n2. lib/b.ts", "Modified 2 files"),
        ("Created tests/test_a.py.\nUpdated ./tests/test_a.py again.", "Modified 1 file"),
        (" 4 files changed, 20 insertions(+), 3 deletions(-)", "Modified 4 files"),
        ("FILES_MODIFIED: 3", "Modified 3 files"),
        ("2 failed, 3 passed in 0.2s", "3 tests passing, 2 failing"),
        ("1 tests failing", "1 test failing"),
        ("Resolved 2 lint warnings and fixed 1 bug.", "3 errors fixed"),
        ("Fixed 3 failing tests.", "3 errors fixed"),
        ("I moved to Node.js and changed my mind.", None),
        ("I have not modified 3 files.", None),
        ("Should I have changed src/a.py?", None),
        ("FILES_MODIFIED: <number>", None),
        ("I read src/a.py and thought about it.", None),
        ("", None),
    ],
)
def test_the_line(text: str, want: str | None) -> None:
    assert line(text) == want


def test_the_parts_are_facts_of_their_own() -> None:
    text = "Updated a.py and b.py. 12 tests passing. Fixed 2 errors."
    read = facts("work_summary", OPTIONS, response=text)
    assert [read[f"x.{n}"].value for n in ("files", "tests", "fixed", "names")] == [
        2,
        12,
        2,
        ("a.py", "b.py"),
    ]
    assert [e.note for e in read["x.fixed"].evidence] == ["errors-fixed"]


def test_what_the_task_says_is_not_what_was_done() -> None:
    assert line("Fixed 2 errors in the reader.", task="Fixed 2 errors in the reader.") is None


def test_a_missing_source_is_unknown() -> None:
    read = work_summary.extract("x", "response", OPTIONS, iteration())
    assert [f.value for f in read] == [Unknown("no response was given", f.name) for f in read]
