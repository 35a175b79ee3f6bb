"""
A dataset of Parquet files: rows are appended as whole files, each append once, and small files become few.

    TARGET/exitgate-dataset.json          the version
    TARGET/runs/day=2026-12-01/part-….parquet
    TARGET/_appended/….json               which appends are whole
    TARGET/_compacting/….json             a compaction under way

Other programs read the four folders as they are; names that begin with `_` are none of a table's.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from exitgate.core.model.decision import BAD_POLICY
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.fleet.dataset.place import Place, place_of
from exitgate.fleet.dataset.schema import (
    COLUMNS,
    INSTANT,
    PARTITION,
    UNKNOWN_DAY,
    VERSION,
    WRITTEN_AT,
    arrow_schema,
    pyarrow,
)

Row = Mapping[str, object]
Tables = Mapping[str, Sequence[Row]]

CODES = {"EP880": "a dataset of a fleet that cannot be used"}
MARK, APPENDED, COMPACTING = "exitgate-dataset.json", "_appended", "_compacting"
#: Files of a partition from which on they are worth being put together.
MANY = 4
_NAME = 32


class _Mark(Struct):
    format: str
    version: int


class _Appended(Struct):
    files: list[str]


class _Compacting(Struct):
    new: str
    old: list[str]


class Dataset:
    """
    A dataset; it is made at the first append.

    Args:
        target: A folder, or a URL of one that fsspec knows.

    Raises:
        OSError: No file system is known for it, or it cannot be read.
        ExitgateError: 65 where there is something else, or a dataset of another version.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self._place: Place = place_of(target)
        raw = self._place.read(MARK)
        self._is_there = raw is not None
        if raw is not None and _mark(raw) != _Mark("exitgate-dataset", VERSION):
            message = f"`{target}` is a dataset of another version of exitgate, or none"
            raise _refused(message, f"this one reads version {VERSION}: name another folder")

    @property
    def is_there(self) -> bool:
        """Whether anything was appended to it."""
        return self._is_there

    def append(self, tables: Tables, *, key: str, now: float | None = None) -> bool:
        """
        Add rows; return False where rows of this key are there already.

        Killed at any moment, it can be called again with the same rows: nothing is there twice.

        Args:
            tables: Table -> rows: column -> plain value; times are seconds since the epoch. `day` follows
                from `started_at`. Columns that a row does not have are null.
            key: What these rows are, such as a transcript and its version. Other rows need another key.
            now: When they are written, seconds since the epoch; by default the time of the call.

        Raises:
            OSError: It cannot be written.
            ExitgateError: 64 where pyarrow is not installed.
            ValueError: A table or column is none of the schema's.
        """
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME]
        marker = f"{APPENDED}/{name}.json"
        if self._place.read(marker) is not None:
            return False
        written_at = time.time() if now is None else now
        files = {
            f"{table}/{PARTITION}={day}/part-{name}.parquet": _parquet(table, rows, written_at)
            for table, day, rows in _partitions(tables)
        }
        if not self._is_there:
            self._place.put(MARK, msgspec.json.encode(_Mark("exitgate-dataset", VERSION)) + b"\n")
            self._is_there = True
        for path, raw in files.items():
            self._place.put(path, raw)
        self._place.put(marker, msgspec.json.encode(_Appended([*files])) + b"\n")
        return True

    def files(self, table: str) -> list[str]:
        """Return the addresses of the files that have the rows of a table, each row once. Raises OSError."""
        return [self._place.address(name) for name in self._current(table)]

    def compact(self, many: int = MANY) -> int:
        """
        Put the files of each partition with at least so many together; return how many were replaced.

        Killed at any moment, the next one completes it; `files` never gives a row twice or not at all.
        Stores without locks want one compaction at a time. Raises OSError.
        """
        done = 0
        with self._place.locked():
            for name in self._place.names(COMPACTING):
                self._complete(name)
            for table in COLUMNS:
                for partition, names in _by_folder(self._current(table)):
                    whole = [name for name in names if self._is_whole(name)]
                    if len(whole) >= max(2, many):
                        self._join(table, partition, whole)
                        done += len(whole)
        return done

    def _current(self, table: str) -> list[str]:
        names = [name for name in self._place.names(table) if name.endswith(".parquet")]
        replaced: set[str] = set()
        for journal in self._place.names(COMPACTING):
            under_way = self._journal(journal)
            if under_way is not None and under_way.new in names:
                replaced.update(under_way.old)
        return [name for name in names if name not in replaced]

    def _is_whole(self, name: str) -> bool:
        """Return whether no append can put this file once more."""
        kind, _, rest = name.rpartition("/")[2].removesuffix(".parquet").partition("-")
        return kind == "joined" or self._place.read(f"{APPENDED}/{rest}.json") is not None

    def _join(self, table: str, partition: str, names: Sequence[str]) -> None:
        from pyarrow import parquet

        schema, arrow = arrow_schema(table), pyarrow()
        parts = [
            parquet.read_table(arrow.BufferReader(self._place.read(name)), schema=schema) for name in names
        ]
        digest = hashlib.sha256("\n".join(names).encode()).hexdigest()[:_NAME]
        new, journal = f"{partition}/joined-{digest}.parquet", f"{COMPACTING}/{digest}.json"
        self._place.put(journal, msgspec.json.encode(_Compacting(new, list(names))) + b"\n")
        self._place.put(new, _bytes(arrow.concat_tables(parts)))
        self._complete(journal)

    def _complete(self, journal: str) -> None:
        """Remove what a compaction replaced; one that wrote nothing yet is forgotten."""
        under_way = self._journal(journal)
        if under_way is not None and self._place.read(under_way.new) is not None:
            for name in under_way.old:
                self._place.remove(name)
        self._place.remove(journal)

    def _journal(self, name: str) -> _Compacting | None:
        raw = self._place.read(name)
        return None if raw is None else msgspec.json.decode(raw, type=_Compacting)


