"""`exitgate fleet`: questions to a dataset of many loops."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, ParsedArguments, formats
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_READ
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

CODES = {
    "0": "success",
    "64": "usage: anything but one SELECT, or a package is missing",
    "65": "SQL that cannot be run, or no dataset of this version",
    "66": "no dataset",
    "74": "the dataset cannot be read",
}


def run_query(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the answer to a question in SQL."""
    from exitgate.fleet.dataset.store import Dataset
    from exitgate.fleet.questions import forms
    from exitgate.fleet.questions.engine import ask

    target = given.word("target")
    try:
        found = ask(Dataset(target), given.word("sql"))
    except OSError as error:
        message = f"cannot read the dataset `{target}`: {error.strerror or error}"
        problem = Diagnostic("EP882", message, help="check the folder or the store")
        raise ExitgateError([problem], CANNOT_READ) from error
    form = given.word("format")
    if form == "text":
        return Answer(forms.answer_text(found, terminal.out))
    whole = {"json": forms.answer_json, "markdown": forms.answer_markdown, "csv": forms.answer_csv}
    return Answer(whole[form](found))


COMMAND = Command(
    "fleet",
    "ask questions to a dataset of many loops",
    about="`exitgate dry-run --dataset TARGET` writes runs, iterations, decisions and facts to a dataset of "
    "Parquet files.",
    examples=(
        ("exitgate dry-run runs/ -p recommended --dataset ../fleet", "write a dataset"),
        ("exitgate fleet query 'SELECT count(*) FROM runs' ../fleet", "ask it"),
    ),
    codes=CODES,
    children=(
        Command(
            "query",
            "answer a question in SQL",
            about="DuckDB answers over the views `runs`, `iterations`, `facts` and `decisions`, each with "
            "the newest row of a run under a policy, and the column `day` on which the run started. The "
            "question is one SELECT; it reads nothing but the dataset and writes nothing.",
            arguments=(
                Argument("SQL", "one SELECT"),
                Argument("TARGET", "the dataset: a folder or URL"),
            ),
            options=(formats("text", "json", "markdown", "csv"),),
            examples=(
                (
                    "exitgate fleet query 'SELECT policy, class, count(*) FROM runs GROUP BY ALL' ../fleet",
                    "how policies end runs",
                ),
                (
                    "exitgate fleet query 'SELECT day, sum(cost_usd) FROM iterations GROUP BY day' s3://loops/fleet",
                    "what a day costs",
                ),
            ),
            run=run_query,
        ),
    ),
)
