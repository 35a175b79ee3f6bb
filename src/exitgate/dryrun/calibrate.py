"""Whether a fact means anything: its values compared with what was right, or against how runs came out."""

from __future__ import annotations

from exitgate.dryrun.bootstrap import Figure, figure
from exitgate.dryrun.calibrate_outcomes import Outcomes, outcomes_of_runs
from exitgate.dryrun.labels import Label, Labels
from exitgate.dryrun.play import Walk
from exitgate.dryrun.reliability import auc, base_rate, bins, brier, calibration_error
from exitgate.dryrun.scores_runs import labels_of
from exitgate.model.counted import counted
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Unknown, Value
from exitgate.model.verdict import NOTHING_TO_DECIDE
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.dryrun.gathered_runs import Gathered, GatheredRun, Read
    from exitgate.dryrun.players import Player
    from exitgate.dryrun.reliability import Bin, Pair
    from exitgate.model.fact_spec import FactSpec

#: Fewer runs, or fewer statements of what came true or of what did not, are too few to say anything.
FEWEST_RUNS, FEWEST_EACH = 10, 10
#: A number that is off by more than this, on average, is not to be read as a chance.
OFF = 0.1
_KINDS = frozenset(("percent", "number", "count", "bool"))
TOO_FEW, CONSTANT, NOTHING, WRONG_WAY, RANKS, CHANCE = (
    "too_few", "constant", "means_nothing", "wrong_way", "ranks_only", "calibrated",
)  # fmt: skip


class Calibration(Value):
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

    __slots__ = (
        "area", "base", "bins", "brier", "by_run", "contradicting", "error", "fact", "gathered", "left_out",
        "pairs", "policy", "runs", "unknown", "verdict",
    )  # fmt: skip

    def __init__(
        self,
        fact: str,
        policy: str,
        by_run: bool,
        runs: int,
        pairs: tuple[Pair, ...],
        unknown: int,
        bins: tuple[Bin, ...],
        error: float | None,
        brier: float | None,
        base: float,
        area: Figure,
        verdict: str,
        left_out: int,
        contradicting: tuple[str, ...],
        gathered: Gathered,
    ) -> None:
        self.fact = fact
        self.policy = policy
        self.by_run = by_run
        self.runs = runs
        self.pairs = pairs
        self.unknown = unknown
        self.bins = bins
        self.error = error
        self.brier = brier
        self.base = base
        self.area = area
        self.verdict = verdict
        self.left_out = left_out
        self.contradicting = contradicting
        self.gathered = gathered


def calibrate(read: Read, right: Labels | Outcomes, player: Player, fact: str) -> Calibration:
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
    gathered: Gathered,
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


def _spec(player: Player, fact: str) -> FactSpec:
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


def _is_read(player: Player, fact: str) -> bool:
    """Return whether the fact is ever found: built-in ones are where the policy uses them."""
    prefix = fact.partition(".")[0]
    policy = player.policy
    computed = any(fact == one.name or fact.startswith(f"{one.name}.") for one in policy.derived)
    return prefix == "circuit" or computed or any(one.prefix == prefix for one in policy.extractions)


def _values(one: GatheredRun, player: Player, fact: str) -> Iterator[float | None]:
    """Yield the value after each iteration, None where it is not known."""
    assert one.extracted is not None
    walk = Walk(player.policy, one.begin, player.program)
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
