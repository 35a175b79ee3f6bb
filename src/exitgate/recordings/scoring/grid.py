"""The points of a sweep: which values parameters take, checked against the policy."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from msgspec import Struct

from exitgate.core.model.decimals import ABOUT
from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import duration
from exitgate.core.model.json_object import number_of
from exitgate.core.model.value import Type
from exitgate.core.policy.compiled import CompiledPolicy, Parameter
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.sections.parameters import apply_settings
from exitgate.core.policy.values import Unfit, from_text
from exitgate.core.system import portable

Point = dict[str, str]


#: Type -> a sweep of such values, for help; those without a unit need no step.
_RANGES = {
    "count": "1..9:2",
    "number": "0.5..2:0.5",
    "percent": "50..90:5",
    "duration": "1h..3h:30m",
    "money": "1 USD..5 USD:1 USD",
}
_MEASURED = frozenset(("duration", "money"))
#: Most values of one parameter, and most points that are tried unless more are asked for.
VALUES, POINTS = 1000, 256
_DECIMALS = 9


class Grid(Struct, frozen=True):
    """
    The points to try.

    Args:
        values: Parameter -> the values it takes, as texts, in order.
        points: All combinations, or as many of them as are tried.
        size: How many combinations there are.
    """

    values: Mapping[str, tuple[str, ...]]
    points: tuple[Point, ...]
    size: int


def grid(policy: CompiledPolicy, sweeps: Mapping[str, str], *, points: int = POINTS, seed: int = 0) -> Grid:
    """
    Return the points that `sweeps` span.

    Args:
        policy: Whose parameters they are.
        sweeps: Parameter -> ``50..90:5`` or ``1h..3h:30m`` (from, to, step; a step of 1 can be left out),
            values with commas between them, or both: ``2,3,10..20:5``.
        points: Most points to try. Of a larger grid as many are drawn at random, the policy's own values
            among them where they are on it.
        seed: Of that draw.

    Raises:
        ExitgateError: With everything that is wrong: 65 for unknown parameters and values that do not fit, as
            for settings; 64 where only ranges are not well written.
    """
    problems: list[Diagnostic] = []
    values: dict[str, tuple[str, ...]] = {}
    for name, written in sweeps.items():
        parameter = policy.parameters.get(name)
        found, wrong = ((), "") if parameter is None else _values(written, parameter)
        if wrong:
            help = _help(name, parameter)
            problems.append(Diagnostic("EP875", f"`{name}`: {wrong}", help=help))
            continue
        misfits = list(_misfits(policy, name, found or ("0",)))
        problems += misfits
        if not misfits:
            # `60` and `60%` are one value.
            first: dict[object, str] = {}
            for text in found:
                first.setdefault(_parsed(policy, name, text), text)
            values[name] = tuple(first.values())
    if problems:
        unwritten = all(problem.code == "EP875" for problem in problems)
        raise ExitgateError(dict.fromkeys(problems), USAGE if unwritten else None)
    size = prod(len(found) for found in values.values())
    return Grid(values, tuple(_points(policy, values, size, points, seed)), size)


def default_of(policy: CompiledPolicy, names: Sequence[str]) -> Point:
    """Return the policy's own values of some parameters as texts."""
    return {name: text_of(policy.parameters[name].value, policy.parameters[name].type) for name in names}


def text_of(value: object, type: Type | None = None) -> str:
    """Return a value of a parameter as `--set` takes it; whole numbers without a decimal point."""
    if type is not None and type.kind in _MEASURED and isinstance(value, int | float):
        if type.kind == "money":
            return f"{text_of(value)} {type.currency}"
        short = duration(value).replace(" ", "")
        exact = not short.startswith(ABOUT) and from_text(type, short) == value
        return short if exact else f"{text_of(value)}s"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def distance(policy: CompiledPolicy, values: Mapping[str, Sequence[str]], point: Point) -> float:
    """
    Return how far a point is from the policy's own values: for each parameter the difference in parts of
    its swept range, or 1 for another value without a range.
    """
    far = 0.0
    for name, text in point.items():
        own, value = policy.parameters[name].value, _parsed(policy, name, text)
        mine, at = number_of(own), number_of(value)
        if mine is None or at is None:
            far += value != own
            continue
        found = (number_of(_parsed(policy, name, text)) for text in values[name])
        spread = [one for one in found if one is not None]
        width = max(spread) - min(spread)
        far += abs(at - mine) / width if width else float(at != mine)
    return far