def _partitions(tables: Tables) -> Iterator[tuple[str, str, list[Row]]]:
    for table, rows in tables.items():
        if table not in COLUMNS:
            raise ValueError(f"no table of a dataset: {table}")
        days: dict[str, list[Row]] = {}
        for row in rows:
            if others := row.keys() - COLUMNS[table].keys():
                raise ValueError(f"no column of `{table}`: {', '.join(sorted(others))}")
            days.setdefault(day_of(row.get("started_at")), []).append(row)
        for day, found in sorted(days.items()):
            yield table, day, found


def day_of(started_at: object) -> str:
    """Return the day of an instant (seconds since the epoch) in UTC as `2026-12-01`, or `unknown`."""
    instant = _instant(started_at)
    return UNKNOWN_DAY if instant is None else f"{instant:%Y-%m-%d}"


def _instant(seconds: object) -> datetime | None:
    if not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):  # beyond what dates can say
        return None


def _parquet(table: str, rows: Sequence[Row], written_at: float) -> bytes:
    arrow, schema = pyarrow(), arrow_schema(table)
    arrays = []
    for name, column in COLUMNS[table].items():
        values = [row.get(name) if name != WRITTEN_AT else written_at for row in rows]
        if column.type == INSTANT:
            values = [_instant(value) for value in values]
        arrays.append(arrow.array(values, schema.field(name).type))
    return _bytes(arrow.Table.from_arrays(arrays, schema=schema))


def _bytes(table: Any) -> bytes:
    from pyarrow import parquet

    sink = pyarrow().BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    raw: bytes = sink.getvalue().to_pybytes()
    return raw


def _by_folder(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    folders: dict[str, list[str]] = {}
    for name in names:
        folders.setdefault(name.rpartition("/")[0], []).append(name)
    yield from folders.items()


def _mark(raw: bytes) -> _Mark | None:
    try:
        return msgspec.json.decode(raw, type=_Mark)
    except msgspec.MsgspecError:
        return None


def _refused(message: str, help: str) -> ExitgateError:
    return ExitgateError([Diagnostic("EP880", message, help=help)], BAD_POLICY)
