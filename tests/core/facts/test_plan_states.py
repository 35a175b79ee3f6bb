"""Every layout of a plan shows its open task, and calls no finished one open."""

# ruff: noqa: RUF001
from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.value import Unknown

OPTIONS = {"lexicon": resolved("plan-words"), "optional_sections": ["Ideas"]}

#: Layouts that hold boxes: a finished item and an open one. A plan of finished ones is complete.
BOXED = {
    "escaped": ("- \\[x\\] {}", "- \\[ \\] {}"),
    "half escaped": ("- \\[x] {}", "- \\[ ] {}"),
    "empty and escaped": ("- \\[x\\] {}", "- \\[\\] {}"),
    "escaped star": ("* \\[X\\] {}", "* \\[ \\] {}"),
    "escaped, no list": ("\\[x\\] {}", "\\[ \\] {}"),
    "letters": ("a. [x] {}", "b. [ ] {}"),
    "capitals": ("A) [x] {}", "B) [ ] {}"),
    "letters in brackets": ("(a) [x] {}", "(b) [ ] {}"),
    "Roman": ("iii. [x] {}", "iv. [ ] {}"),
    "outline": ("2.a. [x] {}", "2.b. [ ] {}"),
    "numbered tasks": ("Task 1: [x] {}", "Task 2: [ ] {}"),
    "ids": ("- BAKE-7: [x] {}", "- BAKE-8: [ ] {}"),
    "bold letters": ("**a.** [x] {}", "**b.** [ ] {}"),
}
#: Layouts without boxes. A plan of finished ones is not known to be complete, and has nothing open.
UNBOXED = {
    "dash": ("1. **{}** — DONE", "2. **{}** — IN PROGRESS"),
    "dash, small": ("1. {} – done", "2. {} – not started"),
    "hyphen": ("- {} - complete", "- {} - pending"),
    "colon": ("- {}: done", "- {}: todo"),
    "colon, doubtful": ("- {}: done", "- {}: open"),
    "full-width colon": ("- {}：已完成", "- {}：未开始"),
    "arrow": ("* {} -> finished", "* {} -> in progress"),
    "wide arrow": ("* {} → done", "* {} → queued"),
    "brackets": ("- {} [done]", "- {} [pending]"),
    "parentheses": ("- {} (done)", "- {} (not started yet)"),
    "first in brackets": ("- [done] {}", "- [in progress] {}"),
    "first in capitals": ("- [DONE] {}", "- [TODO] {}"),
    "code": ("- {} — `done`", "- {} — `wip`"),
    "remark behind": ("- {} [done]", "- {} [in progress, half the dough]"),
    "words behind": ("- {} — DONE yesterday", "- {} — IN PROGRESS since noon"),
    "waits": ("- {} — done", "- {} — blocked by the oven"),
    "cross": ("- ✅ {}", "- ❌ {}"),
    "cross and remark": ("- ✅ {}", "- ❌ {} (not started)"),
    "lights": ("- 🟢 {}", "- 🟡 {}"),
    "red light": ("- 🟢 {}", "- 🔴 {}"),
    "sign behind": ("- {} ✅", "- {} ⏳"),
    "sign behind colon": ("- **{}**: ✅", "- **{}**: ❌"),
    "share": ("- {}: 100%", "- {}: 60%"),
    "share in brackets": ("- {} (4/4)", "- {} (1/4)"),
    "share of": ("- {}: 4 of 4", "- {}: 1 of 4"),
    "struck": ("- ~~{}~~", "- {}"),
    "ticked only": ("- ✅ {}", "- {}"),
    "said of finished only": ("- {} (done)", "- {}"),
    "round": ("- (x) {}", "- ( ) {}"),
    "round, numbers": ("1. (X) {}", "2. ( ) {}"),
    "round, no list": ("(x) {}", "( ) {}"),
    "curly": ("- {{x}} {}", "- {{ }} {}"),
    "full-width round": ("- （x） {}", "- （　） {}"),
    "html": ('<li><input type="checkbox" checked> {}</li>', '<li><input type="checkbox"> {}</li>'),
    "html in a list": ('- <input type="checkbox" checked="" /> {}', '- <input type="checkbox" /> {}'),
    "html in a label": (
        "<label><input type='checkbox' checked disabled> {}</label>",
        "<label><input type='checkbox' disabled> {}</label>",
    ),
    "plain lines": ("{} ✅", "{} ⏳"),
    "plain lines with states": ("{} — DONE", "{} — NOT STARTED"),
    "headings": ("### {} — DONE\n\nwords\n", "### {} — IN PROGRESS\n\nwords\n"),
    "headings in brackets": ("### 1. {} [done]\n\nwords\n", "### 2. {} [pending]\n\nwords\n"),
    "headings with signs": ("### {} ✅\n\nwords\n", "### {} 🚧\n\nwords\n"),
    "German": ("- {} — erledigt", "- {} — nicht begonnen"),
    "Spanish": ("- {}: hecho", "- {}: pendiente"),
}
#: Tables: the head, a finished row, an open row.
TABLES = {
    "yes and no": ("| Step | Done? |\n|---|---|\n", "| {} | yes |\n", "| {} | no |\n"),
    "capitals": ("| Step | DONE |\n|---|---|\n", "| {} | Y |\n", "| {} | N |\n"),
    "crosses": ("| Step | Completed |\n|---|---|\n", "| {} | x |\n", "| {} | |\n"),
    "dashes": ("| Step | Finished? |\n|---|---|\n", "| {} | ✔ |\n", "| {} | - |\n"),
    "signs": ("| Step | ✅ |\n|---|---|\n", "| {} | ✅ |\n", "| {} | ❌ |\n"),
    "status": ("| Step | Current status |\n|---|---|\n", "| {} | Done |\n", "| {} | Not yet started |\n"),
    "share": ("| Step | % done |\n|---|---|\n", "| {} | 100% |\n", "| {} | 30% |\n"),
}
FINISHED = ("Rye bread", "Plum cake", "Rolls")
OPEN = "Brioche with almonds"
TITLES = ("", "# Bakery\n\n", "## Week 12\n\nWhat we bake.\n\n")


