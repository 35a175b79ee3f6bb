"""
How an agent ended, as a check counts it: its exit status, whether it failed, and whether it was interrupted.

All three come of one status and of whether the agent's result is an error
(`exitgate.gate.observe.clock.run`): without a status it is unknown whether it was interrupted; with one
everything is known, and an agent that ended with another status than 0 has failed.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import ceil, floor

from exitgate.analysis.space.domains import UNKNOWN, trees
from exitgate.analysis.space.same import Same
from exitgate.engine.record import FAILED
from exitgate.facts.extractors.run import INTERRUPTED as SIGNALLED
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from exitgate.policy.compiled import CompiledPolicy

    Values = Mapping[str, object]

#: Whether somebody interrupted the agent, and its exit status, a whole number.
INTERRUPTED, STATUS = "run.interrupted", "run.agent_exit"
NAMES = (STATUS, FAILED, INTERRUPTED)


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
    found = (
        choice for choice in product(*candidates) if can_end(dict(zip(names, choice, strict=True)), names)
    )
    return names, tuple(found)


def _statuses(candidates: tuple[object, ...], with_signals: bool) -> tuple[object, ...]:
    """Return whole numbers that meet constants as the candidates do, and on both sides of each signal's."""
    met = [value for value in candidates if isinstance(value, int | float)]
    near = [signal + step for signal in SIGNALLED for step in (0, -1, 1)] if with_signals else []
    return (*dict.fromkeys([*(end(value) for value in met for end in (floor, ceil)), *near]), UNKNOWN)


def can_end(values: Values, read: Collection[str]) -> bool:
    """
    Return whether an agent can end so that `values` hold; one of the facts `read` that they lack is unknown.

    Others that they lack may be anything.
    """
    status, failed, interrupted = (
        None if isinstance(values.get(n), Unknown) else values.get(n) for n in NAMES
    )
    unknown = {
        name for name, value in zip(NAMES, (status, failed, interrupted), strict=True) if value is None
    }
    unknown &= set(read)
    if isinstance(status, int | float):
        if unknown or status != int(status) or (failed is False and status != 0):
            return False
        return interrupted is None or interrupted is (status in SIGNALLED)
    if interrupted is not None:
        return not unknown and not (interrupted is True and failed is False)
    return True


def is_ending(values: Values, policy: CompiledPolicy) -> bool:
    """Return whether an agent can end so; see `can_end`: what a policy reads and they lack is unknown."""
    if all(name not in values for name in NAMES):
        return True
    return can_end(values, _read(Same(policy)))


@lru_cache(maxsize=8)
def _read(policy: Same) -> frozenset[str]:
    found = {name for tree in trees(policy.held[0]) for name in tree.uses().get("fact", ())}  # type: ignore[arg-type]
    return frozenset(NAMES) & found