def _values(written: str, parameter: Parameter) -> tuple[tuple[str, ...], str]:
    """Return the values that a sweep names, and what is wrong with it, or the empty text."""
    if parameter.type.kind == "list":
        return (), "a list cannot be swept"
    found: list[str] = []
    for part in (part.strip() for part in written.split(",")):
        if ".." not in part or parameter.type.kind == "text":
            found += [part] if part else []
            continue
        if parameter.type.kind not in _RANGES:
            return (), f"a range `{part}` of {parameter.type.kind} values is not possible; list the values"
        stretch = _range(part, parameter.type)
        if stretch is None:
            return (), f"`{part}` is not a range with a step above 0 and at most {VALUES} values"
        found += stretch
    if not found:
        return (), "no values"
    if len(found) > VALUES:
        return (), f"{len(found)} values; {VALUES} are allowed"
    return tuple(dict.fromkeys(found)), ""


def _help(name: str, parameter: Parameter | None) -> str:
    example = _RANGES.get(parameter.type.kind) if parameter is not None else None
    values = f"the values separated by commas: `--parameter {name}=A,B`"
    return f"write {values}" if example is None else f"write `--parameter {name}={example}`, or {values}"


def _range(text: str, type: Type) -> list[str] | None:
    ends, colon, step = text.partition(":")
    low, _, high = ends.partition("..")
    numbers = [_end(one, type) for one in (low, high, step if colon else "1")]
    if None in numbers:
        return None
    first, last, by = (float(one) for one in numbers if one is not None)
    if by <= 0 or last < first or (last - first) / by >= VALUES:
        return None
    count = int((last - first) / by + 1e-9) + 1
    return [text_of(round(first + by * at, _DECIMALS), type) for at in range(count)]


def _end(text: str, type: Type) -> float | None:
    """Return a number, seconds or an amount; None for what is none."""
    if type.kind not in _MEASURED:
        return _number(text)
    try:
        found = from_text(type, text)
    except Unfit:
        return None
    number = number_of(found)
    return None if number is None else float(number)


def _parsed(policy: CompiledPolicy, name: str, text: str) -> object:
    """Return the value that a text of the grid stands for."""
    return from_text(policy.parameters[name].type, text)


def _number(text: str) -> float | None:
    try:
        found = float(text.strip().removesuffix("%"))
    except ValueError:
        return None
    return found if found - found == 0 else None


def _misfits(policy: CompiledPolicy, name: str, values: Sequence[str]) -> Iterator[Diagnostic]:
    findings = Findings()
    for text in values:
        apply_settings(policy.parameters, {name: text}, findings, set())
    yield from findings.sorted()


def _points(
    policy: CompiledPolicy, values: Mapping[str, tuple[str, ...]], size: int, most: int, seed: int
) -> list[Point]:
    names = list(values)
    if size <= most:
        return [dict(zip(names, one, strict=True)) for one in product(*values.values())]
    draw = random.Random(seed)  # noqa: S311 - a choice of points, no secret
    drawn = [_at(values, number) for number in sorted(draw.sample(range(size), most))]
    own: Point = {}
    for name in names:
        value = policy.parameters[name].value
        own.update((name, text) for text in values[name] if _parsed(policy, name, text) == value)
    if len(own) < len(names):
        return drawn
    return [own, *[point for point in drawn if point != own][: most - 1]]


def _at(values: Mapping[str, tuple[str, ...]], number: int) -> Point:
    """Return the combination of that number without making the others."""
    point: Point = {}
    for name, found in values.items():
        number, at = divmod(number, len(found))
        point[name] = found[at]
    return point


# The chosen point as a patch of a project's `.bb3/config.yaml`.

FOLDER = ".bb3"
_NUMERIC = frozenset(("count", "number", "percent"))


def patch(policy: CompiledPolicy, named: str, point: Point, why: Mapping[str, str] | None = None) -> str:
    """
    Return YAML to put into `.bb3/config.yaml`.

    Args:
        policy: That was tuned.
        named: Its name or path, as asked; a path is written from the folder of the file. It always is
            there: the values are worth nothing to another policy.
        point: Values as texts, of everything that was not left as the policy has it.
        why: A remark on each value, by the parameter's name.
    """
    path = portable.with_slashes(portable.relative(named, FOLDER)) if os.path.isfile(named) else named
    lines = ["exit_decision:", f"  policy: {_text(path)}"]
    for name, text in point.items():
        remark = (why or {}).get(name, "")
        value = _value(text, policy.parameters[name].type)
        lines.append(f"  {name}: {value}" + (f"   # {remark}" if remark else ""))
    return "\n".join(lines) + "\n"


def _value(text: str, type: Type) -> str:
    """Return a value as the settings take it: numbers and bools plain, lists in brackets, texts quoted."""
    if type.kind in _NUMERIC:
        return text
    if type.kind == "list":
        return json.dumps(from_text(type, text), ensure_ascii=False)
    return text.lower() if type.kind == "bool" else _text(text)


def _text(text: str) -> str:
    return (
        text if text.replace("-", "").replace("_", "").isalnum() and text[:1].isalpha() else json.dumps(text)
    )
