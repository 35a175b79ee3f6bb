"""
Task items of a plan: how many there are, how many are done, what keeps it from being complete.

Reads GitHub-flavoured task items: list items that begin with a box, and boxes at which a line begins
otherwise, but none in closed fences and comments. Where no box is open, the plan is looked through for
open tasks that are not boxes; one that ticks only what it keeps as finished is not known to be complete.
"""

from __future__ import annotations

from exitgate.core.facts.plans.items import BLOCKED, CANCELLED, DEFERRED, DONE, IN_PROGRESS, OPEN, STATES
from exitgate.core.facts.plans.tasks import tasks
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, PERCENT, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from exitgate.core.facts.plans.items import Item
    from exitgate.core.facts.plans.tasks import Tasks
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "checklist"
SOURCE = "plan"

#: Sources that are not a plan: what they list is read with less trust in its blocks.
_PROSE = ("response", "output")

#: Pieces of evidence that one fact carries at most.
EVIDENCE_LIMIT = 50

_NAMES = {"type": "array", "items": {"type": "string", "minLength": 1}, "default": []}
_TEXT = {"type": "string", "minLength": 1, "pattern": "^[^\\r\\n]+$"}
_TEXTS = {"anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": _TEXT}]}

OPTIONS: dict[str, object] = {
    "optional_sections": {
        **_NAMES,
        "description": "Headings whose open items do not prevent the plan from being complete. Case"
        " is ignored; `Later` also matches `Later: themes`, `Later*` any heading that begins so, `## Later` "
        "only that level. Subsections are included.",
    },
    "task_sections": {
        **_NAMES,
        "description": "Headings whose items count, written like optional_sections; empty for all.",
    },
    "marks": {
        "type": "object",
        "propertyNames": {"minLength": 1, "maxLength": 2},
        "additionalProperties": {"enum": list(STATES)},
        "default": {},
        "description": "State of other marks in the box, for example `~: deferred`. done counts as done;"
        " in_progress and blocked are open; deferred is open but does not prevent the plan from being"
        " complete; cancelled is neither open nor done. Each state named here has its own count. Other "
        "marks are open, except letters and digits, which are not checkboxes.",
    },
    "grammar": {
        "enum": ["gfm", "literal"],
        "default": "gfm",
        "description": "gfm reads Markdown; literal counts lines with the marks below, as grep would.",
    },
    "open_mark": {
        **_TEXTS,
        "default": "- [ ]",
        "description": "literal: text of an open item; a list of alternatives.",
    },
    "done_mark": {
        **_TEXTS,
        "default": "- [x]",
        "description": "literal: text of a done item; a list of alternatives.",
    },
    "total_mark": {
        **_TEXT,
        "description": "literal: text of any item; without it the total is open and done items together.",
    },
    "mark_at": {
        "enum": ["anywhere", "line_start", "indented"],
        "default": "anywhere",
        "description": "literal: where in its line a mark must be; `indented`: after spaces.",
    },
    "lexicon": {
        "description": "gfm: the plan's names for sections of finished and remaining work, and for states.",
        "type": "string",
        "default": "plan-words",
        "examples": ["plan-words"],
    },
}

_NO_PLAN = "without a readable plan"
_NO_ALL = (
    "without a readable plan, without task items in it, or if none of them is open and no checkbox is"
    " outside sections of finished work"
)
_NO_CURRENT = "without a readable plan, or if no item that counts is open"
_STATE_FACTS = (IN_PROGRESS, BLOCKED, DEFERRED, CANCELLED)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; states named under `marks` add one each."""
    return (
        FactSpec("present", BOOL, "There is a readable plan.", read=False),
        FactSpec(
            "missing",
            BOOL,
            "The plan is known to be missing or to have no task items.",
            "if it is not known whether a plan exists",
            read=False,
        ),
        FactSpec("total", COUNT, "Task items in the plan.", _NO_PLAN, low=0),
        FactSpec("done", COUNT, "Task items that are ticked.", _NO_PLAN, low=0),
        FactSpec("open", COUNT, "Task items that are neither done nor cancelled.", _NO_PLAN, low=0),
        FactSpec("percent", PERCENT, "Share of task items that are done.", _NO_ALL, low=0, high=100),
        FactSpec(
            "blocking_open", COUNT, "Open items that prevent the plan from being complete.", _NO_PLAN, low=0
        ),
        FactSpec(
            "complete", BOOL, "There are task items and none prevents the plan from being complete.", _NO_ALL
        ),
        FactSpec(
            "unclosed",
            Type("list", item=TEXT),
            "Lines that open a fence or comment that is never closed; its content still counts.",
            _NO_PLAN,
        ),
        FactSpec(
            "current",
            TEXT,
            "The item in progress, or else the first open one, as it is written; optional ones do not count.",
            _NO_CURRENT,
        ),
        *(
            FactSpec(state, COUNT, f"Task items marked as {state.replace('_', ' ')}.", _NO_PLAN, low=0)
            for state in _named_states(options)
        ),
    )


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts of `specs`; unknown with the source's reason when there is no plan."""
    given = iteration.source(source)
    if given.text is None:
        present = Fact(f"{prefix}.present", False, note=given.reason)
        gone: object = True if given.absent else Unknown(given.reason, f"{prefix}.missing")
        names = [spec.name for spec in specs(options)[2:]]
        unknown = (Fact(f"{prefix}.{n}", Unknown(given.reason, f"{prefix}.{n}")) for n in names)
        return (present, Fact(f"{prefix}.missing", gone, note=given.reason), *unknown)
    return _facts(prefix, source, options, given.text, tasks(given.text, options, source in _PROSE))


