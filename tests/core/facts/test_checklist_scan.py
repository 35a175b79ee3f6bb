"""No open task of a plan is hidden by anything but a fence or comment that is closed."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import example, given, settings
from hypothesis import strategies as st

OPTIONS = {"lexicon": resolved("plan-words")}

#: Lines that a plan may hold by accident: fences and comments never closed, HTML, bytes, quotations.
STRAYS = (
    "```", "~~~", "````", "```python", "~~~ text", "   ```", "- ```", "> ```", "1. ~~~", "<!-- left over",
    "<!--",
    "<details>", "<details><summary>more</summary>", "</details>", "<div>", "<pre>", "<script>", "<?php",
    "<![CDATA[", "<!DOCTYPE x", "<table>", "> quoted", ">", "words", "text:", "1. one", "- plain", "---",
    "===",
    "", "\x00", "\ufeff", "\t", "| a | b |", "|---|---|", "    indented", "[label]: /there", "\u2028",
    "# A title",
)  # fmt: skip
#: The same open task in the forms it is written in.
OPEN = (
    "- [ ] mow", "* [ ] mow", "+ [ ] mow", "1. [ ] mow", "7) [ ] mow", "  - [ ] mow", "    - [ ] mow",
    "\t- [ ] mow",
    "        * [ ] mow", "> - [ ] mow", "> > - [ ] mow", "- - [ ] mow", "- [\u00a0] mow",

    "- [ ]mow", "[ ] mow", "### [ ] mow", "- **[ ]** mow", "\u2022 [ ] mow", "| [ ] | mow |",
    "| lawn | [ ] mow |",
    "\u00a0- [ ] mow", "\ufeff- [ ] mow", "\x00- [ ] mow", "- [~] mow", "- [/] mow", "- [-] mow",
    "- [ ] ~mow~",
)  # fmt: skip
CLOSED = (
    "```\n- [ ] shown\n```", "~~~md\n- [ ] shown\n\n- [x] also\n~~~", "````\n```\n- [ ] shown\n```\n````",
    "<!-- - [ ] shown -->", "<!--\n- [ ] shown\n-->", "<pre>\n- [ ] shown\n</pre>",
)  # fmt: skip


def values(plan: str) -> dict:
    return {name[2:]: fact.value for name, fact in facts("checklist", OPTIONS, "plan", plan=plan).items()}


def known_open(plan: str) -> bool:
    found = values(plan)
    return isinstance(found["open"], int) and found["open"] > 0 and found["complete"] is False


@settings(max_examples=600, deadline=None)
@given(
    before=st.lists(st.sampled_from((*STRAYS, "- [x] sown")), max_size=6),
    task=st.sampled_from(OPEN),
    behind=st.lists(st.sampled_from((*STRAYS, "- [x] dug")), max_size=6),
    end=st.sampled_from(("\n", "\r\n", "\r")),
)
@example(["```"], "- [ ] mow", ["- [x] dug"], "\n")
@example(["<!-- left over"], "- [ ] mow", [], "\r\n")
@example(["<details>"], "- [ ] mow", ["</details>"], "\n")
def test_a_stray_mark_hides_no_open_task(before, task, behind, end):
    # what stands between two marks of the same kind is closed, and may be hidden
    lines = [*before, task, *behind]
    if not closes(before, behind):
        assert known_open(end.join(lines))


def closes(before, behind) -> bool:
    """Whether a line behind could close what a line before opens."""
    pairs = (("```", "```"), ("~~~", "~~~"), ("<pre", "</pre"), ("<", ">"))
    return any(
        any(opened in line for line in before) and any(close in line for line in behind)
        for opened, close in pairs
    )


@settings(max_examples=400, deadline=None)
@given(
    parts=st.lists(st.sampled_from((*CLOSED, "- [x] sown", "words", "# A title")), max_size=5),
    stray=st.sampled_from(("```", "~~~", "````", "```python", "   ```", "<!-- left over", "- ```", "> ~~~")),
    at=st.integers(0, 5),
    task_at=st.integers(0, 6),
)
@example(["```\n- [ ] shown\n```"], "```", 0, 0)
@example(["```\n- [ ] shown\n```"], "```", 0, 1)
@example(["```\n- [x] shown\n```"], "```", 0, 1)
def test_one_stray_mark_among_closed_ones_hides_no_open_task(parts, stray, at, task_at):
    lines = [*parts]
    lines.insert(min(task_at, len(lines)), "- [ ] mow")
    lines.insert(min(at, len(lines)), stray)
    assert known_open("\n".join(lines))


@each("closed", CLOSED)
@each("task", OPEN)
def test_a_closed_fence_still_hides_what_it_shows(closed, task):
    found = values(f"- [x] sown\n\n{closed}\n\n{task}\n")
    assert (found["total"], found["done"], found["open"], found["unclosed"]) == (2, 1, 1, ())
    found = values(f"{closed}\n\n- [x] sown\n")
    assert (found["total"], found["complete"]) == (1, True)


@pytest.mark.parametrize(
    ("plan", "lines"),
    [
        ("- [x] a\n\n```\n- [ ] b\n", ("line 3",)),
        ("```\n- [ ] a\n```\n- [x] b\n```\n", ("line 1",)),
        ("```\nx\n```\n- [x] b\n```\n", ("line 5",)),
        ("<!-- a\n- [ ] b\n<!-- c -->\n", ("line 1",)),
        ("- a\n  ```\n  - [ ] b\n- [x] c\n", ("line 2",)),
        ("- [x] a\n~~~\n```\n- [ ] b\n", ("line 2", "line 3")),
        ("- [ ] a\n", ()),
    ],
)
def test_the_line_of_a_fence_that_is_never_closed_is_told(plan, lines):
    found = facts("checklist", OPTIONS, "plan", plan=plan)["x.unclosed"]
    assert found.value == lines
    assert [f"line {e.line}" for e in found.evidence] == list(lines)


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.characters() | st.sampled_from("-*+[] xX>`~<!#=\n\r\t012.)|"), max_size=80))
def test_any_text_is_read_and_its_items_stand_where_they_are_said_to(text):
    found = facts("checklist", OPTIONS, "plan", plan=text)
    total = found["x.total"]
    assert 0 <= found["x.done"].value + found["x.open"].value <= total.value
    for piece in total.evidence:
        assert text.startswith(piece.excerpt, piece.start)


@each(
    ("mark", "done"),
    [*((m, True) for m in ("x", "X", "\u2713", "\u2714\ufe0f")), *((m, False) for m in "~-/>!?*")],
)
def test_what_a_mark_says(mark, done):
    found = values(f"- [{mark}] sow\n- [x] dig\n")
    assert found["complete"] is done


def test_children_that_are_open_keep_a_ticked_parent_open():
    assert known_open("- [x] garden\n  - [x] sow\n  - [ ] water\n")
    assert known_open("1. [x] garden\n   1. [x] sow\n      - [ ] water\n")


@pytest.mark.parametrize(
    "task", ["- [ ]", "- [ ] ", "use `[ ]` for open", "a sentence with [ ] in it", "[ ](link)"]
)
def test_what_is_no_task(task):
    assert values(f"- [x] sow\n\n{task}\n")["complete"] is True
