"""Makes a counterexample small, one greedy step after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from exitgate.core.model.value import Unknown

Values = Mapping[str, object]
Run = tuple[Values, ...]


def shrink(run: Run, broken: Callable[[Run], bool], domains: Mapping[str, tuple[object, ...]]) -> Run:
    """
    Return the smallest run found that is still `broken`: fewer iterations, facts and changes, simpler values.

    `run` itself must be broken. Unknown values are left out of what is returned: a fact that does
    not exist was not needed.
    """
    current = tuple(_known(values) for values in run)
    if not broken(current):
        return run
    going = True
    while going:
        going = False
        for smaller in _smaller(current, domains):
            if broken(smaller):
                current, going = smaller, True
                break
    return current


def _known(values: Values) -> Values:
    return {name: value for name, value in values.items() if not isinstance(value, Unknown)}


def _smaller(run: Run, domains: Mapping[str, tuple[object, ...]]) -> Iterator[Run]:
    """Yield smaller runs, those that gain most first."""
    for start in range(len(run) - 1, 0, -1):
        yield run[start:]
    names = sorted({name for values in run for name in values})
    for name in names:
        yield tuple({n: v for n, v in values.items() if n != name} for values in run)
    for name in names:
        track = [values.get(name) for values in run]
        if name in run[-1] and any(value != track[-1] for value in track):
            yield tuple({**values, name: track[-1]} for values in run)
    for name in names:
        yield from _simpler(run, name, domains.get(name, ()))


def _simpler(run: Run, name: str, candidates: tuple[object, ...]) -> Iterator[Run]:
    """Yield runs in which one value of `name` is replaced, everywhere it is, by a simpler candidate."""
    order = {_key(value): rank for rank, value in enumerate(candidates) if not isinstance(value, Unknown)}
    for old in dict.fromkeys(values[name] for values in run if name in values):
        rank = order.get(_key(old), len(order))
        for value in candidates[:rank]:
            if not isinstance(value, Unknown):
                yield tuple(
                    {**values, name: value} if name in values and values[name] == old else values
                    for values in run
                )


def _key(value: object) -> tuple[str, object]:
    """Return a key that keeps true and 1 apart."""
    return ("bool" if isinstance(value, bool) else "", value)
