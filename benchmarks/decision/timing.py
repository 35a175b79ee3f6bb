"""Contenders take turns; what is reported are medians of ratios within each round."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median


class Contender:
    """A way to decide: `decide` gives the index of the rule for one of `inputs`."""

    def __init__(self, name: str, decide: Callable[[object], object], inputs: Sequence[object]) -> None:
        self.name = name
        self.decide = decide
        self.inputs = tuple(inputs)
        self.loops = 1

    def answers(self) -> tuple[object, ...]:
        return tuple(self.decide(one) for one in self.inputs)

    def time(self) -> float:
        """Seconds of processor time for one decision, the mean over the inputs."""
        decide, inputs = self.decide, self.inputs
        start = time.process_time()
        for _ in range(self.loops):
            for one in inputs:
                decide(one)
        return (time.process_time() - start) / (self.loops * len(inputs))

    def calibrate(self, seconds: float) -> None:
        """Choose the loops so that one turn takes about `seconds`."""
        self.loops = 1
        while (spent := self.time() * self.loops * len(self.inputs)) < seconds / 2:
            self.loops *= 2 if spent > seconds / 20 else 8


def race(contenders: Sequence[Contender], rounds: int, seconds: float) -> list[list[float]]:
    """Return seconds per decision: a list of rounds for each contender, in their order."""
    for contender in contenders:
        contender.calibrate(seconds)
    spent: list[list[float]] = [[] for _ in contenders]
    for turn in range(rounds):
        for step in range(len(contenders)):
            index = (turn + step) % len(contenders)
            spent[index].append(contenders[index].time())
    return spent


def ratio(times: Sequence[float], base: Sequence[float]) -> float:
    return median(a / b for a, b in zip(times, base, strict=True))


def shown(seconds: float) -> str:
    for unit, size in (("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"
