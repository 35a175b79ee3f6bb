"""The plan as a transcript shows it, write by write."""

# ruff: noqa: E501 - a call stands on one line, as agents write it
from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.state.discover import DEFAULT_PATHS, OTHER_PLANS
from exitgate.recordings.formats.plans import NAMES, Plans

TODO = "# Tasks\n\n- [ ] one\n- [ ] two\n"
HALF = "# Tasks\n\n- [x] one\n- [ ] two\n"
ONE = {"old_string": "- [ ] one", "new_string": "- [x] one"}


def after(*calls: tuple, files: dict[str, str] | None = None) -> Plans:
    plans = Plans(files)
    for input, *rest in calls:
        plans.called("tool", input, *rest)
    return plans


def test_the_names_are_those_that_a_check_looks_for():
    assert DEFAULT_PATHS["plan"] == (*NAMES, *OTHER_PLANS)


def test_nothing_seen_is_not_known():
    assert Plans().plan() is None


@each(
    "write",
    [
        {"file_path": "fix_plan.md", "content": TODO},
        {"path": "fix_plan.md", "content": TODO},
        {"filePath": "/work/app/fix_plan.md", "content": TODO},
        {"command": "create", "path": "/w/fix_plan.md", "file_text": TODO},
        json.dumps({"path": "fix_plan.md", "content": TODO}),
        {"file_path": "fix_plan.md", "old_string": "", "new_string": TODO},
        "*** Begin Patch\n*** Add File: fix_plan.md\n"
        + "".join(f"+{line}\n" for line in TODO.splitlines())
        + "*** End Patch\n",
    ],
)
@each(
    "edit",
    [
        {"file_path": "fix_plan.md", **ONE},
        {"filePath": "fix_plan.md", "oldString": "- [ ] one", "newString": "- [x] one"},
        {"path": "fix_plan.md", "command": "str_replace", "old_str": "[ ] one", "new_str": "[x] one"},
        {"file_path": "fix_plan.md", "edits": [ONE]},
        {"path": "fix_plan.md", "edits": [{"oldText": "- [ ] one", "newText": "- [x] one"}]},
        {"path": "fix_plan.md", "diff": "<<<<<<< SEARCH\n- [ ] one\n=======\n- [x] one\n>>>>>>> REPLACE\n"},
        {"input": "*** Begin Patch\n*** Update File: fix_plan.md\n@@\n-- [ ] one\n+- [x] one\n*** End Patch"},
        {
            "command": [
                "apply_patch",
                "*** Begin Patch\n*** Update File: fix_plan.md\n@@ # Tasks\n \n-- [ ] one\n+- [x] one\n - [ ] two\n*** End Patch\n",
            ]
        },
        {"path": "fix_plan.md", "content": HALF},
    ],
)
def test_written_and_edited_by_tools_of_any_agent(write, edit):
    plans = after((write,))
    assert plans.plan() == TODO
    plans.called("tool", edit)
    assert plans.plan() == HALF


