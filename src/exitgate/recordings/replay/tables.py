"""What a dry run found as tables: lists of rows with plain values, the same in every form of output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from exitgate.core.facts.text.words import encodable
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.recordings.replay.result import DryRun, IterationRow, RunResult

Row = dict[str, object]
Tables = Mapping[str, list[dict[str, object]]]


#: Table -> its columns, in order.
COLUMNS = {
    "runs": (
        "run", "file", "reader", "granularity", "iterations", "cost_usd", "tokens", "started_at", "ended_at",
        "end", "why", "title", "parent",
    ),
    "stops": (
        "run", "policy", "version", "iterations", "stop", "class", "outcome", "rule", "stage", "firm",
        "message", "file", "line", "iterations_after", "cost_usd", "cost_usd_after",
    ),
    "iterations": (
        "run", "iteration", "file", "line", "started_at", "ended_at", "cost_usd", "tokens", "exit_status",
        "error_kind", "timed_out", "response_length", "tool_calls", "files_changed",
    ),
    "decisions": (
        "run", "policy", "iteration", "verdict", "class", "outcome", "rule", "stage", "firm", "message",
        "alternatives", "warnings", "cost_usd", "tokens", "started_at", "ended_at", "file", "line",
    ),
    "facts": (
        "run", "policy", "iteration", "fact", "value", "unknown", "note", "source", "line", "excerpt",
    ),
}  # fmt: skip


def tables(found: DryRun) -> dict[str, list[Row]]:
    """Return every table by name; see `COLUMNS` and `DryRun.tables`."""
    return {
        "runs": runs(found),
        "stops": stops(found),
        "iterations": iterations(found),
        "decisions": decisions(found),
        "facts": facts(found),
    }


def runs(found: DryRun) -> list[Row]:
    """Return a row for each run."""
    return [
        {
            "run": run.id, "file": run.file, "reader": run.reader, "granularity": run.granularity,
            "iterations": run.iterations, "cost_usd": run.cost, "tokens": run.tokens,
            "started_at": run.started_at, "ended_at": run.ended_at, "end": run.how, "why": run.why,
            "title": run.title, "parent": run.parent,
        }
        for run in found.runs
    ]  # fmt: skip


def stops(found: DryRun) -> list[Row]:
    """Return a row for each run under each policy: where it stops, or None where it never stops."""
    return [_stop(result) for result in found.results]


def iterations(found: DryRun) -> list[Row]:
    """Return a row for each iteration of each run, as far as it was kept or decided on."""
    return [row for results in _by_run(found) for row in _iterations(results)]


def decisions(found: DryRun) -> list[Row]:
    """Return a row for each decision that a row was kept of."""
    return [_decision(row) for result in found.results for row in result.rows]


def facts(found: DryRun) -> list[Row]:
    """Return a row for each fact of each decision that was kept whole."""
    return [row for result in found.results for row in _facts(result)]


def _stop(result: RunResult) -> Row:
    stop, run = result.stop, result.run
    at: Row = dict.fromkeys(("stop", "class", "outcome", "rule", "stage", "firm", "message", "file", "line"))
    if stop is not None:
        at = {
            "stop": stop.iteration, "class": stop.exit_class, "outcome": stop.outcome, "rule": stop.rule,
            "stage": stop.stage, "firm": stop.firm, "message": stop.message, "file": stop.file,
            "line": stop.line or None,
        }  # fmt: skip
    return {
        "run": run.id, "policy": result.policy, "version": result.version, "iterations": run.iterations,
        **at, "iterations_after": result.after, "cost_usd": run.cost, "cost_usd_after": result.cost_after,
    }  # fmt: skip


def _decision(row: IterationRow) -> Row:
    return {
        "run": row.run, "policy": row.policy, "iteration": row.iteration, "verdict": row.verdict,
        "class": row.exit_class, "outcome": row.outcome, "rule": row.rule, "stage": row.stage,
        "firm": row.firm, "message": row.message, "alternatives": list(row.alternatives),
        "warnings": list(row.warnings), "cost_usd": row.cost, "tokens": row.tokens,
        "started_at": row.started_at, "ended_at": row.ended_at, "file": row.file, "line": row.line or None,
    }  # fmt: skip


def _iterations(results: list[RunResult]) -> Iterator[Row]:
    """Yield the iterations of one run: those that were kept, else those that some policy decided on."""
    recorded = {one.index: one for one in results[0].recorded}
    decided = {row.iteration: row for result in results for row in result.rows}
    for number in sorted({*recorded, *decided}):
        row, one = decided.get(number), recorded.get(number)
        known = row if row is not None else one
        assert known is not None
        costs = results[0].costs
        found: Row = {
            "run": results[0].run.id, "iteration": number,
            "file": row.file if row is not None else one.provenance.file if one is not None else None,
            "line": (row.line if row is not None else one.provenance.first if one is not None else 0) or None,
            "started_at": known.started_at, "ended_at": known.ended_at,
            "cost_usd": costs[number - 1] if number <= len(costs) else None,
            "tokens": row.tokens if row is not None else None,
        }  # fmt: skip
        said: Row = dict.fromkeys(COLUMNS["iterations"][8:])
        if one is not None:
            said = {
                "exit_status": one.exit_status,
                "error_kind": one.error_kind,
                "timed_out": one.timed_out,
                "response_length": None if one.response is None else len(one.response),
                "tool_calls": None if one.tool_calls is None else len(one.tool_calls),
                "files_changed": None if one.files_changed is None else len(one.files_changed),
            }
        yield {**found, **said}


def _facts(result: RunResult) -> Iterator[Row]:
    for decided in result.decided:
        for name, fact in decided.facts.items():
            unknown = fact.value if isinstance(fact.value, Unknown) else None
            seen = fact.evidence[0] if fact.evidence else None
            yield {
                "run": result.run.id, "policy": result.policy, "iteration": decided.extracted.index,
                "fact": name, "value": None if unknown is not None else _plain(fact.value),
                "unknown": None if unknown is None else unknown.reason, "note": fact.note,
                "source": None if seen is None else seen.source, "line": None if seen is None else seen.line,
                "excerpt": None if seen is None else seen.excerpt,
            }  # fmt: skip


def _plain(value: object) -> object:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _by_run(found: DryRun) -> Iterable[list[RunResult]]:
    groups: dict[str, list[RunResult]] = {}
    for result in found.results:
        groups.setdefault(result.run.id, []).append(result)
    return groups.values()


# Tables as data frames. The packages are optional and only imported here.

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
