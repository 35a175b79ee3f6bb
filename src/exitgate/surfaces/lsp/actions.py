"""Quick fixes: the nearest right name where a wrong one is, and the right sign or word of a condition."""

from __future__ import annotations

from exitgate.analysis.lint import registry
from exitgate.language.syntax_pieces import mend
from exitgate.language.syntax_scan import scan
from exitgate.model.spelling import nearest
from exitgate.model.value import Value
from exitgate.policy.edits import Edit
from exitgate.surfaces.lsp.complete import complete
from exitgate.surfaces.lsp.lints import lints
from exitgate.surfaces.lsp.roles import CONDITION, POLICY, text_role
from exitgate.surfaces.lsp.spot import VALUE, inner, spot_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.page import Page


class Fix(Value):
    """A change that fixes a diagnostic: what it does, and its edits of the text."""

    __slots__ = ("edits", "title")

    def __init__(self, title: str, edits: tuple[Edit, ...]) -> None:
        self.title = title
        self.edits = edits


def fixes(page: Page, start: int, end: int) -> tuple[Fix, ...]:
    """
    Return what may fix a diagnostic on the text from `start` to `end`.

    What could be there is what completion would offer there, so only names that fit are proposed.
    """
    word = page.text[start:end]
    if not word or "\n" in word:
        return ()
    return (*_mended(page, start, end), *_nearest(page, start, word))


def lint_fixes(page: Page, id: str, start: int, today: str) -> tuple[Fix, ...]:
    """Return what fixes the finding of a lint at an offset; nothing where a person must choose."""
    return tuple(
        Fix(f"Fix: {one.finding.help or one.finding.message}", one.finding.edits)
        for one in (lints(page, today) if id in registry.IDS else ())
        if one.lint == id and one.finding.edits and page.sheet.span(one.finding.place)[0] == start
    )


def _nearest(page: Page, start: int, word: str) -> tuple[Fix, ...]:
    plain = word.strip("'\"")
    first = start + (1 if word[:1] in ("'", '"') and plain else 0)
    offered = [item.label for item in complete(page, first + len(plain)).items if item.label == item.insert or
               item.insert.startswith(item.label)]  # fmt: skip
    right = nearest(plain, [label for label in offered if label != plain])
    if right is None:
        return ()
    return (Fix(f"Replace with `{right}`", (Edit(first, first + len(plain), right),)),)


def _mended(page: Page, start: int, end: int) -> tuple[Fix, ...]:
    """Return the sign, word or quote that the language has instead of what is there."""
    spot = spot_at(page.text, end)
    if spot is None or spot.role != VALUE or page.kind != POLICY or text_role(spot.path) != CONDITION:
        return ()
    text, offset = inner(page.text, spot.start, spot.end, spot.style)
    for piece in scan(text):
        if (piece.start + offset, piece.end + offset) != (start, end):
            continue
        mended, problems = mend([piece])
        right = mended[0].text if mended and problems else piece.text
        if right != piece.text:
            return (Fix(f"Replace with `{right}`", (Edit(start, end, right),)),)
    return ()
