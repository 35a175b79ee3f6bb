"""A dry run as one table: CSV and Parquet, with the columns of the tables."""

from __future__ import annotations

from exitgate.dryrun.tables import COLUMNS, decisions, stops
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import USAGE
from exitgate.report.csv import csv_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.dryrun.result import DryRun


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
    from exitgate.dryrun.frames import COUNTS, LISTS, NUMBERS, TRUTHS, written

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
