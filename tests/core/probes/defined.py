"""Policies made of definitions of probes alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compiled import Extraction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.compiled import CompiledPolicy


def policy(probes: Mapping[str, object], verify: list[str] | None = None) -> CompiledPolicy:
    """Return what stands for a policy whose settings define probes; `tests` has to pass by default."""
    asked = Extraction("verified", "probes", "probes", {"of": ["tests"] if verify is None else verify})
    other = Extraction("tasks", "checklist", "plan", {"of": ["x"]})
    return cast(
        "CompiledPolicy", SimpleNamespace(layers=JsonObject(probes=probes), extractions=(asked, other))
    )
