"""
Coverage of policies for people: a line for each part, what the cases do not cover with its place, the share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from exitgate.analysis.results.coverage import DECIDES, FALSE, TRUE, UNKNOWN, Aim, Coverage, Leaf, Part, Share
from exitgate.core.model.diagnostic import Location
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.terminal import Style, columns, pad, safe

SHOWN, MISSING, EXCUSED, UNSEEN = "●", "✗", "~", "·"
_ROLES = {SHOWN: "true", MISSING: "error", EXCUSED: "quiet", UNSEEN: "quiet"}
RESULT = "result"
#: Kind of a part -> what is before its name.
_BEFORE = {"condition": "@", "circuit": "circuit "}


def coverage_text(found: Sequence[Coverage], style: Style) -> str:
    """Return everything, a block for each policy and the sum; one policy is its own sum."""
    if not found:
        return "no policy was checked\n"
    blocks = [_policy(one, style) for one in found]
    if len(found) != 1:
        blocks.append(f"{len(found)} policies: {share_text(whole(found), style)}\n")
    return "\n".join(blocks)


def whole(found: Iterable[Coverage]) -> Share:
    """Return how much of all policies together is shown."""
    return sum((one.share for one in found), Share(0, 0))


def share_text(share: Share, style: Style) -> str:
    """Return ``98.2% shown, 110 of 112, 2 excused``."""
    percent = f"{share.percent:g}%"
    role = "complete" if share.shown == share.whole else "trouble"
    excused = f", {share.excused} excused" if share.excused else ""
    return f"{style.paint(role, percent)} shown, {share.shown} of {share.whole}{excused}"


def title(part: Part) -> str:
    """Return the name a part goes by: ``@plan_done`` for a condition, ``circuit watch``, else its own."""
    return _BEFORE.get(part.kind, "") + part.name


def glyph(aim: Aim) -> str:
    """Return `SHOWN`, `EXCUSED`, `MISSING`, or `UNSEEN` for what is not wanted."""
    if aim.shown_by:
        return SHOWN
    return EXCUSED if aim.excused else MISSING if aim.wanted else UNSEEN


def missing(found: Coverage) -> Iterator[tuple[Location | None, str]]:
    """Yield what the cases do not cover: its place where it has one, and a sentence part on it."""
    for part in found.parts:
        if part.aim is not None and part.aim.is_missing:
            yield part.place, f"{title(part)}: {_never(part.aim.what)}"
        for leaf in part.leaves:
            never = [aim.what for aim in leaf.aims if aim.is_missing]
            if never:
                yield leaf.places[0], f"{title(part)}: never {' or '.join(never)}: {leaf.text}"
    for name, aim in found.results.items():
        if aim.is_missing:
            yield None, f"no case ends as {name}"


def _policy(found: Coverage, style: Style) -> str:
    cases = f"{found.cases} case{'' if found.cases == 1 else 's'}"
    head = f"{safe(found.policy)} {safe(found.version)}"
    lines = [f"{style.paint('strong', head)}, {cases} of {style.paint('place', safe(found.tests))}", ""]
    lines += _table(found, style)
    left = list(missing(found))
    lines += ["", "not covered by any case:"] if left else []
    for place, what in left:
        where = style.paint("place", safe(str(place))) + " " if place is not None else ""
        lines.append(f"  {where}{safe(what)}")
    lines += _excused(found, style)
    if found.problems:
        lines += ["", diagnostics_text(found.problems, style).rstrip("\n")]
    lines += ["", f"{safe(found.policy)}: {share_text(found.share, style)}"]
    return "\n".join(lines) + "\n"


def _table(found: Coverage, style: Style) -> list[str]:
    names = [safe(title(part)) for part in found.parts]
    says = [safe(part.says) for part in found.parts]
    results = list(found.results)
    width = max([0, *(columns(name) for name in (*names, *results))])
    middle = max(columns(one) for one in (*says, RESULT))
    head = f"  {pad('', width)}  {pad('', middle)}  shown   true  false  unknown"
    lines = [style.paint("quiet", head.rstrip())]
    for part, name, one in zip(found.parts, names, says, strict=True):
        mark = _painted(glyph(part.aim), style) if part.aim is not None else " "
        cells = "  ".join(_count(part.leaves, what, style) for what in (TRUE, FALSE, UNKNOWN))
        lines.append(f"  {pad(name, width)}  {pad(one, middle)}    {mark}   {cells}".rstrip())
    lines += [
        f"  {pad(safe(name), width)}  {pad(RESULT, middle)}    {_painted(glyph(aim), style)}"
        for name, aim in found.results.items()
    ]
    return lines


def _count(leaves: Sequence[Leaf], what: str, style: Style) -> str:
    """Return how many leaves come out that way of how many there are, in five columns."""
    aims = [aim for leaf in leaves for aim in leaf.aims if aim.what == what]
    if not aims:
        return pad("", 5)
    shown = sum(bool(aim.shown_by) for aim in aims)
    text = f"{shown}/{len(aims)}".rjust(5)
    if any(aim.is_missing for aim in aims):
        return style.paint("error", text)
    return style.paint("quiet", text) if what == UNKNOWN else text


def _painted(mark: str, style: Style) -> str:
    return style.paint(_ROLES[mark], mark)


def _never(what: str) -> str:
    return "never decides" if what == DECIDES else f"never {what}"


def _excused(found: Coverage, style: Style) -> list[str]:
    lines = []
    for part in found.parts:
        if part.aim is not None and part.aim.excused:
            lines.append(f"  {safe(title(part))}: {_never(part.aim.what)}")
            lines.append(f"    {style.paint('quiet', safe(' '.join(part.aim.excused.split())))}")
        for leaf in part.leaves:
            for aim in leaf.aims:
                if aim.excused:
                    lines.append(f"  {safe(title(part))}: {_never(aim.what)}: {safe(leaf.text)}")
                    lines.append(f"    {style.paint('quiet', safe(' '.join(aim.excused.split())))}")
    return ["", "excused:", *lines] if lines else []


def below_text(found: Coverage, least: float, style: Style) -> str:
    """Return one line on a policy that is covered less than `least` percent."""
    percent = style.paint("trouble", f"{found.share.percent:g}%")
    return f"{safe(found.policy)}: {percent} is less than the required {least:g}%\n"
