"""Whether a fact means anything: its values compared with what was right, or against how runs came out."""

from __future__ import annotations

from io import TextIOWrapper

from msgspec import Struct

from exitgate.core.model.decision import NOTHING_TO_DECIDE, code_of
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.display import counted
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Unknown
from exitgate.core.system import safe_files
from exitgate.recordings.replay.replay import Replay
from exitgate.recordings.scoring.labels import Label, Labels, fits
from exitgate.recordings.scoring.scored_runs import labels_of
from exitgate.recordings.scoring.statistics import (
    Figure,
    auc,
    base_rate,
    bins,
    brier,
    calibration_error,
    figure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.model.fact import FactSpec
    from exitgate.recordings.replay.loaded_runs import LoadedRun, LoadedRuns, Read
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.scoring.statistics import Bin, Pair


#: Fewer runs, or fewer statements of what came true or of what did not, are too few to say anything.
FEWEST_RUNS, FEWEST_EACH = 10, 10
#: A number that is off by more than this, on average, is not to be read as a chance.
OFF = 0.1
_KINDS = frozenset(("percent", "number", "count", "bool"))
TOO_FEW, CONSTANT, NOTHING, WRONG_WAY, RANKS, CHANCE = (
    "too_few", "constant", "means_nothing", "wrong_way", "ranks_only", "calibrated",
)  # fmt: skip


class Calibration(Struct, frozen=True):
    """
    What a fact's values are worth.

    Args:
        fact: Its name.
        policy: As it is called here.
        by_run: Whether there is one value for each run (its last known one), compared with the run's outcome;
            else one for each iteration, compared with whether a stop there is right.
        runs: Runs with a value.
        pairs: The values as they are, and what came of each.
        unknown: Runs or iterations in which the fact was not known.
        bins: Reliability table; empty where the fact is not a chance.
        error: Expected calibration error, None where it is not a chance.
        brier: Brier score, None where it is not a chance.
        base: Share that came true.
        area: Area under the ROC curve, with its interval by bootstrap over runs.
        verdict: One of the words of this module.
        left_out: Runs without a label or an outcome.
        contradicting: Names with contradicting outcomes, left out.
        gathered: What was read.
    """

    fact: str
    policy: str
    by_run: bool
    runs: int
    pairs: tuple[Pair, ...]
    unknown: int
    bins: tuple[Bin, ...]
    error: float | None
    brier: float | None
    base: float
    area: Figure
    verdict: str
    left_out: int
    contradicting: tuple[str, ...]
    gathered: LoadedRuns


def calibrate(read: Read, right: Labels | Outcomes, player: PolicyReplay, fact: str) -> Calibration:
    """
    Return what the values of a fact are worth.

    Args:
        read: From policies to runs with their facts.
        right: Labels: then every iteration of a labelled run counts, and what comes true is that a stop
            there is right, from the first right one on. Or outcomes: then the last known value of each run
            counts.
        player: The policy that has the fact.
        fact: Its name; a number or a bool.

    Raises:
        ExitgateError: 65 for a fact that the policy does not have or that has no order, and for labels of
            runs that are missing; 66 where there is no value at all.
    """
    spec = _spec(player, fact)
    gathered = read({player.name: player})
    own = [one for one in gathered.runs if one.run.parent is None]
    marks: Mapping[str, Label | bool]
    if isinstance(right, Labels):
        marks = labels_of(own, right, gathered.unread)
    else:
        marks = outcomes_of_runs(right, [one.run.id for one in own])
    groups: list[list[Pair]] = []
    unknown = 0
    for one in own:
        if one.run.id not in marks or one.extracted is None:
            continue
        found, missing = _pairs(list(_values(one, player, fact)), marks[one.run.id])
        unknown += missing
        if found:
            groups.append(found)
    if not groups:
        runs = counted(len(marks), "run that has", "runs that have")
        message = f"`{fact}` is known in none of {runs} a label or an outcome"
        help = "choose another fact or policy: `exitgate calibrate PATH --fact NAME --policy NAME`"
        if not marks:
            message = f"none of {counted(len(own), 'run')} has a label or an outcome"
            help = "runs are named by their ids, or endings of them: `exitgate transcripts PATH` lists them"
        problem = Diagnostic("EP876", message, help=help)
        raise ExitgateError([*gathered.unread.diagnostics, problem], NOTHING_TO_DECIDE)
    return _calibration(player.name, spec, groups, unknown, right, len(own) - len(marks), gathered)


def _calibration(
    policy: str,
    spec: FactSpec,
    groups: Sequence[Sequence[Pair]],
    unknown: int,
    right: Labels | Outcomes,
    left_out: int,
    gathered: LoadedRuns,
) -> Calibration:
    """Return the figures of values grouped by run."""
    pairs = tuple(pair for group in groups for pair in group)
    chances = _chances(pairs, spec)
    table = bins(chances) if chances is not None else ()
    area = figure(groups, lambda some: auc([pair for group in some for pair in group]))
    error = calibration_error(table) if table else None
    return Calibration(
        spec.name, policy, isinstance(right, Outcomes), len(groups), pairs, unknown, table, error,
        brier(chances) if chances is not None else None, base_rate(pairs), area,
        _verdict(pairs, len(groups), area, error), left_out,
        right.contradicting if isinstance(right, Outcomes) else (), gathered,
    )  # fmt: skip


def _spec(player: PolicyReplay, fact: str) -> FactSpec:
    specs = player.policy.facts
    spec = specs.get(fact)
    if spec is None:
        help = suggestion(fact, specs, "facts")
        raise ExitgateError([Diagnostic("EP877", f"policy `{player.name}` has no fact `{fact}`", help=help)])
    if not _is_read(player, fact):
        message = f"policy `{player.name}` does not use `{fact}`, so it is not read"
        raise ExitgateError([Diagnostic("EP877", message, help="name a fact that its rules or messages use")])
    if spec.type.kind not in _KINDS:
        message = f"`{fact}` is a fact of type {spec.type.kind}: its values have no order"
        raise ExitgateError([Diagnostic("EP877", message, help="name a number, a percentage or a bool")])
    return spec


def _is_read(player: PolicyReplay, fact: str) -> bool:
    """Return whether the fact is ever found: built-in ones are where the policy uses them."""
    prefix = fact.partition(".")[0]
    policy = player.policy
    computed = any(fact == one.name or fact.startswith(f"{one.name}.") for one in policy.derived)
    return prefix == "circuit" or computed or any(one.prefix == prefix for one in policy.extractions)


def _values(one: LoadedRun, player: PolicyReplay, fact: str) -> Iterator[float | None]:
    """Yield the value after each iteration, None where it is not known."""
    assert one.extracted is not None
    walk = Replay(player.policy, one.begin, player.program)
    for extracted in one.extracted[player.name]:
        value = walk.step(extracted).record.get(fact)
        known = not isinstance(value, Unknown) and isinstance(value, int | float)
        yield float(value) if known else None  # type: ignore[arg-type]


def _pairs(values: Sequence[float | None], mark: Label | bool) -> tuple[list[Pair], int]:
    """Return values with what came of them, and how many are not known."""
    if isinstance(mark, bool):
        known = [value for value in values if value is not None]
        return ([(known[-1], mark)], 0) if known else ([], 1)
    first = mark.first if mark.first is not None else len(values) + 1
    found = [(value, number >= first) for number, value in enumerate(values, 1) if value is not None]
    return found, len(values) - len(found)


def _chances(pairs: Sequence[Pair], spec: FactSpec) -> list[Pair] | None:
    """Return values as chances from 0 to 1; None for numbers without bounds, of which only ranks count."""
    low, high = (0.0, 100.0) if spec.type.kind == "percent" else (spec.low, spec.high)
    if spec.type.kind == "bool":
        low, high = 0.0, 1.0
    if low is None or high is None or high <= low:
        return None
    return [(min(max((value - low) / (high - low), 0.0), 1.0), came) for value, came in pairs]


def _verdict(pairs: Sequence[Pair], runs: int, area: Figure, error: float | None) -> str:
    true = sum(came for _, came in pairs)
    if runs < FEWEST_RUNS or min(true, len(pairs) - true) < FEWEST_EACH:
        return TOO_FEW
    if len({value for value, _ in pairs}) == 1:
        return CONSTANT
    if area.low is None or area.high is None or area.low <= 0.5 <= area.high:
        return NOTHING
    if area.high < 0.5:
        return WRONG_WAY
    return CHANCE if error is not None and error <= OFF else RANKS


# Outcomes of recorded runs from a table: which column is the run, which one says whether it went well.

#: How programs write booleans into tables.
_TRUE, _FALSE = frozenset(("true", "1", "1.0", "yes")), frozenset(("false", "0", "0.0", "no"))
#: What may be between columns.
_MARKS = (",", ";", "\t")
#: Wrong cells listed one by one.
_TOLD = 5


class Outcomes(Struct, frozen=True):
    """
    Whether runs went well, by what the table calls them.

    `contradicting` are names with rows that say both.
    """

    of: Mapping[str, bool]
    contradicting: tuple[str, ...] = ()


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
        with TextIOWrapper(safe_files.stream(path, links=True), encoding="utf-8-sig", newline="") as file:
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
        problems.append(Diagnostic("EP878", message, Location(path, line), "write `true` or `false`"))
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
        problems.append(Diagnostic("EP878", message, Location(path), help))
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
