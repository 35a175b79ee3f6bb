"""Outcomes of recorded runs from a table: which column is the run, which one says whether it went well."""

from __future__ import annotations

from io import TextIOWrapper

from exitgate import opening
from exitgate.dryrun.labels import fits
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.place import Place
from exitgate.model.value import Value
from exitgate.model.verdict import code_of
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: How programs write booleans into tables.
_TRUE, _FALSE = frozenset(("true", "1", "1.0", "yes")), frozenset(("false", "0", "0.0", "no"))
#: What may be between columns.
_MARKS = (",", ";", "\t")
#: Wrong cells listed one by one.
_TOLD = 5


class Outcomes(Value):
    """
    Whether runs went well, by what the table calls them.

    `contradicting` are names with rows that say both.
    """

    __slots__ = ("contradicting", "of")

    def __init__(self, of: Mapping[str, bool], contradicting: tuple[str, ...] = ()) -> None:
        self.of = of
        self.contradicting = contradicting


def load_outcomes(path: str, run_column: str, outcome_column: str) -> Outcomes:
    """
    Return the outcomes of a CSV file with a head line; empty cells are passed over.

    Columns are separated by commas, or by semicolons or tabs where that is how both titles are found.

    Args:
        path: The file.
        run_column: Title of the column with the runs' ids, or endings of them.
        outcome_column: Title of the column with `true` or `false`, `1` or `0`, `yes` or `no`, in any case.

    Raises:
        ExitgateError: 74 when it cannot be read; 65 for columns that are missing and for other cells.
    """
    import csv

    try:
        with TextIOWrapper(opening.stream(path, links=True), encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            delimiter = _delimiter(head, (run_column, outcome_column))
            file.seek(0)
            reader = csv.DictReader(file, delimiter=delimiter, strict=True)
            titles = list(reader.fieldnames or ())
            _check_columns(path, titles, (run_column, outcome_column))
            cells = [(reader.line_num, row[run_column], row[outcome_column]) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the outcomes `{path}` cannot be read: {reason}"
        raise ExitgateError([Diagnostic("EP878", message, help="name a CSV file")], code_of(error)) from error
    found: dict[str, set[bool]] = {}
    problems: list[Diagnostic] = []
    for line, run, cell in cells:
        word = (cell or "").strip().lower()
        if not run or not word:
            continue
        if word in _TRUE or word in _FALSE:
            found.setdefault(run.strip(), set()).add(word in _TRUE)
            continue
        message = f"`{cell}` in column `{outcome_column}` is neither true nor false"
        problems.append(Diagnostic("EP878", message, Place(path, line), "write `true` or `false`"))
    if problems:
        raise ExitgateError(_some(problems))
    sure = {run: next(iter(said)) for run, said in found.items() if len(said) == 1}
    return Outcomes(sure, tuple(run for run, said in found.items() if len(said) > 1))


def _delimiter(head: str, wanted: Iterable[str]) -> str:
    """Return what is between the titles: the first mark by which all wanted ones are found."""
    import csv

    for mark in _MARKS:
        titles = next(csv.reader([head], delimiter=mark), [])
        if all(title in titles for title in wanted):
            return mark
    return _MARKS[0]


def _some(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return the first few, and how many more there are."""
    more = len(problems) - _TOLD
    if more <= 0:
        return problems
    return [*problems[:_TOLD], Diagnostic("EP878", f"{more} more like these", help=problems[0].help)]


def _check_columns(path: str, titles: list[str], wanted: Iterable[str]) -> None:
    problems = []
    for title in wanted:
        if title not in titles:
            message, help = f"there is no column `{title}`", suggestion(title, titles, "columns")
        elif titles.count(title) > 1:
            message, help = f"there are {titles.count(title)} columns `{title}`", "give them different titles"
        else:
            continue
        problems.append(Diagnostic("EP878", message, Place(path), help))
    if problems:
        raise ExitgateError(problems)


def outcomes_of_runs(outcomes: Outcomes, ids: Iterable[str]) -> dict[str, bool]:
    """
    Return the outcome of each run that the table names; other runs and other rows are left out.

    Raises:
        ExitgateError: 65 for a name that fits several runs.
    """
    found: dict[str, bool] = {}
    problems: list[Diagnostic] = []
    ids = list(ids)
    there = frozenset(ids)
    for name, came in outcomes.of.items():
        fitting = [name] if name in there else [id for id in ids if fits(name, id)]
        if len(fitting) > 1:
            listed = ", ".join(f"`{id}`" for id in fitting[:3])
            message = f"`{name}` in the table of outcomes matches {len(fitting)} runs: {listed}"
            problems.append(Diagnostic("EP870", message, help="write more of the id"))
        elif fitting:
            found[fitting[0]] = came
    if problems:
        raise ExitgateError(_some(problems))
    return found
