"""
What the dataset of a fleet holds: four tables, their columns, and the version of it all.

Times are instants in UTC, costs USD. A column that is not known is null. `day` is the day on which the run
started, in UTC, or `unknown`: files are partitioned by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

#: Another one is another form: it is not read, and nothing is added to it.
VERSION = 1
#: The folder of a partition, and its value for runs whose start is not known.
PARTITION, UNKNOWN_DAY = "day", "unknown"

TEXT, COUNT, NUMBER, TRUTH, INSTANT, TEXTS = "text", "count", "number", "truth", "instant", "texts"


class Column(Struct, frozen=True):
    """
    A column.

    Args:
        type: One of the types above.
        doc: What it says, with its unit.
    """

    type: str
    doc: str


#: Every table has it. A transcript or ledger that has grown is written once more: the newest rows count.
WRITTEN_AT = "written_at"

_OF_RUN = {
    "run": Column(TEXT, "Id of the run, unique within its source."),
    "source": Column(TEXT, "Where the run was read: path or URL of a transcript, or identity of a ledger."),
    "project": Column(TEXT, "Name of the project's folder or repository."),
    "started_at": Column(INSTANT, "When the run started."),
    WRITTEN_AT: Column(INSTANT, "When the row was written: of rows with one key, the newest counts."),
}
#: Table -> the columns that say which rows are about the same.
KEYS: Mapping[str, tuple[str, ...]] = {
    "runs": ("source", "run", "policy", "version", "candidate"),
    "iterations": ("source", "run", "iteration"),
    "facts": ("source", "run", "policy", "version", "iteration", "fact"),
    "decisions": ("source", "run", "policy", "version", "candidate", "iteration"),
}
_OF_POLICY = {
    "policy": Column(TEXT, "The policy as it was named, with its settings where several share one name."),
    "version": Column(TEXT, "Version of the policy."),
    "digest": Column(TEXT, "Digest of all that the policy read."),
    "candidate": Column(TRUTH, "Whether it only looked on: another policy decided."),
}

#: Table -> its columns, in order.
COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "runs": {
        **_OF_RUN,
        "host": Column(TEXT, "Name of the machine on which the loop ran, where a ledger says it."),
        "reader": Column(TEXT, "Format of the transcript, or `ledger`."),
        "ended_at": Column(INSTANT, "When it ended, or its last iteration known so far did."),
        "iterations": Column(COUNT, "Iterations of the run."),
        "cost_usd": Column(NUMBER, "Cost of all iterations that report theirs."),
        "tokens": Column(COUNT, "Tokens of all iterations that report theirs."),
        "ended_as": Column(TEXT, "Class of how the run really ended."),
        "parent": Column(TEXT, "Run whose sub-agent it is."),
        **_OF_POLICY,
        "stop": Column(COUNT, "Iteration at which the policy says EXIT, from 1."),
        "class": Column(TEXT, "Class of that EXIT."),
        "outcome": Column(TEXT, "Its outcome."),
        "rule": Column(TEXT, "The rule that decides it."),
        "firm": Column(TRUTH, "Whether no value of what is unknown could change it."),
        "iterations_after": Column(COUNT, "Iterations after it."),
        "cost_usd_after": Column(NUMBER, "Cost after it."),
        "label_class": Column(TEXT, "Class with which a person says the run should have ended."),
        "label_first": Column(COUNT, "First iteration at which it should have."),
        "label_last": Column(COUNT, "Last iteration at which it should have."),
        "grade": Column(TEXT, "`right`, `late`, `premature` or `missed` by that label."),
        "waste": Column(COUNT, "Iterations behind the right stop, up to the policy's stop or the run's end."),
        "cost_usd_waste": Column(NUMBER, "Their cost."),
    },
    "iterations": {
        **_OF_RUN,
        "iteration": Column(COUNT, "Number of the iteration, from 1."),
        "ended_at": Column(INSTANT, "When it ended."),
        "cost_usd": Column(NUMBER, "Its cost."),
        "tokens": Column(COUNT, "Its tokens."),
    },
    "facts": {
        **_OF_RUN,
        "policy": _OF_POLICY["policy"],
        "version": _OF_POLICY["version"],
        "iteration": Column(COUNT, "Number of the iteration, from 1."),
        "fact": Column(TEXT, "Name of the fact."),
        "truth": Column(TRUTH, "Its value, where it is true or false."),
        "number": Column(NUMBER, "Its value, where it is a number: seconds for durations, USD for money."),
        "text": Column(TEXT, "Its value, where it is a text; lists as JSON. Secrets are masked."),
        "unknown": Column(TEXT, "Why it is unknown."),
    },
    "decisions": {
        **_OF_RUN,
        **_OF_POLICY,
        "iteration": Column(COUNT, "Number of the iteration, from 1."),
        "decided_at": Column(INSTANT, "When it was decided, where a ledger says it."),
        "verdict": Column(TEXT, "`CONTINUE` or `EXIT`."),
        "class": Column(TEXT, "Class of an EXIT."),
        "outcome": Column(TEXT, "Outcome."),
        "rule": Column(TEXT, "The rule that decides."),
        "stage": Column(TEXT, "Stage at which it decides."),
        "firm": Column(TRUTH, "Whether no value of what is unknown could change it."),
        "alternatives": Column(TEXTS, "What it could be as well, `rule: EXIT class` each."),
        "message": Column(TEXT, "The reason in words. Null unless texts were asked for."),
    },
}


def arrow_schema(table: str) -> Any:
    """
    Return the Arrow schema of a table, `day` not in it.

    Raises:
        KeyError: The dataset has no table of that name.
        ExitgateError: 64 where pyarrow is not installed.
    """
    arrow = pyarrow()
    types = {
        TEXT: arrow.string(), COUNT: arrow.int64(), NUMBER: arrow.float64(), TRUTH: arrow.bool_(),
        INSTANT: arrow.timestamp("us", tz="UTC"), TEXTS: arrow.list_(arrow.string()),
    }  # fmt: skip
    fields = [
        arrow.field(name, types[column.type], metadata={"doc": column.doc})
        for name, column in COLUMNS[table].items()
    ]
    return arrow.schema(fields, metadata={"exitgate": f"dataset {VERSION}", "table": table})


def pyarrow() -> Any:
    """Return the package. Raises `ExitgateError` (64) that names the extra where it is missing."""
    try:
        import pyarrow
    except ImportError as error:
        help = "install `exitgate[fleet]`"
        problem = Diagnostic("EP864", "a dataset needs `pyarrow`, which is not installed", help=help)
        raise ExitgateError([problem], USAGE) from error
    return pyarrow
