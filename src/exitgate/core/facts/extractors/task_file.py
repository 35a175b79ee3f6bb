"""`task_file`: task files that are in folders, and move to another one when they are done."""

from __future__ import annotations

from exitgate.core.facts import records
from exitgate.core.facts.file_patterns import matches
from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "task_file"
SOURCE = "task_file"
_PLACE = "^(?!/)(?!.*(^|/)\\.\\.(/|$))(?!.*[*?].*/).*[^/]$"
_FILES: dict[str, object] = {
    "oneOf": [
        {"type": "string", "maxLength": 500, "pattern": _PLACE},
        {
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {"type": "string", "maxLength": 500, "pattern": _PLACE},
        },
    ]
}
OPTIONS: dict[str, object] = {
    "open": {
        "description": "Files of open tasks: a folder below the project and a pattern of names, "
        "in which `*` and `?` are wildcards; or several.",
        **_FILES,
        "examples": ["tasks/doing/*.md", ["tasks/todo/*.md", "tasks/doing/*.md"]],
    },
    "done": {
        "description": "Files of done tasks, in the same form.",
        **_FILES,
        "examples": ["tasks/done/*.md"],
    },
    "name": {
        "description": "Name of the only task file that counts, in which `*` is a wildcard; "
        "by default all of them.",
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[^/]+$",
        "examples": ["add-reader.md", "*"],
    },
}

_NO_FOLDER = "none of the folders exists"
_NO_EARLIER = f"{_NO_FOLDER}; also if a file is done and none was read in an earlier iteration"
_SPECS = (
    FactSpec("present", BOOL, "One of the folders has a task file.", "they cannot be read", read=False),
    FactSpec("open", COUNT, "Task files that are open.", _NO_FOLDER, low=0),
    FactSpec("done_count", COUNT, "Task files that are done.", _NO_FOLDER, low=0),
    FactSpec("done", BOOL, "A task file is done and none is open.", _NO_FOLDER),
    FactSpec("moved", BOOL, "A file that was open at the previous check is now done.", _NO_EARLIER),
    FactSpec("moved_files", Type("list", item=TEXT), "Names of those files.", _NO_EARLIER),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield place, message and help of each folder that is where a pattern of file names is wanted."""
    for key in ("open", "done"):
        for number, place in enumerate(options.one_or_more(key)):
            if not set("*?.$") & set(records.last(place)):
                path = (key,) if options.text(key) is not None else (key, number)
                help = f"write `{place}/*` for the files in the folder"
                yield path, f"`{place}` names no files: it has neither `*` nor an extension", help


def earlier(source: str, _options: JsonObject) -> Mapping[str, int]:
    """Return how many earlier texts of which source are compared with."""
    return {source: 1}


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the facts on the folders in the source's record.

    The record has the paths of files under `open` and `done`. A file that is in both is open: it was
    copied, not moved.
    """
    given = iteration.source(source)
    record = records.record_of(given)
    if record is None or not any(isinstance(record.get(key), list | tuple) for key in ("open", "done")):
        reason = given.reason or f"{source} is not a record of folders"
        present: object = False if given.absent else Unknown(reason, f"{prefix}.present")
        return (Fact(f"{prefix}.present", present, note=reason), *_unknown(prefix, _SPECS[1:], reason))
    opened, done = _of(record, options)
    facts = (
        Fact(f"{prefix}.present", bool(opened or done)),
        Fact(f"{prefix}.open", len(opened), records.shown(source, opened, "open")),
        Fact(f"{prefix}.done_count", len(done), records.shown(source, done, "done")),
        Fact(
            f"{prefix}.done",
            bool(done) and not opened,
            records.shown(source, opened or done, "open" if opened else "done"),
        ),
    )
    before = iteration.earlier.get(source, ())[-1:]
    earlier_record = records.parsed(before[0]) if before else None
    if not done:
        return *facts, *_moved(prefix, (), ())  # what moved would lie there, no matter what was before
    if earlier_record is None:
        reason = "the folders were not read in an earlier iteration"
        return (*facts, *_unknown(prefix, _SPECS[4:], reason))
    was_open = {records.last(path) for path in _of(earlier_record, options)[0]}
    moved = tuple(path for path in done if records.last(path) in was_open)
    seen = records.shown(source, moved, "moved")
    named = tuple(records.last(path) for path in moved)
    return (*facts, *_moved(prefix, named, seen))


def _moved(prefix: str, moved: tuple[str, ...], seen: tuple[Evidence, ...]) -> tuple[Fact, ...]:
    return Fact(f"{prefix}.moved", bool(moved), seen), Fact(f"{prefix}.moved_files", moved, seen)


def _of(record: JsonObject, options: JsonObject) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths that are open and that are done, of the files alone that the options name."""
    name = str(options.get("name", "*"))
    opened = tuple(p for p in records.names(record.get("open")) if matches(name, records.last(p)))
    here = {records.last(path) for path in opened}
    done = tuple(
        p
        for p in records.names(record.get("done"))
        if matches(name, records.last(p)) and records.last(p) not in here
    )
    return opened, done


def _unknown(prefix: str, wanted: tuple[FactSpec, ...], reason: str) -> tuple[Fact, ...]:
    return tuple(Fact(f"{prefix}.{s.name}", Unknown(reason, f"{prefix}.{s.name}")) for s in wanted)
