"""`exitgate fmt` as edits of the text that an editor shows."""

from __future__ import annotations

import difflib

from exitgate.model.diagnostic import ExitgateError
from exitgate.policy.edits import Edit
from exitgate.policy.format import format_text
from exitgate.surfaces.lsp.roles import POLICY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.page import Page


def formatting(page: Page) -> tuple[Edit, ...]:
    """
    Return the edits that put the conditions of a policy into canonical form, line by line.

    None for other files, and for a policy with an error: its diagnostics say what to fix first.
    """
    if page.kind != POLICY:
        return ()
    try:
        new = format_text(page.text, page.path)
    except ExitgateError:
        return ()
    before, after = page.text.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        Edit(starts[i1], starts[i2], "".join(after[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
