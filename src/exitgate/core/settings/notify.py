"""Addresses of notifications: from the user's own file alone."""

from __future__ import annotations

from exitgate.core.settings.files import USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.settings.documents import Layer

NOTIFY = "notify"


def addresses_of(layers: Sequence[Layer]) -> tuple[dict[str, str], tuple[str, ...]]:
    """
    Return kind -> address of the user's own file, and a remark on each other file that names one.

    A project is what an agent may write: an address in it would send what a loop says anywhere.
    """
    own: dict[str, str] = {}
    remarks = []
    for layer in layers:
        part = layer.section.get(NOTIFY)
        named = {} if part is None else {k: v.text for k, v in part.fields.items() if not k.startswith("x-")}
        if layer.read.layer == USER:
            own = named
        elif named:
            remarks.append(
                f"`{NOTIFY}:` in `{layer.read.file}` is ignored: "
                "addresses count on the command line and in your own settings"
            )
    return own, tuple(remarks)
