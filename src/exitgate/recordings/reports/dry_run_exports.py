"""A dry run as JSON (`schemas/dry-run.schema.json`) and as JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.recordings.replay.result import DryRun, RunResult, sums
from exitgate.recordings.replay.tables import COLUMNS, decisions, runs, stops
from exitgate.recordings.reports.dry_run import stop_line
from exitgate.recordings.scoring.expectations import CheckedRuns, Difference
from exitgate.report.formats.csv import csv_rows
from exitgate.report.formats.json import json_line, json_text
from exitgate.report.terminal import safe


def dry_run_json(found: DryRun, checked: CheckedRuns | None, *, detail: bool = False) -> str:
    """Return everything as one document; `detail` adds `decisions`, a row for each iteration."""
    return json_text(plain(found, checked, detail=detail))


def dry_run_jsonl(found: DryRun, checked: CheckedRuns | None, *, detail: bool = False) -> str:
    """Return a line for each row, its kind under `kind`; the last line says whether all was done."""
    whole = plain(found, checked, detail=detail)
    lines = []
    for member, kind in _KINDS.items():
        rows = whole.get(member, ())
        assert isinstance(rows, list | tuple)
        lines += [json_line({"kind": kind, **row}) for row in rows]
    expected = whole["expected"]
    if isinstance(expected, dict):
        lines += [json_line({"kind": "difference", **row}) for row in expected["differences"]]
    rest = {name: whole[name] for name in ("notes", "sub_agents", "interrupted")}
    count = {"expected": None if checked is None else checked.count}
    return "".join([*lines, json_line({"kind": "end", **rest, **count})])


_KINDS = {
    "policies": "policy",
    "runs": "run",
    "stops": "stop",
    "decisions": "decision",
    "problems": "problem",
    "unread": "unread",
}


def plain(found: DryRun, checked: CheckedRuns | None, *, detail: bool) -> dict[str, object]:
    """Return the document as plain values."""
    document: dict[str, object] = {
        "policies": [
            {
                "policy": one.policy, "version": one.version, "runs": one.runs, "stops": one.stops,
                "tentative": one.tentative, "classes": dict(one.classes), "iterations_after": one.after,
                "cost_usd_after": one.cost_after,
            }
            for one in sums(found)
        ],
        "runs": runs(found),
        "stops": stops(found),
    }  # fmt: skip
    if detail:
        document["decisions"] = decisions(found)
    return {
        **document,
        "expected": None
        if checked is None
        else {
            "count": checked.count,
            "differences": [
                {"run": d.run, "policy": d.policy, "expected": d.expected, "found": d.found}
                for d in checked.differences
            ],
        },
        "notes": list(found.notes),
        "sub_agents": found.sub_agents,
        "problems": [{"file": p.file, "line": p.line or None, "message": p.message} for p in found.problems],
        "unread": [{"file": p.file, "why": p.message} for p in found.unread],
        "interrupted": found.interrupted,
    }


# A dry run as JUnit XML: a test case for each run under each policy, failed where it stops otherwise.


def dry_run_junit(found: DryRun, checked: CheckedRuns | None) -> str:
    """
    Return a `testsuites` document: a suite for each policy, and one for files that could not be read.

    Without expectations nothing fails. An interrupted dry run has a case that is an error.
    """
    wrong = {(one.run, one.policy): one for one in (checked.differences if checked is not None else ())}
    suites = [
        _suite(policy, [_case(r, wrong.get((r.run.id, policy))) for r in found.results if r.policy == policy])
        for policy in found.policies
    ]
    trouble = [_error("unread", one.file, one.message) for one in found.unread]
    trouble += [_error("dry-run", "all transcripts", "interrupted")] if found.interrupted else []
    suites += [_suite("transcripts", trouble)] if trouble else []
    cases = sum(count for count, _, _, _ in suites)
    failures = sum(count for _, count, _, _ in suites)
    head = (
        f'<testsuites name="exitgate dry-run" tests="{cases}" failures="{failures}" errors="{len(trouble)}">'
    )
    text = "\n".join(text for _, _, _, text in suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{text}\n</testsuites>\n'


def _suite(name: str, cases: list[str]) -> tuple[int, int, int, str]:
    """Return how many cases, failures and errors there are, and the element."""
    failures = sum("<failure" in case for case in cases)
    errors = sum("<error" in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    text = "\n".join(cases)
    return (
        len(cases),
        failures,
        errors,
        f"  <testsuite name={_attribute(name)} {counts}>\n{text}\n  </testsuite>",
    )


def _case(result: RunResult, difference: Difference | None) -> str:
    stop = result.stop
    said = safe(stop_line(result)) + (f"\n{safe(stop.message)}" if stop is not None and stop.message else "")
    inner = f"      <system-out>{escape(said)}</system-out>\n"
    if difference is not None:
        message = f"expected {difference.expected}, found {difference.found}"
        inner = f'      <failure message={_attribute(message)} type="stop"/>\n{inner}'
    place = f" file={_attribute(result.run.file)}" + (f' line="{stop.line}"' if stop and stop.line else "")
    head = f"    <testcase classname={_attribute(result.policy)} name={_attribute(result.run.id)}{place}"
    seconds = _seconds(result)
    return f'{head} time="{seconds:.3f}">\n{inner}    </testcase>'


def _seconds(result: RunResult) -> float:
    """Return how long the run took, 0 if unknown."""
    begin, end = result.run.started_at, result.run.ended_at
    return max(0.0, end - begin) if begin is not None and end is not None else 0.0


def _error(kind: str, name: str, message: str) -> str:
    inner = f"      <error message={_attribute(message)} type={_attribute(kind)}/>"
    return f"    <testcase classname={_attribute(kind)} name={_attribute(name)}>\n{inner}\n    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(safe(text))


# A dry run as one table: CSV and Parquet, with the columns of the tables.


def dry_run_csv(found: DryRun, *, detail: bool = False) -> str:
    """Return the table `stops`, or with `detail` the table `decisions`; lists are joined by semicolons."""
    name, rows = _table(found, detail)
    return "".join(csv_rows(COLUMNS[name], [_flat(row) for row in rows]))


def dry_run_parquet(found: DryRun, *, detail: bool = False) -> bytes:
    """
    Return the same table as a Parquet file.

    Raises:
        ExitgateError: 64 where pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        help = "pip install 'exitgate[parquet]', or write `--format csv`"
        problem = Diagnostic("EP864", "`--format parquet` needs `pyarrow`, which is not installed", help=help)
        raise ExitgateError([problem], USAGE) from error
    from exitgate.recordings.replay.tables import COUNTS, LISTS, NUMBERS, TRUTHS, written

    types = {
        **dict.fromkeys(NUMBERS, pyarrow.float64()),
        **dict.fromkeys(COUNTS, pyarrow.int64()),
        **dict.fromkeys(TRUTHS, pyarrow.bool_()),
        **dict.fromkeys(LISTS, pyarrow.list_(pyarrow.string())),
    }
    name, rows = _table(found, detail)
    schema = pyarrow.schema([(column, types.get(column, pyarrow.string())) for column in COLUMNS[name]])
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_pylist([written(row) for row in rows], schema), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _table(found: DryRun, detail: bool) -> tuple[str, list[dict[str, object]]]:
    return ("decisions", decisions(found)) if detail else ("stops", stops(found))


def _flat(row: Mapping[str, object]) -> dict[str, object]:
    return {
        name: "; ".join(map(str, value)) if isinstance(value, list) else value for name, value in row.items()
    }
