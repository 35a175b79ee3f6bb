"""Task items as facts: counts, sections, marks, evidence, and what is unknown."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import checklist
from exitgate.core.facts.plans.marks import Heading
from exitgate.core.facts.plans.sections import Sections
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown


def read(plan, **options):
    sources = {} if plan is None else {"plan": Source("plan", text=plan)}
    return {
        fact.name.removeprefix("tasks."): fact
        for fact in checklist.extract(
            "tasks", "plan", JsonObject(options), Iteration(1, "loop#1", 0.0, sources)
        )
    }


def values(plan, **options):
    return {
        name: None if isinstance(fact.value, Unknown) else fact.value
        for name, fact in read(plan, **options).items()
    }


def counts(plan, **options):
    found = values(plan, **options)
    return tuple(found[name] for name in ("total", "done", "open"))


@each(
    ("note", "plan", "want"),
    [
        ("bullets", "- [x] a\n* [ ] b\n+ [X] c\n", (3, 2, 1)),
        ("numbers", "1. [x] a\n2. [ ] b\n\n7) [ ] c\n", (3, 1, 2)),
        ("nested", "- [ ] a\n  - [x] b\n    1. [x] c\n- plain\n  - [ ] d\n", (4, 2, 2)),
        ("under plain items", "1. Setup\n   - [x] a\n   - [ ] b\n", (2, 1, 1)),
        ("in a quote", "> - [x] a\n> - [ ] b\n", (2, 1, 1)),
        ("tilde fence", "~~~md\n- [ ] a\n~~~\n- [x] b\n", (1, 1, 0)),
        ("fence that is never closed", "- [x] a\n```\n- [ ] b\n", (2, 1, 1)),
        ("a longer fence holds a shorter one", "````\n```\n- [ ] a\n```\n````\n- [x] b\n", (1, 1, 0)),
        ("indented", "text\n\n    - [ ] a\n\n- [x] b\n", (2, 1, 1)),
        ("comment", "<!--\n- [ ] a\n\n- [ ] b\n-->\n- [x] c\n", (1, 1, 0)),
        ("no space behind", "- [x]a\n- [ ]b\n- [ ] c\n", (3, 1, 2)),
        ("no item before", "[ ] a\ntext [x] b\n", (1, 0, 1)),
        ("empty brackets, words, notes", "- [] a\n- [ab] b\n- [^1] c\n- [1] d\n- [x](u) e\n", (0, 0, 0)),
        ("in a table or a sentence", "| - [ ] a |\nuse `- [ ] b` here\n", (1, 0, 1)),
        ("escaped", "- \\[ ] a\n- [ \\] b\n- \\[x\\] c\n- [\\] d\n", (4, 1, 3)),
        ("carriage returns", "- [x] a\r- [ ] b\r\n- [ ] c", (3, 1, 2)),
        ("byte order mark", "\ufeff- [x] a\n", (1, 1, 0)),
        ("tabs", "-\t[x] a\n\t- [ ] b\n", (2, 1, 1)),
        ("heading like items", "- # [ ] a\n- [x] b\n", (2, 1, 1)),
        ("stars with dates", "* [2026-02-03] a\n* [x] b\n", (1, 1, 0)),
    ],
)  # fmt: skip
def test_what_is_an_item(note, plan, want):
    assert counts(plan) == want


def test_percent_is_one_exact_division():
    for total in range(1, 40):
        for done in range(total + 1):
            plan = "- [x] a\n" * done + "- [ ] b\n" * (total - done)
            assert values(plan)["percent"] == 100 * done / total
    assert repr(values("- [x] a\n- [ ] b\n")["percent"]) == "50"


def test_a_missing_plan_is_unknown_but_known_to_be_absent():
    found = read(None)
    assert found.pop("present").value is False
    assert {fact.value for fact in found.values()} == {
        Unknown("no plan was given", f"tasks.{name}") for name in found
    }
    sources = {"plan": Source("plan", reason="no plan at `x`")}
    facts = checklist.extract("t", "plan", JsonObject(), Iteration(1, "a#1", 0.0, sources))
    assert facts[2].value == Unknown("no plan at `x`", "t.total")


@pytest.mark.parametrize("plan", ["", "# Plan\n\nwords\n"])
def test_a_plan_without_items_has_counts_but_no_share(plan):
    found = read(plan)
    assert counts(plan) == (0, 0, 0)
    assert found["present"].value is True
    assert found["percent"].value == Unknown("no task items in the plan", "tasks.percent")
    assert found["complete"].value == Unknown("no task items in the plan", "tasks.complete")


SECTIONED = "- [x] a\n# Main\n- [x] b\n## Later: maybe\n- [ ] c\n### Deep\n- [ ] d\n## Back\n- [ ] e\n"


def test_optional_sections_do_not_block():
    found = values(SECTIONED, optional_sections=["later"])
    assert (found["total"], found["open"], found["blocking_open"], found["complete"]) == (5, 3, 1, False)
    found = values(SECTIONED.replace("[ ] e", "[x] e"), optional_sections=["LATER"])
    assert (found["open"], found["blocking_open"], found["complete"], found["percent"]) == (2, 0, True, 60)


def test_only_task_sections_count_where_they_are_named():
    found = read(SECTIONED, task_sections=["Later"])
    assert found["total"].value == 2
    assert found["total"].note == "3 outside the task sections"
    assert [piece.guard for piece in found["total"].rejected] == ["section"] * 3
    none = read(SECTIONED, task_sections=["Nowhere"])
    assert none["percent"].value == Unknown("no task items in the task sections of the plan", "tasks.percent")


@each(
    ("name", "heading", "level", "want"),
    [
        ("Later", "Later", 2, True),
        ("later ", "LATER", 2, True),
        ("Later", "Later: themes", 2, True),
        ("Later", "Later (maybe)", 2, True),
        ("Task", "Task 3: parser", 3, True),
        ("Later", "Later on", 2, False),
        ("Later", "Later-born ideas", 2, False),
        ("Later", "Later2", 2, False),
        ("Later*", "Later on", 2, True),
        ("Lat*", "Later on", 2, True),
        ("### Later", "Later", 3, True),
        ("### Later", "Later", 2, False),
        ("Nice  to Have", "Nice to have", 2, True),
        ("", "Later", 2, False),
        ("Straße", "STRASSE", 2, True),
    ],
)
def test_names_of_sections(name, heading, level, want):
    assert Sections([name]).within([Heading(level, heading)]) == (want,)


def test_named_marks_have_states_and_counts():
    plan = "- [~] a\n- [-] b\n- [/] c\n- [!] d\n- [v] e\n- [?] f\n- [x] g\n"
    marks = {"~": "deferred", "-": "cancelled", "/": "in_progress", "!": "blocked", "v": "done"}
    found = values(plan, marks=marks)
    assert {name: found[name] for name in ("deferred", "cancelled", "in_progress", "blocked")} == {
        "deferred": 1, "cancelled": 1, "in_progress": 1, "blocked": 1,
    }  # fmt: skip
    assert (found["total"], found["done"], found["open"], found["blocking_open"]) == (7, 2, 4, 3)
    assert "deferred" not in values(plan)
    assert counts(plan) == (6, 1, 5)


def test_put_off_and_given_up_items_do_not_block():
    found = values("- [x] a\n- [~] b\n- [-] c\n", marks={"~": "deferred", "-": "cancelled"})
    assert (found["complete"], found["open"], found["percent"]) == (True, 1, 100 / 3)


def test_specs_name_the_facts_that_come_out():
    for options in ({}, {"marks": {"~": "deferred"}}, {"grammar": "literal"}):
        for plan in (None, "", "- [ ] a\n"):
            assert [spec.name for spec in checklist.specs(JsonObject(options))] == list(read(plan, **options))


@each(
    ("plan", "current"),
    [
        ("- [x] a\n- [ ] b **now**\n- [ ] c\n", "b **now**"),
        ("- [ ] a\n- [/] b\n- [ ] c\n", "b"),
        ("- [!] a\n- [ ] c\r\n", "c"),
        ("- [x] a\n- [x] b\n", None),
        ("- [x] a\n- [!] b\n", None),
        ("- [~] a\n\n## Later\n- [ ] b\n", None),
        ("nothing", None),
        ("- [ ] " + "x" * 300, "x" * 200),
        (None, None),
    ],
)
def test_the_current_item_is_the_one_in_progress_or_the_first_that_is_due(plan, current):
    marks = {"/": "in_progress", "!": "blocked", "~": "deferred"}
    assert values(plan, marks=marks, optional_sections=["Later"])["current"] == current


def test_open_items_are_the_evidence():
    plan = "# Plan\r\n- [x] one\r\n  - [ ] two words\r\n" + "- [ ] more\r\n" * 60
    fact = read(plan)["open"]
    assert len(fact.evidence) == checklist.EVIDENCE_LIMIT
    first = fact.evidence[0]
    assert (first.source, first.line, first.column, first.excerpt) == ("plan", 3, 5, "[ ] two words")
    assert plan[first.start : first.end] == "[ ] two words"
    assert read("- [ ] " + "y" * 900)["open"].evidence[0].excerpt == "[ ] " + "y" * 196


LITERAL = {"grammar": "literal"}


@pytest.mark.parametrize(
    ("plan", "options", "want"),
    [
        ("- [x] a\n- [X] b\n* [x] c\n- [ ] d\n", {}, (2, 1, 1)),
        ("text - [ ] a\n  - [x] b\n", {}, (2, 1, 1)),
        ("text - [ ] a\n- [x] b\n", {"mark_at": "line_start"}, (1, 1, 0)),
        ("- [x] a\n- [2026] b\n- [ ] c\n", {"total_mark": "- ["}, (3, 1, 1)),
        ("```\n- [ ] a\n```\n", {}, (1, 0, 1)),
        ("TODO a\nDONE b\n", {"open_mark": "TODO", "done_mark": "DONE"}, (2, 1, 1)),
        ("- [x] a\n- [X] b\n- [ ] c\n", {"done_mark": ["- [x]", "- [X]"]}, (3, 2, 1)),
        ("text - [ ] a\n \t- [x] b\n", {"mark_at": "indented"}, (1, 1, 0)),
        ("a - [ ] b\n  - [x] c\n", {"mark_at": "indented", "total_mark": "- ["}, (1, 1, 0)),
    ],
)
def test_literal_counting_sees_lines_only(plan, options, want):
    assert counts(plan, **LITERAL, **options) == want


@pytest.mark.parametrize(
    ("plan", "open_", "blocking"),
    [
        ("- [ ] a\n# Later\n- [ ] b\n## Themes\n- [ ] c\n# Now\n- [ ] d\n", 4, 2),
        ("  ## later\n- [ ] a\n", 1, 0),
        ("# Later on\n- [ ] a\n#Later\n- [ ] b\n#\n- [ ] c\n", 3, 3),
        ("```\n# Later\n```\n- [ ] a\n", 1, 0),
    ],
)
def test_literal_items_of_optional_sections_do_not_block(plan, open_, blocking):
    found = values(plan, **LITERAL, optional_sections=["Later"])
    assert (found["open"], found["blocking_open"], found["complete"]) == (open_, blocking, blocking == 0)


def test_a_literal_total_below_the_done_count_is_at_most_everything():
    assert values("- [x] a\n- [x] b\n- [ ] c\n", **LITERAL, total_mark="- [ ]")["percent"] == 100
    assert values("- [x] a\n", **LITERAL, total_mark="- [ ]")["percent"] is None


@settings(max_examples=200, deadline=None)
@given(
    plan=st.text(st.characters() | st.sampled_from("-*[] xX~\n#`>"), max_size=80),
    options=st.fixed_dictionaries(
        {},
        optional={
            "grammar": st.sampled_from(["gfm", "literal"]),
            "optional_sections": st.lists(st.text(max_size=4), max_size=2),
            "task_sections": st.lists(st.text(max_size=4), max_size=2),
            "marks": st.dictionaries(st.characters(), st.sampled_from(["done", "deferred", "cancelled"])),
            "total_mark": st.text(min_size=1, max_size=2),
            "mark_at": st.sampled_from(["anywhere", "line_start", "indented"]),
        },
    ),
)
def test_any_plan_under_any_options_gives_consistent_facts(plan, options):
    found = values(plan, **options)
    assert found["done"] >= 0
    assert found["blocking_open"] <= found["open"]
    assert found["percent"] is None or 0 <= found["percent"] <= 100
    assert (found["percent"] is None) == (found["total"] == 0)
    if options.get("grammar") != "literal":
        assert found["done"] + found["open"] + found.get("cancelled", 0) == found["total"]


def test_a_finished_plan_rests_on_its_ticks_and_an_open_one_on_what_is_open():
    source = {"plan": Source("plan", text="- [x] one\n- [x] two\n")}
    done = {f.name: f for f in checklist.extract("p", "plan", JsonObject(), Iteration(1, "r#1", 0.0, source))}
    assert [e.excerpt for e in done["p.complete"].evidence] == ["[x] one", "[x] two"]
    source = {"plan": Source("plan", text="- [x] one\n- [ ] two\n")}
    begun = {
        f.name: f for f in checklist.extract("p", "plan", JsonObject(), Iteration(1, "r#1", 0.0, source))
    }
    assert [e.excerpt for e in begun["p.complete"].evidence] == ["[ ] two"]