def values(plan: str) -> dict:
    found = facts("checklist", OPTIONS, "plan", plan=plan)
    return {name[2:]: None if isinstance(f.value, Unknown) else f.value for name, f in found.items()}


def listing(layout: str, names, last: str) -> str:
    done, open_ = {**BOXED, **UNBOXED}[layout]
    lines = [done.format(name) for name in names]
    return "\n".join([*lines, open_.format(last)] if last else lines) + "\n"


@each("title", TITLES)
@each("layout", [*BOXED, *UNBOXED])
def test_one_open_item_is_known_in_every_layout(layout, title):
    found = values(title + listing(layout, FINISHED, OPEN))
    assert (found["open"], found["blocking_open"], found["complete"]) == (1, 1, False)
    assert found["percent"] in ((0,) if "headings" in layout else (75,))


@each("title", TITLES)
@each("layout", [*BOXED, *UNBOXED])
def test_a_finished_plan_has_nothing_open_in_any_layout(layout, title):
    found = values(title + listing(layout, FINISHED, ""))
    assert found["open"] == 0
    assert found["complete"] is (True if layout in BOXED else None)


#: Layouts in which an item beside boxes may be a remark, or has no open form.
REMARKABLE = ("said of finished only", "share", "share in brackets", "share of", "struck", "ticked only")


@each("layout", [name for name in UNBOXED if name not in REMARKABLE and "plain" not in name])
def test_ticked_boxes_elsewhere_do_not_hide_the_open_item(layout):
    found = values(f"# Bakery\n\n- [x] Oven\n\n## Week 12\n\n{listing(layout, FINISHED, OPEN)}")
    assert (found["open"], found["complete"]) == (1, False)


@each("layout", UNBOXED)
def test_finished_items_in_other_layouts_leave_ticked_boxes_complete(layout):
    found = values(f"# Bakery\n\n- [x] Oven\n\n## Week 12\n\n{listing(layout, FINISHED, '')}")
    assert (found["open"], found["complete"]) == (0, True)


@each("boxes", ["", "# Oven\n- [x] Oven\n\n# Bread\n"])
@each("table", TABLES)
def test_the_column_that_asks_whether_a_task_is_done(table, boxes):
    head, done, open_ = TABLES[table]
    rows = "".join(done.format(name) for name in FINISHED)
    assert values(boxes + head + rows)["open"] == 0
    found = values(boxes + head + rows + open_.format(OPEN))
    assert (found["open"], found["complete"]) == (1, False)


@settings(max_examples=150, deadline=None)
@given(
    layouts=st.lists(st.sampled_from([*BOXED, *UNBOXED]), min_size=1, max_size=3),
    fence=st.sampled_from(["```", "```markdown", "~~~", "````md", "   ```"]),
    around=st.sampled_from([("", ""), ("Here is the plan:\n\n", ""), ("# Bakery\n", "\nThat is all.\n")]),
)
def test_a_plan_in_one_fence_is_read_as_if_it_stood_outside(layouts, fence, around):
    plan = "\n## Next week\n\n".join(listing(layout, FINISHED, OPEN) for layout in layouts)
    close = fence.strip().rstrip("markdown")
    inside, outside = values(f"{around[0]}{fence}\n{plan}{close}\n{around[1]}"), values(plan)
    assert (inside["total"], inside["done"], inside["open"]) == (
        outside["total"],
        outside["done"],
        outside["open"],
    )


