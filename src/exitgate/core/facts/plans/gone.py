"""Items that were open when a run began and are gone from the plan, though no check saw them done."""

from __future__ import annotations

from exitgate.core.facts.extractors.plan_changes import LIKENESS, compare, tasks
from exitgate.core.facts.extractors.similarity import KEPT, is_cut
from exitgate.core.facts.plans.items import markdown_items
from exitgate.core.facts.plans.tasks import marks_of
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.extractors.plan_changes import Difference, Task

NAME = "items_gone"
#: Under it a run keeps which of its items were seen done: where they begin in the plan it began with.
DONE = "done"
_PLAN, _NOW = "plan", "plan_now"


def gone(prefix: str, record: JsonObject, options: JsonObject) -> Fact:
    """
    Return how many items are gone.

    The record has under `plan` the `text` of the plan when the run began, or the `reason` why it is not
    known, under `plan_now` the same of this iteration, and under `before` what the run keeps, by prefix. An
    item that was reworded is the same, as for `plan_changes`; one that was done when a check saw it may go.
    """
    found = _difference(record, options)
    if not isinstance(found, tuple):
        return Fact(NAME, Unknown(found))
    text, difference = found
    done = {*seen_done(prefix, record, options)}
    left = [task for task in difference.removed if not task.done and task.item.start not in done]
    note = "" if difference.whole else "too many items differ: none is treated as reworded"
    return Fact(NAME, len(left), tuple(_evidence(text, task) for task in left), note=note)


def seen_done(prefix: str, record: JsonObject, options: JsonObject) -> list[int]:
    """Return which items of the plan that the run began with were ever seen done, by where they begin."""
    kept = record.object("before").object(prefix).array(DONE)
    before = [at for at in kept if isinstance(at, int)]
    found = _difference(record, options)
    now = [] if not isinstance(found, tuple) else [old.item.start for old, new in found[1].pairs if new.done]
    return sorted({*before, *now})


def _difference(record: JsonObject, options: JsonObject) -> tuple[str, Difference] | str:
    """Return the plan that the run began with and what changed since, or why that is not known."""
    before, now = record.object(_PLAN).text("text"), record.object(_NOW).text("text")
    if before is None:
        known = record.object(_PLAN).text("reason", "") or record.text("reason", "")
        return known or "the plan that the run began with is not known"
    if now is None:
        return record.object(_NOW).text("reason", "") or "the plan is not known"
    if is_cut(before) or is_cut(now):
        return f"a plan of more than {KEPT} characters is not compared"
    return before, compare(_tasks(before, options), _tasks(now, options), LIKENESS)


def _tasks(text: str, options: JsonObject) -> tuple[Task, ...]:
    marks = marks_of(JsonObject(marks=options.object("plan_marks")))
    return tasks(text, markdown_items(text, marks, (), options.texts("task_sections"))[0])


def _evidence(text: str, task: Task) -> Evidence:
    at = task.item
    shown = text[at.start : min(at.end, at.start + EXCERPT_LIMIT)]
    return Evidence("tampering", at.line, at.column, 0, 0, shown, f"line {at.line} when the run began")
