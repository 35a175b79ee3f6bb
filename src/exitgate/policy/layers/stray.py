"""Parameters that are beside the section: they belong to no tool, and are not read."""

from __future__ import annotations

from exitgate.policy.layers.sections import SECTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.documents import Layer


def report_stray(layers: Sequence[Layer], parameters: Collection[str], findings: Findings) -> None:
    """Warn of top-level keys that are named like parameters of the policy in force (EP484)."""
    for layer in layers:
        for key, part in layer.root.fields.items():
            if key in parameters:
                message = f"`{key}` is outside `{SECTION}:` and is not read"
                findings.warning("EP484", message, part.label, f"indent it under `{SECTION}:`")
