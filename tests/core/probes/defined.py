"""Policies made of definitions of probes alone, and probes asked by themselves."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compiled import Extraction
from exitgate.core.probes.asking import ask
from exitgate.core.probes.definition import definitions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.probes.answer import Answer
    from exitgate.core.probes.definition import Probe


PATHS = {"PATH": os.environ["PATH"]}


def policy(probes: Mapping[str, object], verify: list[str] | None = None) -> CompiledPolicy:
    """Return what stands for a policy whose settings define probes; `tests` has to pass by default."""
    asked = Extraction("verified", "probes", "probes", {"of": ["tests"] if verify is None else verify})
    other = Extraction("tasks", "checklist", "plan", {"of": ["x"]})
    return cast(
        "CompiledPolicy", SimpleNamespace(layers=JsonObject(probes=probes), extractions=(asked, other))
    )


def probe(**keys: object) -> Probe:
    """Return a probe `tests` of this definition."""
    return definitions(policy({"tests": keys}))["tests"]


def shell(line: str, folder: Path, **keys: object) -> Answer:
    """Return what a line for the shell says."""
    return ask(probe(shell=line, **keys), str(folder), PATHS)


def told(answer: Answer) -> tuple[str, bool | None]:
    """Return whether there is an answer, and which."""
    return answer.status, answer.passed
