"""Answers about policies for people: a line for each question, what breaks a promise below it."""

from __future__ import annotations

from exitgate.model.answer import UNDECIDED
from exitgate.report.prove_told import GLYPHS, HEADINGS, summed
from exitgate.report.safe import safe, safe_line
from exitgate.report.width import pad, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.report.prove_told import Told, ToldPolicy
    from exitgate.report.style import Style

INDENT = "      "
#: Names longer than this do not widen the column of names.
WIDEST = 34


def prove_text(policies: tuple[ToldPolicy, ...], style: Style) -> str:
    """Return everything, the sum in the last line."""
    blocks = ["\n".join(_policy(policy, style)) for policy in policies]
    statuses = {proof.status for policy in policies for proof in policy.proofs}
    glyph, role = GLYPHS[next((one for one in ("broken", UNDECIDED) if one in statuses), "proved")]
    return "\n\n".join([*blocks, style.paint(role, f"{glyph} {summed(policies)}")]) + "\n"


def _policy(policy: ToldPolicy, style: Style) -> Iterator[str]:
    by = style.paint("quiet", f"({safe(policy.path)}, by {policy.by})")
    yield f"{style.paint('strong', safe(policy.name))} {safe(policy.version)} {by}"
    kind = ""
    width = min(max((len(one.subject) for one in policy.proofs), default=0), WIDEST)
    for one in policy.proofs:
        if one.kind != kind:
            kind = one.kind
            yield style.paint("strong", HEADINGS[kind])
        yield from _proof(one, width, style)


def _proof(one: Told, width: int, style: Style) -> Iterator[str]:
    glyph, role = GLYPHS[one.status]
    word = one.status if one.status not in ("shown", "noted") else ""
    says = ": ".join(filter(None, (word, safe(one.says))))
    name = style.paint("name", pad(safe(one.subject), width))
    first, *rest = wrap(says, style.width - width - 6) or [""]
    yield f"  {style.paint(role, glyph)} {name}  {first}".rstrip()
    for line in rest:
        yield " " * (width + 6) + line
    if one.place is not None and one.status == "broken":
        yield INDENT + style.paint("place", safe(str(one.place)))
    for line in one.lines:
        yield from (
            style.paint("quiet", text) for text in wrap(safe(line), style.width, INDENT, INDENT + "  ")
        )
    if one.case:
        yield INDENT + style.paint("quiet", "as a case of tests.yaml:")
        yield from (INDENT + safe_line(line) for line in one.case.rstrip("\n").split("\n"))
