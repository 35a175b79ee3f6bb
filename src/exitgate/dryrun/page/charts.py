"""Which numbers are worth a line, and the lines."""

from __future__ import annotations

from exitgate.dryrun.page import drawn
from exitgate.dryrun.page.compared_with import thresholds
from exitgate.dryrun.page.view import Chart, Threshold
from exitgate.language.written import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.dryrun.result import RunResult
    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy

#: Most lines of one run; the table of facts has every number.
MOST = 6
_NUMERIC = ("count", "number", "percent", "duration", "money")
#: Facts that only count iterations up tell nothing as a line.
_CLOCKWORK = ("run.iterations",)
#: Names of thresholds that a sentence lists.
_LISTED = 4


def charts(
    results: Sequence[RunResult], policies: Sequence[CompiledPolicy], columns: Sequence[int]
) -> tuple[Chart, ...]:
    """
    Return the numbers over the iterations: first those that a rule compares with a parameter, then scores,
    then everything else that moves. If policies see the same numbers, they share a line.
    """
    seen: dict[tuple[str, tuple[float | None, ...]], list[int]] = {}
    ranks: dict[str, int] = {}
    for number, (result, policy) in enumerate(zip(results, policies, strict=True)):
        compared = thresholds(policy)
        for name in _names(policy):
            values = series(result, name, columns)
            ranks[name] = min(ranks.get(name, 9), _rank(name, values, compared, policy))
            seen.setdefault((name, values), []).append(number)
    wanted = [key for key in seen if ranks[key[0]] < 9 and sum(v is not None for v in key[1]) > 1]
    wanted.sort(key=lambda key: ranks[key[0]])
    return tuple(_chart(key[0], key[1], seen[key], results, policies) for key in wanted[:MOST])


def series(result: RunResult, name: str, columns: Sequence[int]) -> tuple[float | None, ...]:
    """Return a fact's numbers in the iterations of `columns`, None where it is unknown or no number."""
    at = {row.iteration: number for number, row in enumerate(result.rows)}
    return tuple(_number(result.decided[at[n]].record.get(name)) if n in at else None for n in columns)


def chart(
    name: str,
    values: Sequence[float | None],
    type: Type,
    limits: Mapping[str, float],
    policies: str = "",
) -> Chart:
    """Return the line of a series, `limits` as lines across it."""
    known = [value for value in values if value is not None]
    low, high = _edges(known, limits, type)
    lines = tuple(
        Threshold(name, value, value_text(value, type), drawn.y_of(value, low, high))
        for name, value in sorted(limits.items(), key=lambda item: (-item[1], item[0]))
    )
    texts = [value_text(value, type) for value in (known[0], known[-1], min(known), max(known))]
    words = f"{name} goes from {texts[0]} to {texts[1]}, lowest {texts[2]}, highest {texts[3]}"
    if lines:
        words += "; compared with " + ", ".join(f"{one.name} {one.text}" for one in lines[:_LISTED])
    return Chart(
        name,
        policies,
        drawn.line(values, low, high),
        drawn.dots(values, low, high),
        value_text(low, type),
        value_text(high, type),
        texts[1],
        lines,
        words,
    )


def _chart(
    name: str,
    values: tuple[float | None, ...],
    who: Sequence[int],
    results: Sequence[RunResult],
    policies: Sequence[CompiledPolicy],
) -> Chart:
    limits: dict[str, float] = {}
    for number in who:
        for label, value in thresholds(policies[number]).get(name, {}).items():
            if not value:  # a limit of nothing is none
                continue
            known = {label: value}
            if limits.get(label, value) != value:
                known = {f"{label} ({results[number].policy})": value}
            limits |= known
    all_same = len(who) == len(results)
    names = "" if all_same else ", ".join(dict.fromkeys(results[number].policy for number in who))
    return chart(name, values, policies[who[0]].facts[name].type, _apart(limits), names)


def _apart(limits: Mapping[str, float]) -> dict[str, float]:
    """Return thresholds of one value as one."""
    names: dict[float, list[str]] = {}
    for name, value in limits.items():
        names.setdefault(value, []).append(name)
    return {", ".join(sorted(who, key=lambda name: name[:1] != "$")): value for value, who in names.items()}


def _names(policy: CompiledPolicy) -> list[str]:
    return [
        name for name, spec in policy.facts.items() if spec.type.kind in _NUMERIC and name not in _CLOCKWORK
    ]


def _rank(
    name: str,
    values: Sequence[float | None],
    compared: Mapping[str, Mapping[str, float]],
    policy: CompiledPolicy,
) -> int:
    """Return how much a line is worth, 0 the most; 9 is nothing: it stands still."""
    limits = {label: value for label, value in compared.get(name, {}).items() if value}
    moves = len({value for value in values if value is not None}) > 1
    if any(label.startswith("$") for label in limits):
        return (0 if policy.facts[name].read else 4) if moves else 3
    if not moves:
        return 9
    if not policy.facts[name].read:
        return 5
    if any(fact.name == name for fact in policy.derived):
        return 1
    return 2 if limits else 4


def _edges(known: Sequence[float], limits: Mapping[str, float], type: Type) -> tuple[float, float]:
    """Return what the lower and upper edge stand for."""
    if type.kind == "percent":
        return 0.0, 100.0
    everything = [*known, *limits.values()]
    low, high = min(0.0, *everything), max(everything)
    return (low, high) if high > low else (low, low + 1)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -1e15 < value < 1e15 else None
