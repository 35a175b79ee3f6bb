"""One case as written becomes the cases to run: a case for each row of its table, each point of its grid."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from exitgate.model.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Path = tuple[str | int, ...]

#: More combinations than this of one grid and table take longer than a test may.
CASE_LIMIT = 10_000
#: Columns that need no prefix: what people most often expect.
SHORT = ("verdict", "class", "outcome", "rule", "message", "firm", "blind")
SECTIONS = ("history", "sources", "set", "expect")
TOP = ("name", "stage", "agent_exit")


class ExpansionError(ValueError):
    """A table or grid that cannot be spread; `path` is where in the document."""

    def __init__(self, message: str, path: Path, advice: str) -> None:
        self.path = path
        self.advice = advice
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Written:
    """
    A case as plain YAML data, table and grid spread.

    `spots` maps a path inside the case to the path in the document where it was written, for cells;
    everything else is under `home`.
    """

    case: Mapping[str, object]
    home: Path
    spots: Mapping[Path, Path] = field(default_factory=dict)

    def spot(self, *path: str | int) -> Path:
        """Return the path in the document of what is at `path` in the case."""
        for length in range(len(path), 0, -1):
            found = self.spots.get(path[:length])
            if found is not None:
                return found
        return self.home + path


def column(name: str) -> Path:
    """Return the path inside a case that a column of a table or a name in a grid stands for."""
    if name in SHORT:
        return ("expect", name)
    if name in TOP:
        return (name,)
    if name.startswith("$"):
        return ("set", name[1:])
    section, dot, rest = name.partition(".")
    if not dot or section not in SECTIONS:
        return ("facts", name)
    key, dot, below = rest.partition(".")
    if section == "expect" and dot:
        return (section, key, below)
    return (section, rest)


def expand(case: Mapping[str, object], home: Path) -> Iterator[Written]:
    """
    Yield the cases that `case`, which is at `home` in the document, is short for.

    Raises `ExpansionError` for a row that is not as long as the columns, for too many cases, and
    where a cell and the case itself say the same thing.
    """
    table, grid = case.get("table"), case.get("grid")
    plain = {key: value for key, value in case.items() if key not in ("table", "grid")}
    rows = list(_rows(table, home)) if isinstance(table, dict) else [()]
    points = list(_points(grid, home)) if isinstance(grid, dict) else [()]
    if len(rows) * len(points) > CASE_LIMIT:
        raise ExpansionError(
            f"this makes {len(rows) * len(points)} cases, at most {CASE_LIMIT} are run",
            home,
            "use fewer values",
        )
    for row, point in product(rows, points):
        yield _placed(plain, home, (*row, *point))


Cell = tuple[str, object, Path]


def _rows(table: Mapping[str, list[object]], home: Path) -> Iterator[tuple[Cell, ...]]:
    columns = [str(name) for name in table["columns"]]
    for number, row in enumerate(table["rows"]):
        at = (*home, "table", "rows", number)
        assert isinstance(row, list)
        if len(row) != len(columns):
            raise ExpansionError(
                f"the row has {counted(len(row), 'cell')} for {counted(len(columns), 'column')}",
                at,
                "write ~ for an empty cell",
            )
        yield tuple((name, cell, (*at, i)) for i, (name, cell) in enumerate(zip(columns, row, strict=True)))


def _points(grid: Mapping[str, list[object]], home: Path) -> Iterator[tuple[Cell, ...]]:
    names = [str(name) for name in grid]
    for choice in product(*(list(enumerate(values)) for values in grid.values())):
        yield tuple(
            (name, value, (*home, "grid", name, i)) for name, (i, value) in zip(names, choice, strict=True)
        )


def _placed(plain: Mapping[str, object], home: Path, cells: tuple[Cell, ...]) -> Written:
    case = {key: dict(value) if isinstance(value, dict) else value for key, value in plain.items()}
    spots: dict[Path, Path] = {}
    said: list[str] = []
    for name, value, at in cells:
        if value is None:
            continue
        path = column(name)
        _put(case, path, value, at)
        spots[path] = at
        if path[0] not in ("expect", "name"):
            said.append(f"{name} {value}")
    if cells and ("name",) not in spots:
        case["name"] = f"{plain['name']} [{', '.join(said)}]"
    elif cells:
        case["name"] = f"{plain['name']} [{case['name']}]"
    return Written(case, home, spots)


def _put(case: dict[str, object], path: Path, value: object, at: Path) -> None:
    holder = case
    for key in path[:-1]:
        below = holder.setdefault(str(key), {})
        copied = dict(below) if isinstance(below, dict) else {}
        holder[str(key)] = copied
        holder = copied
    last = str(path[-1])
    if last in holder and path != ("name",):
        raise ExpansionError(f"`{last}` is in the case and in its table or grid", at, "keep one of them")
    holder[last] = value