def test_a_failed_call_changes_nothing():
    plans = after(({"file_path": "fix_plan.md", "content": TODO},))
    plans.called("Edit", {"file_path": "fix_plan.md", **ONE}, "no such text", True)
    plans.called("Write", {"file_path": "fix_plan.md", "content": "gone"}, None, True)
    plans.called("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]}, None, True)
    assert plans.plan() == TODO


def test_every_occurrence():
    plans = after(({"file_path": "fix_plan.md", "content": TODO},))
    plans.called(
        "E", {"file_path": "fix_plan.md", "old_string": "[ ]", "new_string": "[x]", "replace_all": True}
    )
    assert plans.plan() == TODO.replace("[ ]", "[x]")


def test_an_edit_of_a_file_never_shown_leaves_it_unknown():
    plans = after(
        ({"todos": [{"content": "a", "status": "pending"}]},), ({"file_path": "fix_plan.md", **ONE},)
    )
    assert plans.plan() is None
    plans.called("Write", {"file_path": "fix_plan.md", "content": HALF})
    assert plans.plan() == HALF


def test_an_edit_that_does_not_fit_makes_the_text_unknown():
    plans = after(({"file_path": "a.md", "content": TODO},), ({"file_path": "b.md", "content": HALF},))
    plans.called("Edit", {"file_path": "b.md", "old_string": "- [ ] three", "new_string": "- [x] three"})
    assert plans.plan() is None
    assert set(plans.files()) == {"a.md"}


def test_which_file_is_the_plan():
    plans = after(
        ({"file_path": "notes/todo.md", "content": TODO},),
        ({"file_path": "tests/sample.py", "content": HALF},),
    )
    assert plans.plan() == TODO
    plans.todos([("a", True), ("b\n- [x] c", False)])
    assert plans.plan() == "- [x] a\n- [ ] b - [x] c\n"
    plans.wrote("/w/fix_plan.md", HALF)
    assert plans.plan() == HALF
    plans.wrote("/w/.ralph/fix_plan.md", TODO)
    plans.wrote("notes/todo.md", HALF)
    assert plans.plan() == TODO


def test_a_file_without_boxes_is_no_plan():
    assert after(({"file_path": "README.md", "content": "# A\n\n- item\n"},)).plan() is None


@pytest.mark.parametrize(
    "todos",
    [
        {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]},
        {"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "pending"}]},
        {"items": [{"text": "a", "completed": True}, {"text": "b", "completed": False}]},
        {"todos": [{"description": "a", "status": "completed"}, {"description": "b", "status": "pending"},
                   {"description": "c", "status": "cancelled"}]},
        {"todos": "- [x] a\n- [-] b"},
        {"path": "x.py", "content": "1", "task_progress": "- [x] a\n- [ ] b"},
        '{"explanation": "go", "plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "pending"}]}',
    ],
)  # fmt: skip
def test_lists_of_to_do_tools(todos):
    assert after((todos,)).plan() == "- [x] a\n- [ ] b\n"


def test_tasks_one_by_one():
    plans = after(
        ({"subject": "a", "description": "long"}, "Task #1 created"),
        ({"subject": "b", "description": "long"}, "Task #7 created"),
        ({"subject": "c", "description": "long"},),
        ({"taskId": "7", "status": "completed"},),
        ({"taskId": "3", "status": "deleted"},),
        ({"taskId": "99", "status": "completed"},),
    )
    assert plans.plan() == "- [ ] a\n- [x] b\n"


def numbered(text: str, form: str) -> str:
    return "\n".join(form.format(at, line) for at, line in enumerate(text.split("\n"), 1))


@pytest.mark.parametrize(
    "shown",
    [
        numbered(TODO, "{:6d}→{}"),
        numbered(TODO, "{:6d}\t{}"),
        "Here is what `cat -n` gives of it:\n" + numbered(TODO, "{:6d}\t{}"),
        "<file>\n" + numbered(TODO, "{:05d}| {}") + "\n\n(End of file - total 5 lines)\n</file>",
        numbered(TODO, "{} | {}"),
        numbered(TODO, "L{}: {}"),
        numbered(TODO, "{:6d}→{}") + "\n\n<system-reminder>\nmind the gap\n</system-reminder>\n",
        TODO,
    ],
)
def test_a_file_read_whole_is_known_without_its_line_numbers(shown):
    plans = after(({"file_path": "/w/fix_plan.md"}, shown))
    assert plans.plan() == TODO
    plans.called("Edit", {"file_path": "/w/fix_plan.md", **ONE})
    assert plans.plan() == HALF


@pytest.mark.parametrize(
    ("input", "shown"),
    [
        ({"file_path": "fix_plan.md", "offset": 3}, "- [ ] one\n"),
        ({"file_path": "fix_plan.md", "limit": 2}, TODO),
        ({"file_path": "fix_plan.md"}, "     3→- [ ] one\n     4→- [ ] two"),
        ({"file_path": "fix_plan.md"}, numbered("x\n" * 1999, "{}→{}")),
        ({"file_path": "fix_plan.md"}, numbered(TODO, "{}→{}") + "\n... 40 lines more"),
        ({"pattern": "one", "path": "fix_plan.md"}, "- [ ] one"),
        ({"command": "sed -n '1,4p' fix_plan.md"}, TODO),
        ({"command": "cat fix_plan.md | head -2"}, TODO),
        ({"command": "cat fix_plan.md"}, TODO * 400),
    ],
)
def test_a_part_of_a_file_does_not_make_it_known(input, shown):
    assert after((input, shown)).plan() is None


@pytest.mark.parametrize(
    "command",
    [
        "cat fix_plan.md",
        ["bash", "-lc", "cat fix_plan.md"],
        "sed -n '1,200p' fix_plan.md",
        ["cat", "./fix_plan.md"],
        'cat "fix_plan.md"',
    ],
)
def test_a_command_that_prints_it(command):
    assert after(({"command": command}, TODO)).plan() == TODO


def test_what_a_command_may_have_written_is_no_longer_known():
    for command in (
        "sed -i 's/ /x/' fix_plan.md",
        "echo '- [x] z' >> fix_plan.md",
        "git checkout fix_plan.md",
    ):
        plans = after(({"file_path": "fix_plan.md", "content": TODO},), ({"command": command}, ""))
        assert plans.plan() is None, command
    for command in (
        "grep -c one fix_plan.md 2>/dev/null",
        "git add fix_plan.md && git commit -m x",
        "echo > b",
    ):
        plans = after(({"file_path": "fix_plan.md", "content": TODO},), ({"command": command}, ""))
        assert plans.plan() == TODO, command


def test_relative_and_absolute_paths_of_one_file():
    plans = after(
        ({"file_path": "/w/docs/fix_plan.md", "content": TODO},), ({"path": "docs/fix_plan.md", **ONE},)
    )
    assert plans.files() == {"/w/docs/fix_plan.md": HALF}
    plans.wrote("/other/docs/fix_plan.md", TODO)
    assert len(plans.files()) == 2


def test_a_patch_moves_and_deletes():
    plans = after(({"file_path": "fix_plan.md", "content": TODO},))
    patch = "*** Begin Patch\n*** Update File: fix_plan.md\n*** Move to: done.md\n@@\n-- [ ] two\n+- [x] two\n*** End Patch"
    plans.called("apply_patch", patch)
    assert plans.files() == {"done.md": TODO.replace("[ ] two", "[x] two")}
    plans.called("apply_patch", "*** Begin Patch\n*** Delete File: done.md\n*** End Patch\n")
    assert plans.files() == {}
    assert plans.plan() is None


def test_lines_are_inserted():
    plans = after(({"path": "a.md", "content": TODO},))
    plans.called("t", {"command": "insert", "path": "a.md", "insert_line": 2, "new_str": "- [ ] zero"})
    plans.called("t", {"path": "a.md", "line": 1, "content": "top\n"})
    assert plans.plan() == "top\n" + TODO.replace("- [ ] one", "- [ ] zero\n- [ ] one")


def test_other_files_are_kept_too_and_not_without_bounds():
    plans = after(({"file_path": "prd.json", "content": '{"userStories": []}'},))
    assert plans.files() == {"prd.json": '{"userStories": []}'}
    plans.wrote("fix_plan.md", TODO)
    for at in range(50):
        plans.wrote(f"f{at}.txt", "x" * 300_000)
    assert sum(map(len, plans.files().values())) <= 4_000_000
    assert plans.plan() == TODO
    plans.wrote("fix_plan.md", "x" * 500_000)
    assert plans.plan() is None


LETTERS = st.text(alphabet="ab [x]-\n", min_size=1, max_size=4)


@settings(max_examples=50, deadline=None)
@given(
    st.text(alphabet="ab [x]-\n", max_size=60),
    st.lists(st.tuples(LETTERS, LETTERS, st.booleans()), max_size=12),
)
def test_edits_are_what_they_are_on_the_file(text, edits):
    plans = Plans({"fix_plan.md": text})
    for old, new, everywhere in edits:
        if old in text:
            text = text.replace(old, new) if everywhere else text.replace(old, new, 1)
            plans.called(
                "E",
                {"file_path": "fix_plan.md", "old_string": old, "new_string": new, "replace_all": everywhere},
            )
    assert plans.plan() == text


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "- [ ] c", ""]), min_size=1, max_size=12), st.data())
def test_a_patch_of_one_unique_line_is_that_line_changed(lines, data):
    lines = [f"{at}{line}" for at, line in enumerate(lines)]
    at = data.draw(st.integers(0, len(lines) - 1))
    before = "\n".join(lines)
    patch = f"*** Begin Patch\n*** Update File: fix_plan.md\n@@\n-{lines[at]}\n+new\n*** End Patch"
    plans = Plans({"fix_plan.md": before})
    plans.called("apply_patch", patch)
    assert plans.plan() == "\n".join([*lines[:at], "new", *lines[at + 1 :]])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["path", "content", "command", "todos", "edits", "old_string", "diff", "line", "taskId"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(JSON, st.none() | st.text(max_size=20)), max_size=5))
def test_no_input_is_too_strange(calls):
    plans = after(*calls)
    assert plans.plan() is None or isinstance(plans.plan(), str)


def test_time_is_linear_in_the_calls(tmp_path: Path):
    plans = Plans()
    for at in range(3000):
        plans.called("Write", {"file_path": f"src/{at}/index.ts", "content": "x"})
        plans.called("Bash", {"command": f"ls src/{at}"}, "index.ts")
    assert plans.plan() is None