@pytest.mark.parametrize(
    "plan",
    [
        "```\n- [ ] shown\n```\n\n- [x] baked\n",
        "- [x] baked\n\n```\n- [ ] shown\n```\n",
        "# How\n\n```\n- [ ] shown\n```\n\nwords\n\n```\n- [ ] shown\n```\n",
    ],
)
def test_a_fence_that_is_not_all_of_the_plan_still_hides_what_it_shows(plan):
    assert values(plan)["open"] == 0


def test_fences_within_the_one_fence_hide_what_they_show():
    inner = "- [x] dough\n\n```bash\n- [ ] shown\n```\n\n- [ ] brioche\n"
    found = values(f"````markdown\n{inner}````\n")
    assert (found["total"], found["open"]) == (2, 1)


SHARES = (
    "Progress: 3/7", "**Progress:** 3 / 7 loaves", "Overall: 42%", "## Progress (3/7)", "# Plan [3/7]",
    "3/7 tasks complete", "42% done", "3 of 7 tasks completed", "Tasks completed: 3 of 7",
    "- Status: 3 out of 7 finished",
    "Progress: [####------] 40%", "Total progress: ███░░░░ 42.8 %", "Fortschritt: 3/7", "进度：3/7",
)  # fmt: skip


@each("line", SHARES)
def test_a_plan_that_only_counts_its_tasks_is_open_until_all_are_done(line):
    found = values(f"# Bakery\n\n{line}\n\nWe bake at night.\n")
    assert found["open"] == found["blocking_open"] == found["total"] - found["done"] > 0
    assert found["complete"] is False
    assert 40 <= found["percent"] < 43
    assert found["missing"] is False
    closed = line.replace("3/7", "7/7").replace("3 / 7", "7 / 7").replace("3 of", "7 of")
    closed = closed.replace("3 out", "7 out").replace("42.8 %", "100 %").replace("42%", "100%")
    found = values(f"# Bakery\n\n{closed.replace('40%', '100%')}\n\nWe bake at night.\n")
    assert (found["open"], found["complete"]) == (0, None)


@each("line", SHARES)
def test_where_tasks_are_listed_they_count_and_not_the_figure(line):
    found = values(f"{line}\n\n- [x] dough\n- [x] oven\n")
    assert (found["open"], found["complete"], found["percent"]) == (0, True, 100)


@pytest.mark.parametrize(
    "line",
    [
        "Coverage: 60%",
        "Version 3/7",
        "Date: 3/7",
        "Progress: none",
        "50/50 split",
        "A 40% sugar syrup",
        "3/7/2026",
    ],
)
def test_a_figure_that_is_no_share_of_the_plan(line):
    assert values(f"# Bakery\n\n{line}\n")["total"] == 0


#: What beside ticked boxes is a remark, or settings; alone it lists no task either.
REMARKS = (
    "- Door: open",
    "- Budget: 60%",
    "- Verbose: false",
    "- Next: see the wiki",
    "- ✅ weigh the flour\n- ❌ never guess",
    "## Rules\n\n- ✅ weigh the flour\n- ❌ guess",
    "- the `[ ]` of an array",
    "- (a) or (b), both will do",
    '- Use `<input type="checkbox">` for the form',
    "- Serves 4 of 5 guests",
    "- Ready-made dough is fine",
    "The oven — hot as ever — is clean",
    "- Rolls (in progress bar colours)",
    "Legend: [ ] open",
    "---\ntitle: Bakery\nstatus: in-progress\n---",
)


@each("remark", REMARKS)
@each("first", [True, False])
def test_a_remark_beside_ticked_boxes_opens_nothing(remark, first):
    boxes = "- [x] dough\n- [x] oven"
    parts = (remark, "# Bread\n\n" + boxes) if first else (boxes, "# Notes\n\n" + remark)
    assert values("\n\n".join(parts))["complete"] is True


@each("said", ["cancelled", "won't do", "dropped", "optional", "out of scope"])
@each("form", ["- {} ({})", "- {}: {}", "- {} — {}", "- {} [{}]"])
def test_an_item_that_was_given_up_is_not_open(said, form):
    plan = "- ✅ Rye bread\n- ✅ Rolls\n" + form.format("Brioche", said) + "\n"
    assert values(plan)["open"] == 0


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from("[]()（）{}\\-:—%/0137 xab.✅❌⏳~`<>|\n#"), max_size=60))
def test_any_text_is_read(text):
    found = values(text)
    assert found["open"] >= 0
    assert found["percent"] is None or 0 <= found["percent"] <= 100
