"""The value of a parameter that is in force, and who set it."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.language.written import value_text
from exitgate.model.diagnostic import ExitgateError
from exitgate.surfaces.lsp.known import file_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.provenance import Setting, Settled
    from exitgate.surfaces.lsp.page import Page


def origin(page: Page, name: str) -> str:
    """
    Return the effective value of a parameter where checks of the workspace run, the file and line that set
    it, and what that overrode; the empty text where the settings or the policy have an error.
    """
    settled = settled_for(page)
    chain = settled.parameters.get(name, ()) if settled is not None else ()
    if settled is None or not chain:
        return ""
    type_ = settled.policy.parameters[name].type
    now, *before = reversed(chain)
    text = f"Now `{value_text(now.value, type_)}`, set by {_who(now, page)}."
    if before:
        overrode = "; ".join(f"`{value_text(one.value, type_)}` of {_who(one, page)}" for one in before)
        text += f" It overrides {overrode}."
    return text


def _who(setting: Setting, page: Page) -> str:
    place = setting.place
    if place is None or place.file.startswith("<"):
        return f"the {setting.layer}"
    name = place.file
    if not name.startswith("shipped:"):
        path = os.path.realpath(file_of(name))
        root = next((r for r in page.desk.roots if system.is_below(path, r)), "")
        name = system.relative(path, root) if root else name
    return f"{setting.layer} `{name}:{place.line}`"


def settled_for(page: Page) -> Settled | None:
    """Return the policy of a page with all layers of its workspace applied, None after an error."""
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.policy.layers.load import load_settled
    from exitgate.policy.layers.places import Asked

    path = page.policy_path()
    root = next((r for r in page.desk.roots if system.is_below(page.path, r)), page.folder)
    asked = Asked(DEFAULT_POLICY, policy=path, root=root)
    try:
        return page.desk.reading(lambda: load_settled(asked))
    except ExitgateError:
        # What is wrong is among the diagnostics of the file it is in.
        return None
