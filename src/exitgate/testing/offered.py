"""Sources that a case offers: each must be one that the policy, or exitgate itself, reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.facts import registry
from exitgate.gate.sources import wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.testing.expand import Path, Written
    from exitgate.testing.remarks import Remarks

#: Offered by every iteration, no matter what the policy makes of them.
ALWAYS = frozenset(("response", "plan", "task"))


def check_offered(written: Written, policy: CompiledPolicy, remarks: Remarks) -> None:
    """Add a remark on every source of a case that no fact of the policy is read from."""
    built_in = {registry.load(id).SOURCE for id in registry.BUILT_IN.values()}
    known = sorted(ALWAYS | wanted(policy) | built_in)
    for name, at in _named(written):
        if name not in known:
            remarks.no_such("EP447", "source", name, written.spot(*at), known)


def _named(written: Written) -> Iterator[tuple[str, Path]]:
    """Yield name and path of each source, those of earlier iterations first."""
    earlier = written.case.get("earlier")
    sections: list[tuple[Path, object]] = []
    for number, offered in enumerate(earlier if isinstance(earlier, list) else ()):
        sections.append((("earlier", number), offered))
    sections.append((("sources",), written.case.get("sources")))
    for at, section in sections:
        for name in section if isinstance(section, dict) else ():
            yield str(name), (*at, name)
