"""What changed in a plan: items paired, moved, reworded; what is only looks; what is unknown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fuzz_text import HOSTILE

from exitgate.core.facts.extractors import plan_changes
from exitgate.core.facts.extractors.plan_changes import PAIRED
from exitgate.core.facts.extractors.similarity import KEPT, bounded
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

PLAN = """# Plan

- [ ] Add a login form
- [ ] Write tests for the login
- [x] Set up CI

Some notes.
"""
NOTHING = {
    "changed": False, "added": 0, "removed": 0, "ticked": 0, "unticked": 0, "reworded": 0,
    "reordered": False, "cosmetic": False, "meaningful": False,
}  # fmt: skip


def facts(before: str | None, after: str, **options: object) -> dict[str, Fact]:
    iteration = Iteration(2, "t#1", 0.0, {"plan": Source("plan", after)}, {"plan": (before,)})
    return {
        f.name.removeprefix("p."): f
        for f in plan_changes.extract("p", "plan", JsonObject(options), iteration)
    }


def changed(before: str, after: str, **options: object) -> dict[str, object]:
    """Return the facts that are not as they are without any change."""
    found = {name: fact.value for name, fact in facts(before, after, **options).items()}
    assert found.keys() == NOTHING.keys()
    return {name: value for name, value in found.items() if value != NOTHING[name]}


def test_the_same_plan_did_not_change() -> None:
    assert changed(PLAN, PLAN) == {}


@pytest.mark.parametrize(
    "after",
    [
        PLAN.replace("- [", "* ["),
        PLAN.replace("[x]", "[X]"),
        PLAN.replace("\n", "\r\n"),
        PLAN.replace("- [ ] ", "- [ ]   "),
        PLAN.replace("Add a login form", "**add** a `LOGIN` form."),
        PLAN.replace("Some notes.", "\n\nsome  notes"),
        PLAN + "\n\n",
    ],
)
def test_looks_alone_are_cosmetic(after: str) -> None:
    assert changed(PLAN, after) == {"changed": True, "cosmetic": True}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("- [ ] Add", "- [x] Add", {"ticked": 1}),
        ("- [x] Set", "- [ ] Set", {"unticked": 1}),
        ("- [ ] Write tests for the login\n", "", {"removed": 1}),
        ("- [x] Set up CI", "- [x] Set up CI\n- [ ] Rotate keys", {"added": 1}),
        ("a login form", "a login form with a captcha", {"reworded": 1}),
        ("- [ ] Add a login form", "- [x] Added a login form", {"reworded": 1, "ticked": 1}),
        ("Write tests for the login", "Rotate all keys", {"added": 1, "removed": 1}),
    ],
)
def test_what_happens_to_items_is_meaningful(old: str, new: str, wanted: dict) -> None:
    assert old in PLAN
    assert changed(PLAN, PLAN.replace(old, new)) == {"changed": True, "meaningful": True, **wanted}


def test_another_order_is_neither_looks_nor_work() -> None:
    lines = PLAN.splitlines(keepends=True)
    lines[2], lines[4] = lines[4], lines[2]
    assert changed(PLAN, "".join(lines)) == {"changed": True, "reordered": True}
    # an item put in front moves the others, but not past one another
    assert changed(PLAN, PLAN.replace("- [ ] Add", "- [ ] Rotate keys\n- [ ] Add")).get("reordered") is None


def test_notes_are_no_work() -> None:
    assert changed(PLAN, PLAN + "Loop 7: still looking.\n") == {"changed": True}


def test_marks_that_the_policy_names_are_states() -> None:
    after = PLAN.replace("- [ ] Add", "- [~] Add")
    assert changed(PLAN, after, marks={"~": "blocked"}) == {"changed": True, "meaningful": True}


def test_items_outside_the_task_sections_do_not_count() -> None:
    before = f"{PLAN}\n## Later\n- [ ] Dark mode\n"
    after = before.replace("- [ ] Dark", "- [x] Dark")
    assert changed(before, after, task_sections=["Plan"]).get("ticked") == 1  # a section below belongs to it
    before, after = (text.replace("## Later", "# Later") for text in (before, after))
    assert changed(before, after, task_sections=["Plan"]) == {"changed": True}


def test_items_with_the_same_words_are_paired_in_order() -> None:
    before = "- [ ] test\n- [ ] test\n- [ ] test\n"
    assert changed(before, before.replace("[ ]", "[x]", 2)) == {
        "changed": True,
        "meaningful": True,
        "ticked": 2,
    }
    assert changed(before, "- [ ] test\n")["removed"] == 2


def test_how_alike_items_must_be_is_an_option() -> None:
    after = PLAN.replace("Write tests for the login", "Write docs for the logout")
    assert changed(PLAN, after, likeness=50)["reworded"] == 1
    assert changed(PLAN, after, likeness=99)["added"] == 1


def test_evidence_stands_in_the_later_plan() -> None:
    after = PLAN.replace("- [ ] Write", "- [x] Write")
    (seen,) = facts(PLAN, after)["ticked"].evidence
    assert (seen.source, seen.line, seen.excerpt) == ("plan", 4, after[seen.start : seen.end])


def test_too_many_other_items_are_not_compared_with_one_another() -> None:
    before, after = (
        "".join(f"- [ ] {word} number {n}\n" for n in range(PAIRED + 1)) for word in ("task", "tasks")
    )
    found = facts(before, after)
    assert (found["added"].value, found["removed"].value, found["reworded"].value) == (
        PAIRED + 1,
        PAIRED + 1,
        0,
    )
    assert "none is treated as reworded" in found["added"].note


@pytest.mark.parametrize("before", [None, bounded("- [ ] a\n" * KEPT, KEPT)])
def test_a_plan_that_is_not_known_whole_tells_nothing(before: str | None) -> None:
    assert all(isinstance(f.value, Unknown) for f in facts(before, PLAN).values())


def test_no_earlier_plan_tells_nothing() -> None:
    found = plan_changes.extract(
        "p", "plan", JsonObject(), Iteration(1, "t#1", 0.0, {"plan": Source("plan", PLAN)})
    )
    assert {f.value.reason for f in found if isinstance(f.value, Unknown)} == {"there is no earlier plan"}
    assert len(found) == len(NOTHING)
    lost = plan_changes.extract("p", "plan", JsonObject(), Iteration(1, "t#1", 0.0, {}, {"plan": (PLAN,)}))
    assert all(isinstance(f.value, Unknown) for f in lost)


BOXES = st.lists(st.sampled_from(["- [ ] ", "- [x] ", "* [~] ", "1. [X] "]), max_size=6)


@settings(max_examples=80, deadline=None)
@given(one=HOSTILE, other=HOSTILE, boxes=BOXES)
def test_no_text_raises_and_numbers_add_up(one: list[str], other: list[str], boxes: list[str]) -> None:
    before, after = (
        "\n".join([*(b + p for b, p in zip(boxes, text, strict=False)), *text]) for text in (one, other)
    )
    found = {name: fact.value for name, fact in facts(before, after).items()}
    back = {name: fact.value for name, fact in facts(after, before).items()}
    assert found["changed"] == (before != after) == back["changed"]
    assert (found["added"], found["removed"]) == (back["removed"], back["added"])
    assert not (found["cosmetic"] and (found["meaningful"] or found["reordered"]))
    assert changed(before, before) == {}
