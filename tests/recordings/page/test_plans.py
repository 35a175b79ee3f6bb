"""The plan in each iteration: done and open tasks, and what changed since the iteration before."""

from __future__ import annotations

from pathlib import Path

from page_reading import Reading
from page_runs import POLICY, iteration, played, ticking, written

from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.render import html
from exitgate.recordings.page.view import Plan


def plans(*texts: str | None, policy: str = "bb3", room: int | None = None) -> list[Plan | None]:
    found, policies = played({"r": [iteration(at, plan=text) for at, text in enumerate(texts, 1)]}, [policy])
    return [one.plan for one in page(found, policies, room=room).runs[0].iterations]


def only(plan: Plan | None) -> Plan:
    assert plan is not None
    return plan


def test_without_a_plan_nothing_is_said() -> None:
    assert plans(None, None) == [None, None]
    found, policies = played({"r": [iteration(1)]}, ["bb3"])
    assert "<h4>Plan" not in html(page(found, policies))


def test_tasks_are_done_or_open() -> None:
    plan = only(plans("# Plan\n- [x] one\n- [ ] two `code`\n")[0])
    assert plan.summary == "1 of 2 tasks done"
    assert [(one.text, one.done, one.state) for one in plan.tasks] == [
        ("one", True, "done"),
        ("two `code`", False, "open"),
    ]
    assert plan.changed == "", "what was there before is not known"


def test_it_says_what_changed_since_the_iteration_before() -> None:
    _, second, third, fourth = plans(
        "- [ ] one\n- [x] two\n- [ ] three\n",
        "- [x] one\n- [ ] two\n- [ ] four\n",
        "- [x] one\n- [ ] two\n- [ ] four\n",
        "# Other words\n- [x] one\n- [ ] two\n- [ ] four\n",
    )
    assert [(one.text, one.change) for one in only(second).tasks] == [
        ("one", "was open"),
        ("two", "was done"),
        ("four", "new"),
        ("three", "gone"),
    ]
    assert only(second).summary == "1 of 3 tasks done", "what is gone does not count"
    assert only(second).changed == "1 now done, 1 now open, 1 new, 1 gone"
    assert (only(third).changed, only(third).same_as, only(third).tasks) == ("unchanged", 2, ())
    assert only(fourth).changed == "other words, the same tasks"


def test_a_plan_that_was_there_before_is_listed_once_with_its_changes() -> None:
    first, second = "- [x] one\n- [ ] two\n", "- [x] one\n- [x] two\n"
    last = only(plans(first, second, first)[2])
    assert last.same_as == 1
    assert [(one.text, one.change) for one in last.tasks] == [("two", "was done")]


def test_where_the_plan_was_not_recorded_in_between_no_change_is_said() -> None:
    first, second, third = plans("- [ ] one\n", None, "- [x] one\n")
    assert second is None
    assert only(first).changed == only(third).changed == ""


def test_tasks_with_the_same_words_are_told_apart() -> None:
    plan = only(plans("- [ ] test\n- [ ] test\n", "- [ ] test\n- [x] test\n")[1])
    assert [one.change for one in plan.tasks] == ["", "was open"]


def test_marks_mean_what_the_policy_says(tmp_path: Path) -> None:
    own = POLICY.replace("from: plan}", 'from: plan, marks: {"~": deferred}}')
    plan = only(plans("- [~] later\n- [ ] now\n", policy=written(tmp_path, own))[0])
    assert [one.state for one in plan.tasks] == ["deferred", "open"]


def test_a_plan_without_tasks_is_shown_as_text() -> None:
    plan = only(plans("Refactor the parser.\n\nThen the printer.")[0])
    assert (plan.summary, plan.text) == ("no tasks in it", "Refactor the parser.\n\nThen the printer.")
    assert len(only(plans("word " * 200_000)[0]).text) == 1200


def test_a_long_plan_is_folded_and_bounded_and_changes_come_first() -> None:
    before = "".join(f"- [{'x' if at < 900 else ' '}] task number {at}\n" for at in range(1_000))
    after = before.replace("- [ ] task number 950", "- [x] task number 950")
    plan = only(plans(before, after)[1])
    assert plan.long
    assert (plan.summary, plan.changed) == ("901 of 1,000 tasks done", "1 now done")
    assert len(plan.tasks) + plan.left == 1_000
    assert len(plan.tasks) <= 120
    assert [one.text for one in plan.tasks if one.change] == ["task number 950"]
    tight = only(plans(before, after, room=800)[1])
    assert [one.text for one in tight.tasks if one.change] == ["task number 950"]
    assert len(tight.tasks) < 8


def test_one_megabyte_of_a_task_is_shortened() -> None:
    plan = only(plans(f"- [ ] {'x' * 1_000_000}\n- [x] <b>bold</b>\n")[0])
    assert [len(one.text) for one in plan.tasks] == [160, len("<b>bold</b>")]


def test_secrets_are_hidden_also_over_lines() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEabcd" * 40 + "\n-----END RSA PRIVATE KEY-----"
    token = "ghp_" + "a1B2" * 9
    for text in (f"- [ ] use {token}\n", f"Key:\n{key}\n", f"- [ ] a\n- [x] {key}\n"):
        found, policies = played({"r": [iteration(1, plan=text)]}, ["bb3"])
        read = Reading(html(page(found, policies))).text()
        assert token not in read
        assert "MIIEabcd" not in read


def test_the_page_links_to_where_a_plan_is_listed() -> None:
    found, policies = played({"r": ticking([1, 1, 2])}, ["bb3"])
    read = Reading(html(page(found, policies)))
    assert read.faults == []
    assert "since iteration 1: unchanged" in " ".join(read.text().split())
    assert "#run-1-1" in read.values("href")
