"""Which numbers are worth a line, and the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import value_text
from exitgate.core.model.json_object import number_of
from exitgate.core.model.value import COUNT, Type
from exitgate.core.model.value import Type as ValueType
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.page.cells import counted, stop_of, usd
from exitgate.recordings.page.view import Chart, Spending, Threshold
from exitgate.recordings.replay.result import RunResult

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
        Threshold(name, value, value_text(value, type), y_of(value, low, high))
        for name, value in sorted(limits.items(), key=lambda item: (-item[1], item[0]))
    )
    texts = [value_text(value, type) for value in (known[0], known[-1], min(known), max(known))]
    words = f"{name} goes from {texts[0]} to {texts[1]}, lowest {texts[2]}, highest {texts[3]}"
    if lines:
        words += "; compared with " + ", ".join(f"{one.name} {one.text}" for one in lines[:_LISTED])
    return Chart(
        name,
        policies,
        line(values, low, high),
        dots(values, low, high),
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
    number = number_of(value)
    return None if number is None or not -1e15 < number < 1e15 else float(number)


# Which values the rules of a policy compare facts with: the lines that a chart can show.

#: Operation of a literal: its value is its first argument.
_LITERALS = ("number", "percent", "duration", "money")


def thresholds(policy: CompiledPolicy) -> dict[str, dict[str, float]]:
    """Return fact -> name of what it is compared with (``$min_completion``, ``2h``) -> the value."""
    found: dict[str, dict[str, float]] = {}
    trees = [rule.when for rule in policy.rules] + list(policy.conditions.values())
    for tree in trees:
        for node in tree.walk():
            for fact, other in _sides(node):
                value = _value(other, policy)
                if value is not None:
                    found.setdefault(fact, {})[_name(other)] = value
    return found


def _sides(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield each fact and what it is compared with."""
    if node.op == "between":
        value, low, high = node.children()
        if value.op == "fact":
            yield from ((str(value.args[0]), low), (str(value.args[0]), high))
    elif node.op == "compare":
        left, right = node.children()
        if left.op == "fact":
            yield str(left.args[0]), right
        if right.op == "fact":
            yield str(right.args[0]), left


def _value(node: Node, policy: CompiledPolicy) -> float | None:
    value = node.args[0] if node.args else None
    if node.op == "parameter":
        value = policy.parameters[str(value)].value  # type: ignore[assignment]
    elif node.op not in _LITERALS:
        return None
    number = number_of(value)
    return None if number is None else float(number)


def _name(node: Node) -> str:
    return f"${node.args[0]}" if node.op == "parameter" else value_text(node.args[0], node.type)


# Numbers over iterations as SVG path data.

#: Units of x for one iteration, and of y for a whole chart.
STEP, TALL = 10, 100


def x_of(column: int) -> float:
    """Return the middle of a column, from 0."""
    return STEP * column + STEP / 2


def y_of(value: float, low: float, high: float) -> float:
    """Return where `value` is between `low` (the lower edge, 100) and `high` (the upper, 0)."""
    span = high - low
    return TALL / 2 if span <= 0 else TALL * (high - value) / span


def line(values: Sequence[float | None], low: float, high: float) -> str:
    """Return path data through all known values; an unknown one leaves a gap."""
    parts, joined = [], False
    for column, value in enumerate(values):
        if value is not None:
            parts.append(f"{'L' if joined else 'M'}{_plain(x_of(column))} {_plain(y_of(value, low, high))}")
        joined = value is not None
    return "".join(parts)


def dots(values: Sequence[float | None], low: float, high: float) -> str:
    """Return path data of a stroke of no length at each known value: with round caps, dots."""
    return "".join(
        f"M{_plain(x_of(column))} {_plain(y_of(value, low, high))}h0"
        for column, value in enumerate(values)
        if value is not None
    )


def _plain(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


# What a run used up over its iterations, and where each policy would have ended that.

USD = Type("money", currency="USD")


def spending(results: Sequence[RunResult], columns: Sequence[int]) -> Spending | None:
    """Return the curve of cost, of tokens where no cost is reported, or None where neither is."""
    name, unit, used = _used(results[0])
    if not any(used):
        return None
    total = list(accumulate(used))
    line = chart(name, [total[number - 1] for number in columns], unit, {})
    stops = []
    for result in results:
        stop = stop_of(result)
        if stop is not None and total[-1] > 0:
            at = total[stop - 1]
            stops.append((result.policy, stop, amount(at, unit), f"{100 * at / total[-1]:.0f}%"))
    words = "; ".join(f"{policy} stops at iteration {stop}, {at}" for policy, stop, at, _ in stops)
    return Spending(line._replace(words=f"{line.words}; {words}" if words else line.words), tuple(stops))


def amount(value: float, unit: ValueType) -> str:
    """Return an amount of money or of tokens."""
    return usd(value) if unit.kind == "money" else counted(int(value), "token")


def _used(result: RunResult) -> tuple[str, ValueType, list[float]]:
    """Return what is counted, its type, and how much of it each iteration took."""
    costs = [cost or 0.0 for cost in result.costs]
    if any(costs):
        return "cost so far", USD, costs
    told = {row.iteration: float(row.tokens or 0) for row in result.rows}
    return "tokens so far", COUNT, [told.get(number, 0.0) for number in range(1, len(costs) + 1)]
