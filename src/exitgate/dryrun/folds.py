"""Cross-validation over runs: what is chosen on some runs is judged on the others."""

from __future__ import annotations

import random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Choice = TypeVar("Choice")


def folds(count: int, wanted: int | None, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """
    Return which of `count` runs each fold leaves out; every run is left out once.

    Args:
        count: How many runs there are.
        wanted: How many folds, at most as many as runs; None leaves out one run at a time.
        seed: Of the order in which runs are dealt to fewer folds than runs.
    """
    if wanted is None or wanted >= count:
        return tuple((at,) for at in range(count))
    order = list(range(count))
    random.Random(seed).shuffle(order)  # noqa: S311 - a shuffle, no secret
    return tuple(tuple(sorted(order[at::wanted])) for at in range(wanted))


def cross_validated(
    count: int, left_out: Sequence[Sequence[int]], choose: Callable[[Sequence[int]], Choice]
) -> list[Choice]:
    """
    Return for each run what is chosen without it.

    Args:
        count: How many runs there are.
        left_out: As `folds` returns it.
        choose: From the numbers of the runs to look at to what is best on them.
    """
    chosen: dict[int, Choice] = {}
    for out in left_out:
        best = choose([at for at in range(count) if at not in out])
        chosen.update(dict.fromkeys(out, best))
    return [chosen[at] for at in range(count)]
