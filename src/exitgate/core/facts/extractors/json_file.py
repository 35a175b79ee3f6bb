"""`json_file`: how many items of a JSON file are true, such as stories that pass."""

from __future__ import annotations

from exitgate.core.facts import records
from exitgate.core.facts.plans.stories import title_of
from exitgate.core.facts.records import PATH_PATTERN
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.json_object import SCALARS, kind_of
from exitgate.core.model.value import BOOL, COUNT, PERCENT, TEXT, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "json_file"
SOURCE = "json_file"
_PLACE: dict[str, object] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 500,
    "pattern": "^(?!/)(?!.*(^|/)\\.\\.(/|$))",
}
OPTIONS: dict[str, object] = {
    "file": {
        "description": "The file, below the project, or several candidates. With `lexicon` all existing"
        " ones count together, else the first. Without this option the text of `from:` is read.",
        "oneOf": [_PLACE, {"type": "array", "items": _PLACE, "minItems": 1, "maxItems": 20}],
        "examples": ["prd.json", ["prd.json", "plans/prd.json"]],
    },
    "items": {
        "description": "Path of the list of items, or of a mapping whose values are the items; by "
        "default the file itself. Names are joined by dots, `[*]` is every item of a list, `[0]` the first.",
        "type": "string",
        "pattern": PATH_PATTERN,
        "examples": ["userStories", "epics[*].stories"],
    },
    "value": {
        "description": "Path, from an item, of the value that says whether it is done; by default "
        "the item itself.",
        "type": "string",
        "pattern": PATH_PATTERN,
        "examples": ["passes", "state.status"],
    },
    "is": {
        "description": "Values that mean done; case is ignored.",
        "type": "array",
        "minItems": 1,
        "items": {"type": ["string", "boolean", "number"]},
        "default": [True],
        "examples": [["done", "closed"]],
    },
    "lexicon": {
        "description": "Instead of `items` and `value`: a lexicon with the names of task lists, and of"
        " the flags and states that say whether a task is done.",
        "type": "string",
        "examples": ["plan-words"],
    },
    "value_at": {
        "description": "Path of one value, given as the fact `value`.",
        "type": "string",
        "pattern": PATH_PATTERN,
        "examples": ["branchName"],
    },
}

_UNREAD = "the file does not exist, or cannot be read as JSON"
_NO_ITEMS = f"{_UNREAD}; also if it has no such list, or no item has the value"
_COUNTS = (
    FactSpec("total", COUNT, "Items.", _NO_ITEMS, low=0),
    FactSpec("true", COUNT, "Items that are done.", _NO_ITEMS, low=0),
    FactSpec("open", COUNT, "Items that are not.", _NO_ITEMS, low=0),
    FactSpec("percent", PERCENT, "Share of items that are done.", f"{_NO_ITEMS}, or there are none", 0, 100),
    FactSpec("complete", BOOL, "Every item is done.", f"{_NO_ITEMS}, or there are none"),
)
_PRESENT = FactSpec("present", BOOL, "The file exists.", "it cannot be determined", read=False)
_BROKEN = FactSpec(
    "broken", BOOL, "The file exists but cannot be read as JSON.", "it cannot be determined", read=False
)
_VALUE = FactSpec(
    "value", TEXT, "The value at `value_at`, as text.", f"{_UNREAD}; also if it has no such value"
)
#: Open items that are shown.
SHOWN = 20


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; `value` only where `value_at` is given."""
    return (_PRESENT, _BROKEN, *_COUNTS, *((_VALUE,) if "value_at" in options else ()))


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts on the JSON in `source`; where it cannot be read all but `present` are unknown."""
    given = iteration.source(source)
    wanted = specs(options)
    if given.text is None:
        present: object = False if given.absent else Unknown(given.reason, f"{prefix}.present")
        unread = bool(given.path) and not given.absent
        broken: object = (
            True if unread else False if given.absent else Unknown(given.reason, f"{prefix}.broken")
        )
        return (
            Fact(f"{prefix}.present", present, note=given.reason),
            Fact(f"{prefix}.broken", broken, note=given.reason),
            *_unknown(prefix, wanted[2:], given.reason),
        )
    parsed = records.parse(given.text)
    there = (Fact(f"{prefix}.present", True), Fact(f"{prefix}.broken", False))
    if parsed.problem:
        reason = f"{given.path or source} {parsed.problem}"
        seen = (Fact(there[0].name, True, note=reason), Fact(there[1].name, True, note=reason))
        return (*seen, *_unknown(prefix, wanted[2:], reason))
    counted = _count(parsed.value, options)
    if isinstance(counted, str):
        facts = _unknown(prefix, _COUNTS, counted)
    else:
        facts = _counts(prefix, source, counted)
    if "value_at" in options:
        facts += (_single(prefix, parsed.value, str(options["value_at"])),)
    return (*there, *facts)


