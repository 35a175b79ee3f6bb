"""Secrets hidden in everything that the page shows: a report is sent around."""

from __future__ import annotations

from exitgate.facts.mask import Mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.policy.compiled import CompiledPolicy


def mask_of(policies: Iterable[CompiledPolicy]) -> Mask:
    """Return a mask for the secrets of all policies, each shape once."""
    shapes = {str(one["pattern"]): one for policy in policies for one in policy.mask}
    return Mask(shapes.values())
