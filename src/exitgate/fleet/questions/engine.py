"""
A dataset as four views in DuckDB, which can read nothing else and write nothing.

Each view has the newest row of each key (`exitgate.fleet.dataset.schema.KEYS`), and `day`: the day on which
the run started, in UTC, as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec
from msgspec import Struct

from exitgate.core.model.decision import BAD_POLICY, CANNOT_READ, NOTHING_TO_DECIDE, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.fleet.dataset.schema import COLUMNS, KEYS, UNKNOWN_DAY, WRITTEN_AT, arrow_schema
from exitgate.fleet.dataset.store import Dataset

CODES = {"EP882": "a question to a dataset that cannot be answered"}
#: Settings before any question; the last line keeps a question from changing it.
_LOCKED = (
    "SET TimeZone = 'UTC'",
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET errors_as_json = true",
    "SET lock_configuration = true",
)


class _Told(Struct):
    exception_message: str
    position: str = ""


class Found(Struct, frozen=True):
    """
    The answer to a question.

    Args:
        columns: Their names.
        rows: Of plain values; instants with their zone.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def ask(data: Dataset, sql: str) -> Found:
    """
    Return the answer to a question in SQL.

    Args:
        data: The dataset.
        sql: One SELECT, over `runs`, `iterations`, `facts` and `decisions`.

    Raises:
        ExitgateError: 64 for anything but one SELECT, or where DuckDB is not installed; 65 for SQL that
            DuckDB does not take; 66 for a dataset that does not exist; 74 where it cannot be read.
    """
    if find_spec("duckdb") is None:
        message = "a question needs `duckdb`, which is not installed"
        raise _problem(message, "install `exitgate[fleet]`", USAGE)
    if not data.is_there:
        help = "write one: `exitgate dry-run PATH --dataset TARGET`"
        raise _problem(f"no dataset at `{data.target}`", help, NOTHING_TO_DECIDE)
    duckdb: Any = import_module("duckdb")
    with duckdb.connect(":memory:") as connection:
        for table in COLUMNS:
            connection.register(f"all_{table}", _rows(data, table))
            connection.execute(_view(table))
        for line in _LOCKED:
            connection.execute(line)
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise _problem(
                    "a question is one SELECT", "the dataset is only read: write one SELECT", USAGE
                )
            answer = connection.execute(statements[0])
            columns = tuple(name for name, *_ in answer.description)
            return Found(columns, tuple(answer.fetchall()))
        except duckdb.IOException as error:
            help = "if it is being compacted, ask again"
            raise _problem(f"cannot read the dataset: {_words(error)[0]}", help, CANNOT_READ) from error
        except duckdb.Error as error:
            words, at = _words(error)
            raise _problem(f"{words}{_where(sql, at)}", _columns(), BAD_POLICY) from error


def _words(error: Exception) -> tuple[str, int | None]:
    """Return what DuckDB says in one line, and the place in the SQL that it is about."""
    try:
        told = msgspec.json.decode(str(error).partition(": ")[2] or str(error), type=_Told)
    except msgspec.MsgspecError:
        return " ".join(str(error).split()), None
    at = int(told.position) if told.position.isdecimal() else None
    return " ".join(told.exception_message.split()), at


def _where(sql: str, at: int | None) -> str:
    """Return the line and column of a place in SQL, with the words there."""
    if at is None or at > len(sql):
        return ""
    line, column = sql.count("\n", 0, at) + 1, at - sql.rfind("\n", 0, at)
    near = sql[at:].split("\n", maxsplit=1)[0][:40]
    return f" (line {line}, column {column}: `{near}`)"


def _rows(data: Dataset, table: str) -> Any:
    """Return the files of a table as one Arrow dataset, which DuckDB reads piece by piece."""
    arrow: Any = import_module("pyarrow.dataset")
    schema = arrow_schema(table)
    files = data.files(table)
    if not files:
        return schema.empty_table()
    if "://" not in files[0]:
        return arrow.dataset(files, schema=schema, format="parquet")
    fsspec: Any = import_module("fsspec")
    system, _ = fsspec.core.url_to_fs(files[0])
    names = [fsspec.core.url_to_fs(file)[1] for file in files]
    return arrow.dataset(names, schema=schema, format="parquet", filesystem=system)


def _view(table: str) -> str:
    names = ", ".join(f'"{name}"' for name in COLUMNS[table])
    keys = ", ".join(f'"{name}"' for name in KEYS[table])
    day = f"coalesce(strftime(started_at AT TIME ZONE 'UTC', '%Y-%m-%d'), '{UNKNOWN_DAY}') AS day"
    return (
        f"CREATE VIEW {table} AS SELECT {names}, {day} FROM all_{table}"  # noqa: S608 - names of the schema
        f" QUALIFY row_number() OVER (PARTITION BY {keys} ORDER BY {WRITTEN_AT} DESC) = 1"
    )


def _columns() -> str:
    return "columns are: " + "; ".join(f"`{table}`: day, {', '.join(own)}" for table, own in COLUMNS.items())


def _problem(message: str, help: str, code: int) -> ExitgateError:
    return ExitgateError([Diagnostic("EP882", message, help=help)], code)


def plain(rows: Sequence[Sequence[object]]) -> Iterator[list[object]]:
    """Yield rows whose values JSON has: instants as ISO 8601, all else that it lacks as text."""
    for row in rows:
        yield [_plain(value) for value in row]


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    told = getattr(value, "isoformat", None)
    return told() if told is not None else str(value)