def _facts(prefix: str, source: str, options: JsonObject, text: str, found: Tasks) -> tuple[Fact, ...]:
    counted, outside, total = found.items, found.outside, found.total
    ticked, whole = found.counts or (0, 0)
    total = whole or total

    def count(name: str, wanted: Callable[[Item], bool], note: str = "") -> Fact:
        taken = [item for item in counted if wanted(item)]
        number = len(taken)
        if whole and name in ("done", "open", "blocking_open"):
            number = ticked if name == "done" else whole - ticked
        return Fact(f"{prefix}.{name}", number, _evidence(source, text, taken), note=note)

    done = count("done", _in_state(DONE))
    blocking = count("blocking_open", lambda item: item.blocking)
    done_count, blocking_count = int(str(done.value)) - found.kept, int(str(blocking.value))
    left_out = f"{len(outside)} outside the task sections" if outside else ""
    note = f"{done_count} of {total - found.kept}"
    if found.kept:
        note = f"{note}, without {found.kept} in sections of finished work"
    share: object
    complete: object
    if not total or (found.doubt and not blocking_count):
        where = "task sections of the plan" if outside else source
        reason = found.doubt or f"no task items in the {where}"
        share = Unknown(reason, f"{prefix}.percent")
        complete = Unknown(reason, f"{prefix}.complete")
    else:
        share = _percent(done_count, total - found.kept)
        complete = blocking_count == 0 and bool(counted)
    lines = tuple(f"line {number}" for number in found.unclosed)
    return (
        Fact(f"{prefix}.present", True),
        Fact(f"{prefix}.missing", total == 0 and not outside),
        Fact(
            f"{prefix}.total", total, _evidence(source, text, counted), _left(source, text, outside), left_out
        ),
        done,
        count("open", lambda item: item.open),
        Fact(f"{prefix}.percent", share, done.evidence, note=note),
        blocking,
        Fact(f"{prefix}.complete", complete, blocking.evidence or done.evidence, note=note),
        Fact(f"{prefix}.unclosed", lines, _opening(source, text, found.unclosed)),
        _current(prefix, source, text, counted),
        *(count(state, _in_state(state)) for state in _named_states(options)),
    )


def _current(prefix: str, source: str, text: str, items: Sequence[Item]) -> Fact:
    """Return the item that is worked on; of a long line only what evidence shows of it."""
    due = [item for item in items if item.blocking and item.state in (IN_PROGRESS, OPEN)]
    item = next((item for item in due if item.state == IN_PROGRESS), due[0] if due else None)
    name = f"{prefix}.current"
    if item is None:
        return Fact(name, Unknown("no item that counts is open", name))
    line = text[item.start : item.end].strip()
    behind = line.partition("]")[2].strip() if line.startswith("[") else line
    return Fact(name, behind[:EXCERPT_LIMIT], _evidence(source, text, (item,)))


def _left(source: str, text: str, outside: tuple[Item, ...]) -> tuple[Evidence, ...]:
    return _evidence(source, text, outside, "section")


def _opening(source: str, text: str, numbers: Sequence[int]) -> tuple[Evidence, ...]:
    """Return the lines of these numbers as evidence."""
    if not numbers:
        return ()
    from itertools import islice

    from exitgate.core.facts.plans.marks import spans

    wanted = set(numbers[:EVIDENCE_LIMIT])
    lines = ((n, s, e) for n, (s, e) in enumerate(islice(spans(text), max(wanted)), 1) if n in wanted)
    return tuple(
        Evidence(source, n, 1, start, end, text[start : min(end, start + EXCERPT_LIMIT)], "never closed")
        for n, start, end in lines
    )


def _in_state(state: str) -> Callable[[Item], bool]:
    return lambda item: item.state == state


def _percent(done: int, total: int) -> int | float:
    """Return ``100 * done / total``, at most 100: literal totals may count fewer lines than are done."""
    if done >= total:
        return 100
    return 100 * done // total if 100 * done % total == 0 else 100 * done / total


def _evidence(
    source: str, text: str, items: Iterable[Item], guard: str | None = None
) -> tuple[Evidence, ...]:
    found: list[Evidence] = []
    for item in items:
        if len(found) == EVIDENCE_LIMIT:
            break
        start = item.start
        excerpt = text[start : min(item.end, start + EXCERPT_LIMIT)]
        note = f"{item.state}, optional section" if item.optional else item.state
        found.append(Evidence(source, item.line, item.column, start, item.end, excerpt, note, guard))
    return tuple(found)


def _named_states(options: JsonObject) -> tuple[str, ...]:
    named = options.object("marks").own_texts()
    return tuple(state for state in _STATE_FACTS if state in named)
