"""A plan that ticks only what is finished is not complete: its open tasks are written otherwise."""

from __future__ import annotations

import json

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("plan-words"), optional_sections=["Ideas"])

TICKS = "- [x] hive\n- [x] frames\n"
ARCHIVES = (
    "## Completed", "## Completed tasks", "### Done", "## \u2705 Done", "# Archive", "## Changelog",
    "## History",
    "## Completed (2 of 2)", "## DONE:", "**Completed:**", "**Done**", "Completed:", "## Finished work",
    "## Erledigt", "## Completado", "## Terminé", "## Concluído", "## Выполнено", "## 已完成", "## 完了",
)  # fmt: skip
#: Open tasks that are no boxes, and how many each makes.
OTHERS = (
    ("## Task 3: smoker\n\nBuy one.\n", 1),
    ("### Story 4 - smoker\n\n### Task 5 - veil\n", 2),
    ("## TODO\n\n- smoker\n- veil\n", 2),
    ("## To do\n\n1. smoker\n2. veil\n", 2),
    ("### Remaining\n* smoker\n", 1),
    ("Remaining:\n- smoker\n- veil\n", 2),
    ("**Remaining:**\n\n- smoker\n", 1),
    ("Next: smoker\n", 1),
    ("Still to do: smoker and veil\n", 1),
    ("## In progress\n- smoker\n", 1),
    ("## Remaining\n\n### Smoker\nwords\n\n### Veil\nwords\n", 2),
    ("- TODO: smoker\n- DONE: veil\n", 1),
    ("** TODO smoker\n** DONE veil\n", 1),
    ("* TODO smoker\n", 1),
    ("- Todo: smoker\n", 1),
    ("| Task | Status |\n|---|---|\n| smoker | todo |\n| veil | done |\n", 1),
    ("| # | Status | Task |\n|---|:-:|---|\n| 1 | In Progress | smoker |\n| 2 | ⬜ | veil |\n", 2),
    ("| Task | Progress |\n|---|---|\n| smoker | 40% |\n| veil | 100% |\n", 1),
    ("- ⬜ smoker\n- ✅ veil\n", 1),
    ("- ☐ smoker\n- ☑ veil\n- 🔲 gloves\n", 2),
    ("⬜ smoker\n", 1),
    ("## Offene Aufgaben\n- Schleier\n", 1),
    ("## Pendiente\n- velo\n", 1),
    ("## À faire\n- voile\n", 1),
    ("## Pendente\n- véu\n", 1),
    ("## Осталось\n- вуаль\n", 1),
    ("## 待办\n- 面纱\n", 1),
    ("## 残り\n- ベール\n", 1),
    ("## Backlog\n- smoker\n", 1),
    ("- [  ] smoker\n", 1),
    ("- [] smoker\n- [] veil\n", 2),
    ("- smoker [ ]\n- veil [x]\n", 1),
    ("- `[ ]` smoker\n- `[x]` veil\n", 1),
    ("- \uff3b \uff3d smoker\n", 1),
    ("- ⏳ smoker\n- ○ veil\n- ● gloves\n", 2),
    ("- TBD: smoker\n", 1),
    ("### Smoker\nStatus: pending\n\n### Veil\n**Status:** ✅ Complete\n", 1),
    ("## Smoker\n- passes: false\n## Veil\n- passes: true\n", 1),
    ('<task status="open">smoker</task>\n<task done="true">veil</task>\n', 1),
    ('<input type="checkbox"> smoker<br>\n<input type="checkbox" checked> veil\n', 1),
    ("## Phase 2\n- smoker\n", 1),
    ("## Smoker (not started)\n- buy one\n", 1),
)


def values(plan: str, **options) -> dict:
    found = facts("checklist", {**OPTIONS, **options}, "plan", plan=plan)
    return {name[2:]: None if isinstance(f.value, Unknown) else f.value for name, f in found.items()}


@each("archive", ARCHIVES)
def test_ticks_below_finished_work_alone_say_nothing_of_what_is_to_be_done(archive):
    found = values(f"{archive}\n\n{TICKS}\n## Notes\n\nThe meadow is wet.\n")
    assert (found["done"], found["open"]) == (2, 0)
    assert (found["complete"], found["percent"]) == (None, None)


