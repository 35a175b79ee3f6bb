"""Tables as data frames. The packages are optional and only imported here."""

from __future__ import annotations

import json

from exitgate.dryrun.tables import COLUMNS
from exitgate.facts.words import encodable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any

    Tables = Mapping[str, list[dict[str, object]]]

#: Column -> what a data frame holds in it, where it is not text.
NUMBERS = frozenset(("cost_usd", "cost_usd_after", "started_at", "ended_at"))
COUNTS = frozenset(
    (
        "iterations", "iteration", "iterations_after", "stop", "tokens", "line", "exit_status",
        "response_length", "tool_calls", "files_changed",
    )
)  # fmt: skip
TRUTHS = frozenset(("firm", "timed_out"))
LISTS = frozenset(("alternatives", "warnings"))


def to_polars(tables: Tables) -> dict[str, Any]:
    """Return a `polars.DataFrame` for each table. Raises ImportError with what to install."""
    polars = _package("polars")
    types = {
        **dict.fromkeys(NUMBERS, polars.Float64),
        **dict.fromkeys(COUNTS, polars.Int64),
        **dict.fromkeys(TRUTHS, polars.Boolean),
        **dict.fromkeys(LISTS, polars.List(polars.String)),
    }
    return {
        name: polars.DataFrame(
            [written(row) for row in rows], schema={c: types.get(c, polars.String) for c in COLUMNS[name]}
        )
        for name, rows in tables.items()
    }


def to_pandas(tables: Tables) -> dict[str, Any]:
    """Return a `pandas.DataFrame` for each table. Raises ImportError with what to install."""
    pandas = _package("pandas")
    types = {
        **dict.fromkeys(NUMBERS, "Float64"),
        **dict.fromkeys(COUNTS, "Int64"),
        **dict.fromkeys(TRUTHS, "boolean"),
        **dict.fromkeys(LISTS, "object"),
    }
    return {
        name: pandas.DataFrame([written(row) for row in rows], columns=list(COLUMNS[name])).astype(
            {column: types.get(column, "string") for column in COLUMNS[name]}
        )
        for name, rows in tables.items()
    }


def written(row: Mapping[str, object]) -> dict[str, object]:
    """
    Return the row as a column of one type can hold it.

    The value of a fact, which may be of any type, becomes JSON text; lone surrogates, which no UTF-8 has,
    become question marks.
    """
    plain = {name: _text(value) for name, value in row.items()}
    if row.get("value") is not None:
        plain["value"] = _text(json.dumps(row["value"], ensure_ascii=False))
    return plain


def _text(value: object) -> object:
    if isinstance(value, list):
        return [_text(item) for item in value]
    return encodable(value) if isinstance(value, str) else value


def _package(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        message = f"`{name}` is not installed: pip install 'exitgate[{name}]'"
        raise ImportError(message, name=name) from error
