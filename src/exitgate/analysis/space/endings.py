"""
How an agent ended, as a check counts it: its exit status, whether it failed, whether it was interrupted.

All three come of one status and of whether the agent's result is an error
(`exitgate.core.observe.clock.run`): without a status it is unknown whether it was interrupted; with one
everything is known, and an agent that ended with another status than 0, or whose result is an error, has
failed. Of this come also the stage that is asked then, and what becomes of a row of failures.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import ceil, floor

from exitgate.analysis.space.domains import UNKNOWN, IdentityKey, trees
from exitgate.core.engine.record import FAILED
from exitgate.core.engine.stages import AFTER, FAILURE
from exitgate.core.facts.extractors.run import INTERRUPTED as SIGNALLED
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from exitgate.core.policy.compiled import CompiledPolicy

    Values = Mapping[str, object]


#: Whether somebody interrupted the agent, and its exit status, a whole number.
INTERRUPTED, STATUS = "run.interrupted", "run.agent_exit"
NAMES = (STATUS, FAILED, INTERRUPTED)
#: How many iterations in a row have failed, the last one included.
FAILURES = "run.failures_in_row"
#: Exit statuses of which each sort of end has one.
SORTS = (None, 0, 1, SIGNALLED[0])


def endings(
    domains: Mapping[str, tuple[object, ...]],
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]] | None:
    """Return those of the facts that have candidates, and what they can be together; None where none has."""
    names = tuple(name for name in NAMES if name in domains)
    if not names:
        return None
    candidates = [
        _statuses(domains[name], INTERRUPTED in domains) if name == STATUS else (False, True, UNKNOWN)
        for name in names
    ]
    ended = [c for c in product(*candidates) if can_end(dict(zip(names, c, strict=True)), names)]
    if FAILURES not in domains:
        return names, tuple(ended)
    names = (*names, FAILURES)
    found = ((*choice, row) for choice in ended for row in dict.fromkeys((0, 1, *domains[FAILURES])))
    return names, tuple(one for one in found if can_end(dict(zip(names, one, strict=True)), names))


def _statuses(candidates: tuple[object, ...], with_signals: bool) -> tuple[object, ...]:
    """Return whole numbers that meet constants as the candidates do, and on both sides of each signal's."""
    met = [value for value in candidates if isinstance(value, int | float)]
    near = [signal + step for signal in SIGNALLED for step in (0, -1, 1)] if with_signals else []
    return (*dict.fromkeys([*(end(value) for value in met for end in (floor, ceil)), *near]), UNKNOWN)


def can_end(values: Values, read: Collection[str], stage: str = "") -> bool:
    """
    Return whether an agent can end so that `values` hold; one of the facts `read` that they lack is unknown.

    Others that they lack may be anything. With a `stage`, only ends after which a check asks it count.
    """
    status = _known(values, STATUS)
    if status is not None and (not isinstance(status, int | float) or status != int(status)):
        return False
    statuses: tuple[float | None, ...] = SORTS if status is None and STATUS not in read else (status,)
    told = {name: _known(values, name) for name in (*NAMES[1:], FAILURES)}
    told = {name: value for name, value in told.items() if value is not None or name in read}
    return any(
        told.get(FAILED, failed) is failed
        and told.get(INTERRUPTED, interrupted) is interrupted
        and (stage not in (AFTER, FAILURE) or (failed is True) is (stage == FAILURE))
        and (FAILURES not in told or _fits(told[FAILURES], failed, interrupted))
        for failed, interrupted in _ends(statuses)
    )


def _known(values: Values, name: str) -> object:
    value = values.get(name)
    return None if isinstance(value, Unknown) else value


def _ends(statuses: Collection[float | None]) -> Iterator[tuple[bool | None, bool | None]]:
    """Yield whether the agent failed and whether it was interrupted, for each result it can have."""
    for status in statuses:
        if status is None:
            yield from ((None, None), (False, None), (True, None))
        elif status in SIGNALLED:
            yield True, True
        elif status:
            yield True, False
        else:
            yield from ((False, False), (True, False))


def _fits(row: object, failed: bool | None, interrupted: bool | None) -> bool:
    """Return whether so many failures in a row can be counted after such an end; None is an unknown count."""
    if failed is None:
        return True  # the row is what it was
    if not isinstance(row, int | float):
        return False
    return interrupted is True or (row >= 1 if failed else row == 0)


def is_ending(values: Values, policy: CompiledPolicy) -> bool:
    """Return whether an agent can end so; see `can_end`: what a policy reads and they lack is unknown."""
    if all(name not in values for name in NAMES):
        return True
    return can_end(values, _read(IdentityKey(policy)))


@lru_cache(maxsize=8)
def _read(policy: IdentityKey) -> frozenset[str]:
    found = {name for tree in trees(policy.held[0]) for name in tree.uses().get("fact", ())}  # type: ignore[arg-type]
    return frozenset(NAMES) & found