@each(("other", "count"), OTHERS)
@each("first", [True, False])
def test_open_tasks_in_other_layouts_are_known(other, count, first):
    done = f"## Completed\n{TICKS}"
    plan = f"# Bees\n\n{other}\n{done}" if first else f"# Bees\n\n{done}\n# Rest\n\n{other}"
    found = values(plan)
    assert (found["open"], found["blocking_open"], found["complete"]) == (count, count, False)
    assert found["percent"] == 0


@each(("other", "count"), OTHERS)
def test_ticked_boxes_elsewhere_do_not_make_them_done(other, count):
    found = values(f"# Bees\n\n## Now\n{TICKS}\n{other}")
    assert (found["open"], found["complete"]) == (count, False)


@settings(max_examples=200, deadline=None)
@given(
    archive=st.sampled_from(ARCHIVES),
    others=st.lists(st.sampled_from([text for text, _ in OTHERS]), min_size=1, max_size=3),
    gap=st.sampled_from(["\n", "\n\n", "\n\nwords\n\n"]),
)
def test_no_mixture_of_them_is_complete(archive, others, gap):
    assert values(f"{archive}\n{TICKS}{gap}# Rest\n\n" + gap.join(others))["complete"] is False


@each(
    "more",
    [
        "",
        "## Notes\n\n- the meadow is wet\n- TODO comments are gone\n",
        "## Remaining\n\nNone\n",
        "## Remaining\n\n- none\n",
        "Remaining: nothing\n",
        "## TODO\n\n- [x] veil\n- a note on it\n",
        "## Task 1: hive (done)\n\n## Task 2: frames ✅\n\n## ~~Task 3: veil~~\n",
        "| Task | Status |\n|---|---|\n| smoker | done |\n",
        "## Done when\n\n- it hums\n",
        "## Completed\n\n- [x] meadow\n- ⬜ was open once\n",
        "```\nTODO: shown\n```\n",
        "## Ideas\n\n- TODO: a second hive\n",
        "## How to start\n\n### Step 1\n\nOpen the lid.\n",
        "## Next.js\n\n- the shop window\n",
    ],
)
def test_a_list_of_boxes_that_are_all_ticked_stays_complete(more):
    assert values(f"# Bees\n\n## Now\n{TICKS}\n{more}")["complete"] is True


def test_words_below_what_remains_may_be_a_task():
    found = values(f"## Now\n{TICKS}\n## Remaining\n\nThe smoker does not smoke.\n")
    assert (found["open"], found["complete"]) == (0, None)


@pytest.mark.parametrize(
    "more", ["- ✅ hive\n- ✅ frames\n", "| Task | Status |\n|---|---|\n| hive | done |\n"]
)
def test_signs_and_tables_alone_never_make_a_plan_complete(more):
    assert values(f"# Bees\n\n{more}")["complete"] is None
    assert values(f"# Bees\n\n{more}- ⬜ veil\n")["complete"] is False


def test_open_boxes_are_the_tasks_where_there_are_any():
    found = values(f"## Completed\n{TICKS}\n## Now\n- [ ] veil\n\n## Task 3: smoker\n")
    assert (found["total"], found["done"], found["open"], found["percent"]) == (3, 2, 1, 0)


STORIES = (
    {
        "userStories": [
            {"id": "U1", "title": "hive", "passes": True},
            {"id": "U2", "title": "veil", "passes": False},
        ]
    },
    [{"description": "hive", "passes": True}, {"description": "veil", "passes": False}],
    {"stories": [{"title": "hive", "status": "done"}, {"title": "veil", "status": "in_progress"}]},
    {
        "tasks": [
            {"id": 1, "title": "hive", "status": "Done"},
            {"id": 2, "title": "veil", "status": "pending"},
        ]
    },
    {"master": {"tasks": [{"title": "hive", "status": "done"}, {"title": "veil", "status": "review"}]}},
    {"epics": [{"name": "e", "stories": [{"t": "hive", "done": True}, {"t": "veil", "done": False}]}]},
    {"features": {"a": {"name": "hive", "completed": True}, "b": {"name": "veil", "completed": False}}},
    {
        "tasks": [
            {"title": "hive", "status": "done"},
            {"title": "veil", "status": "done", "subtasks": [{"title": "x", "status": "pending"}]},
        ]
    },
)


