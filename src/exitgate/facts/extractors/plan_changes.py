"""`plan_changes`: what changed in a plan since the iteration before, and whether that means anything."""

from __future__ import annotations

from exitgate.facts import plan_diff
from exitgate.facts.checklist_items import STATES, markdown_items
from exitgate.facts.similarity_bounds import KEPT, is_cut
from exitgate.model.evidence import EXCERPT_LIMIT, Evidence, Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, COUNT
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.model.iteration import Iteration

NAME = "plan_changes"
SOURCE = "plan"
#: Pieces of evidence that one fact carries at most.
EVIDENCE_LIMIT = 50
LIKENESS = 70

OPTIONS: dict[str, object] = {
    "task_sections": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": [],
        "description": "Headings whose items count, as for `checklist`; empty for all.",
    },
    "marks": {
        "type": "object",
        "propertyNames": {"minLength": 1, "maxLength": 2},
        "additionalProperties": {"enum": list(STATES)},
        "default": {},
        "description": "State of other marks in the box, as those of `checklist`.",
    },
    "likeness": {
        "type": "number",
        "minimum": 1,
        "maximum": 100,
        "default": LIKENESS,
        "description": "Similarity in percent from which two different items count as one that was reworded.",
    },
}

_WHEN = "there is no readable plan, or no plan of the previous iteration"
_SPECS = (
    FactSpec("changed", BOOL, "The plan differs from before in any character.", _WHEN),
    FactSpec("added", COUNT, "Items that were added.", _WHEN, low=0),
    FactSpec("removed", COUNT, "Items that were removed.", _WHEN, low=0),
    FactSpec("ticked", COUNT, "Items that were ticked.", _WHEN, low=0),
    FactSpec("unticked", COUNT, "Items that were unticked.", _WHEN, low=0),
    FactSpec("reworded", COUNT, "Items that were reworded.", _WHEN, low=0),
    FactSpec("reordered", BOOL, "The order of items changed.", _WHEN),
    FactSpec("cosmetic", BOOL, "Only white space, case, punctuation or the style of marks changed.", _WHEN),
    FactSpec("meaningful", BOOL, "An item was added, removed or reworded, or is in another state.", _WHEN),
)


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def earlier(source: str, _options: Mapping[str, object]) -> Mapping[str, int]:
    """Return how many earlier texts of which source are compared with."""
    return {source: 1}


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """Return what changed in `source` since the iteration before; all unknown without both texts."""
    given = iteration.source(source)
    if given.text is None:
        return _unknown(prefix, given.reason)
    before = iteration.earlier.get(source, ())[-1:]
    if not before:
        return _unknown(prefix, f"there is no earlier {source}")
    if before[0] is None:
        return _unknown(prefix, f"the {source} of the previous iteration is not known")
    if is_cut(before[0]) or len(given.text) > KEPT:
        return _unknown(prefix, f"a {source} of more than {KEPT} characters is not compared")
    likeness = options.get("likeness", LIKENESS)
    difference = plan_diff.compare(
        _tasks(before[0], options),
        _tasks(given.text, options),
        likeness if isinstance(likeness, int | float) else LIKENESS,
    )
    return _facts(prefix, source, before[0], given.text, difference)


def _tasks(text: str, options: Mapping[str, object]) -> tuple[plan_diff.Task, ...]:
    marks, sections = options.get("marks"), options.get("task_sections")
    counted, _ = markdown_items(
        text,
        {str(k): str(v) for k, v in marks.items()} if isinstance(marks, dict) else {},
        (),
        tuple(str(name) for name in sections) if isinstance(sections, list | tuple) else (),
    )
    return plan_diff.tasks(text, counted)


def _facts(
    prefix: str, source: str, before: str, after: str, difference: plan_diff.Difference
) -> tuple[Fact, ...]:
    note = (
        "" if difference.whole else f"more than {plan_diff.PAIRED} items differ: none is treated as reworded"
    )

    def count(name: str, tasks: Sequence[plan_diff.Task]) -> Fact:
        return Fact(f"{prefix}.{name}", len(tasks), _evidence(source, after, tasks, name), note=note)

    changed = before != after
    meaningful = difference.meaningful
    cosmetic = changed and not (meaningful or difference.reordered)
    if cosmetic:
        cosmetic = plan_diff.spoken(before) == plan_diff.spoken(after)
    gone = ", ".join(f"`{task.words[:40]}`" for task in difference.removed[:3])
    return (
        Fact(f"{prefix}.changed", changed),
        count("added", difference.added),
        Fact(f"{prefix}.removed", len(difference.removed), note="; ".join(filter(None, (gone, note)))),
        count("ticked", difference.ticked),
        count("unticked", difference.unticked),
        count("reworded", difference.reworded),
        Fact(f"{prefix}.reordered", difference.reordered),
        Fact(f"{prefix}.cosmetic", cosmetic),
        Fact(f"{prefix}.meaningful", meaningful, note=note),
    )


def _evidence(source: str, text: str, tasks: Sequence[plan_diff.Task], note: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            source,
            at.line,
            at.column,
            at.start,
            at.end,
            text[at.start : min(at.end, at.start + EXCERPT_LIMIT)],
            note,
        )
        for at in (task.item for task in tasks[:EVIDENCE_LIMIT])
    )


def _unknown(prefix: str, reason: str) -> tuple[Fact, ...]:
    return tuple(Fact(f"{prefix}.{s.name}", Unknown(reason, f"{prefix}.{s.name}")) for s in _SPECS)