class _Counted(Value):
    """How many items there are and are done, how many say neither, and names or places of open ones."""

    __slots__ = ("open", "silent", "total", "true")

    def __init__(self, total: int, true: int, silent: int, open_items: tuple[str, ...]) -> None:
        self.total = total
        self.true = true
        self.silent = silent
        self.open = open_items


def _count(value: object, options: JsonObject) -> _Counted | str:
    """Return the counts of items, or why there are none, as a sentence part."""
    if "lexicon" in options:
        return _by_shape(value, options)
    path = str(options.get("items", ""))
    lists = records.values(value, path)
    if not lists:
        return f"there is nothing at `{path}`"
    items: list[object] = []
    for one in lists:
        if isinstance(one, list):
            items += one
        elif isinstance(one, dict) and not path.endswith("[*]"):
            items += one.values()
        else:
            items.append(one)
    items = items[: records.VALUE_LIMIT]
    means = {_plain(v) for v in options.array("is") or (True,)}
    inner = str(options.get("value", ""))
    true = silent = 0
    still: list[str] = []
    for place, item in enumerate(items):
        found = records.values(item, inner)
        silent += not found or found[0] is None
        if found and all(_plain(v) in means for v in found):
            true += 1
        elif len(still) < SHOWN:
            still.append(_title(item, place))
    if items and silent == len(items):
        return f"no item has a value at `{inner}`"
    return _Counted(len(items), true, silent, tuple(still))


def _by_shape(value: object, options: JsonObject) -> _Counted | str:
    """Return the counts of stories, in any of the lexicon's shapes."""
    from exitgate.core.facts.plans import states
    from exitgate.core.facts.plans.stories import stories

    found = stories(value, states.words_of(options))
    if not found:
        return "it has no list of stories or tasks that say whether they are done"
    still = [
        f"{place}: {s.title}" if s.title else f"item {place}" for place, s in enumerate(found) if not s.done
    ]
    silent = sum(not story.told for story in found)
    return _Counted(len(found), len(found) - len(still), silent, tuple(still[:SHOWN]))


def _counts(prefix: str, source: str, counted: _Counted) -> tuple[Fact, ...]:
    still = tuple(Evidence(source, 1, 1, 0, 1, title[:EXCERPT_LIMIT], "open") for title in counted.open)
    note = f"{counted.silent} of them do not say so; they count as open" if counted.silent else ""
    values: dict[str, object] = {
        "total": counted.total,
        "true": counted.true,
        "open": counted.total - counted.true,
        "percent": 100 * counted.true / counted.total if counted.total else None,
        "complete": counted.true == counted.total if counted.total else None,
    }
    return tuple(
        Fact(name, Unknown("there are no items", name))
        if values[spec.name] is None
        else Fact(name, values[spec.name], still if spec.name in ("open", "complete") else (), (), note)
        for spec in _COUNTS
        for name in (f"{prefix}.{spec.name}",)
    )


def _single(prefix: str, value: object, path: str) -> Fact:
    name = f"{prefix}.value"
    found = records.values(value, path)
    if len(found) != 1 or kind_of(found[0]) not in SCALARS:
        return Fact(name, Unknown(f"there is no single value at `{path}`", name))
    return Fact(name, _shown(found[0]))


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(value: object) -> tuple[str, object]:
    """Return what values are compared by: true is not 1, and texts have no case."""
    kind = kind_of(value)
    if kind not in SCALARS:
        return "", None
    return kind, value.strip().casefold() if isinstance(value, str) else value


def _title(item: object, place: int) -> str:
    """Return what to call an item: its first text, or its place in the list."""
    title = item[:EXCERPT_LIMIT] if isinstance(item, str) else title_of(item)
    return f"{place}: {title}" if title or isinstance(item, str) else f"item {place}"


def _unknown(prefix: str, wanted: tuple[FactSpec, ...], reason: str) -> tuple[Fact, ...]:
    return tuple(Fact(f"{prefix}.{s.name}", Unknown(reason, f"{prefix}.{s.name}")) for s in wanted)