@pytest.mark.parametrize("stories", STORIES)
def test_a_plan_in_json_is_read_by_its_shape(stories):
    found = values(json.dumps(stories, indent=1))
    assert (found["total"], found["done"], found["open"], found["complete"]) == (2, 1, 1, False)
    closed = json.loads(json.dumps(stories).replace("false", "true").replace("in_progress", "done"))
    text = json.dumps(closed).replace("pending", "done").replace("review", "done")
    assert values(text)["complete"] is True


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"tasks": []}', '{"tasks": ["a"]}', '{"name": "x", "done": true}', "[{", "{"]
)
def test_json_without_stories_has_no_tasks(text):
    assert values(text)["complete"] is None


def test_missing_is_known_only_of_what_was_looked_for():
    from exitgate.core.facts.extractors import checklist
    from exitgate.core.model.fact import Iteration, Source

    def missing(source: Source) -> object:
        found = checklist.extract("t", "plan", OPTIONS, Iteration(1, "r#1", 0.0, {"plan": source}))
        value = {f.name: f.value for f in found}["t.missing"]
        return None if isinstance(value, Unknown) else value

    assert missing(Source("plan", reason="no plan at `x`", absent=True)) is True
    assert missing(Source("plan", reason="the recording does not show it")) is None
    assert missing(Source("plan", text="")) is True
    assert missing(Source("plan", text="# words\n")) is True
    assert missing(Source("plan", text="- [x] hive\n")) is False


@each("mark", ["-", "~", ">"])
@each("said", ["veil (dropped)", "veil (won't do)", "cancelled: veil", "~~veil~~", "~~veil~~ too hot"])
def test_an_item_that_says_that_it_was_given_up_is_not_open(mark, said):
    found = values(f"- [x] hive\n- [{mark}] {said}\n")
    assert (found["open"], found["blocking_open"], found["complete"]) == (0, 0, True)


@pytest.mark.parametrize("item", ["- [ ] veil (dropped)", "- [-] veil", "- [-] drop the veil (heavy)"])
def test_an_empty_box_and_a_mark_that_says_nothing_stay_open(item):
    assert values(f"- [x] hive\n{item}\n")["complete"] is False


@pytest.mark.parametrize("heading", ["## Legend", "### Legende", "## Status legend"])
def test_a_legend_is_no_task(heading):
    legend = f"{heading}\n- [ ] open\n- [x] done\n- [-] dropped\n\n"
    assert values(f"{legend}## Hives\n{TICKS}")["complete"] is True
    assert values(f"{legend}## Hives\n{TICKS}- [ ] veil\n")["open"] == 1


@pytest.mark.parametrize(
    "line",
    [
        "Status: in progress",
        "**Status:** pending",
        "- TODO comments are gone",
        "- [x](u) a link",
        "- [note] dry",
    ],
)
def test_a_remark_in_a_section_of_ticked_boxes_opens_nothing(line):
    assert values(f"# Bees\n{line}\n\n{TICKS}")["complete"] is True


def test_empty_brackets_beside_tags_are_tags():
    found = values("- [note] dry\n- [] none\n- [x] hive\n")
    assert (found["total"], found["done"]) == (1, 1)


@each("done", ["done: true", "status: done", "status: 'completed'", "passes: yes"])
@each("left", ["done: false", "status: pending", 'status: "in progress"', "passes: no"])
@each("head", ["", "# Bees\n", "---\n", "tasks:\n"])
def test_a_plan_in_yaml_shows_its_open_tasks(done, left, head):
    found = values(f"{head}  - task: hive\n    {done}\n  - task: veil\n    {left}\n")
    assert (found["open"], found["done"]) == (1, 1)
