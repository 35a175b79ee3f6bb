"""A run of a region that the engine itself answers in the way the region promises."""

from __future__ import annotations

from itertools import chain
from random import Random

from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from exitgate.analysis.walk.units import Region, Units

    Run = tuple[Mapping[str, object], ...]

#: Runs drawn at random from a region where the plain ones do not bring about the progress it asks for.
DRAWN = 150
SEED = 1


def realised(region: Region, units: Units, shown: Callable[[Run], Run | None]) -> Run | None:
    """
    Return a run of the region as `shown` has it, which is None for what cannot be; None where none was found.

    The plainest one comes first. Progress follows from what its signals were before, so where a region
    asks for some, runs are tried in which one signal after the other brings it about, then random ones.
    """
    plain = units.run(region)
    found = shown(plain)
    if found is not None:
        return found
    if not any(
        region[units.index(g, b)] != units.full[g] for g in units.progress for b in range(units.length)
    ):
        return None
    if units.length != units.iterations or not _begins(region, units):
        return None  # what goes round moves nothing
    for run in chain(_by_one_signal(region, units), _drawn(region, units)):
        found = shown(run)
        if found is not None:
            return found
    return None


def _begins(region: Region, units: Units) -> bool:
    """Return False where the first iteration is to know of progress although nothing came before it."""
    oldest = units.length - 1
    for number, unknown, signals in units.moving:
        if not region[units.index(number, oldest)] & unknown and not any(
            isinstance(choice[0], bool) for unit, _ in signals for choice in units.units[unit].choices
        ):
            return False
    return True


def _by_one_signal(region: Region, units: Units) -> Iterator[Run]:
    for policy in units.policies:
        for fact in policy.derived:
            for signal in fact.signals:
                if fact.name in units.of and signal in units.of:
                    yield units.run(_moved(region, units, fact.name, signal))


def _moved(region: Region, units: Units, progress: str, signal: str) -> Region:
    """Return the region with the signal moving where `progress` is to be true, and flat where it is false."""
    guess, place = units.of[progress]
    unit, at = units.of[signal]
    choices = units.units[unit].choices
    changed = list(region)
    best: float | None = None
    for back in reversed(range(units.length)):
        wanted = region[units.index(guess, back)]
        truths = {c[place] for n, c in enumerate(units.units[guess].choices) if wanted >> n & 1}
        left = [n for n in range(len(choices)) if region[units.index(unit, back)] >> n & 1]
        numbers = [(float(v), n) for n in left if isinstance(v := choices[n][at], int | float)]
        if len(truths) == len(units.units[guess].choices) or not numbers:
            continue
        rising = sorted(pair for pair in numbers if best is None or pair[0] > best)
        flat = sorted((pair for pair in numbers if best is not None and pair[0] <= best), reverse=True)
        silent = [n for n in left if isinstance(choices[n][at], Unknown)]
        picked = None
        if any(v not in (False, (), 0) and not isinstance(v, Unknown) for v in truths) and rising:
            best, picked = rising[0]
        elif any(isinstance(v, Unknown) for v in truths) and silent:
            picked = silent[0]
        elif flat:
            picked = flat[0][1]
        elif rising:
            best, picked = rising[0]
        if picked is not None:
            changed[units.index(unit, back)] = 1 << picked
    return tuple(changed)


def _drawn(region: Region, units: Units) -> Iterator[Run]:
    draw = Random(SEED)  # noqa: S311 - the same runs on every machine
    for _ in range(DRAWN):
        chosen: list[int] = list(region)
        for variable, left in enumerate(region):
            before = chosen[variable + units.width] if variable + units.width < len(chosen) else 0
            numbers = [n for n in range(left.bit_length()) if left >> n & 1]
            stays = before & left and draw.random() < 0.5
            chosen[variable] = before if stays else 1 << draw.choice(numbers)
        yield units.run(tuple(chosen))
