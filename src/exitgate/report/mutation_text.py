"""What became of mutants, for people: each that is left with a case that would notice it, then the sums."""

from __future__ import annotations

from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.mutants_found import EQUIVALENT, KILLED, OPEN, SURVIVED, score
from exitgate.report.safe import safe, safe_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.report.mutants_found import FoundMutant, FoundMutants
    from exitgate.report.style import Style

#: What is said of each status in the sums.
WORDS = {
    KILLED: "killed",
    SURVIVED: "survived",
    OPEN: "not decided",
    EQUIVALENT: "equivalent",
    "excused": "excused",
}


def mutation_text(found: Sequence[FoundMutants], style: Style) -> str:
    """Return everything: a block for each mutant that is left, a line for each file, the share killed."""
    blocks = []
    for one in found:
        blocks += ["\n".join(_mutant(left, style)) for left in (*one.left, *one.open)]
        if one.stale:
            blocks.append(diagnostics_text(one.stale, style).rstrip("\n"))
    lines = [line for one in found for line in _file(one, style)]
    share = style.paint("complete" if not any(one.left for one in found) else "trouble", share_text(found))
    noticeable = sum(one.counts()[KILLED] + len(one.left) for one in found)
    total = f"{share} killed of {noticeable} that count"
    if open_ := sum(len(one.open) for one in found):
        total += f"; {open_} not decided"
    return "\n\n".join([*blocks, "\n".join(lines), total]) + "\n"


def share_text(found: Sequence[FoundMutants], strict: bool = False) -> str:
    """Return the share killed with one decimal, rounded down: 100% only if nothing is left."""
    return f"{int(score(found, strict) * 10) / 10:g}%"


def counted(counts: Mapping[str, int]) -> str:
    """Return ``45 killed, 1 survived``, all shipped policies none of left out."""
    return ", ".join(f"{counts[key]} {word}" for key, word in WORDS.items() if counts[key]) or "none"


def _file(one: FoundMutants, style: Style) -> Iterator[str]:
    glyph = style.paint("error", "✗") if one.left or one.stale else style.paint("true", "●")
    cases = f"{one.cases} case{'' if one.cases == 1 else 's'}"
    yield f"{glyph} {safe(one.file)}  {safe(one.policy)} {safe(one.version)}: {cases}"
    count = len(one.mutants)
    yield f"  {count} mutant{'' if count == 1 else 's'}: {counted(one.counts())}"


def _mutant(one: FoundMutant, style: Style) -> Iterator[str]:
    place = f"{style.paint('place', safe(str(one.place)))}: " if one.place is not None else ""
    word = style.paint("error", WORDS[one.status])
    yield f"{place}{style.paint('strong', safe(one.id))} {word}"
    yield "  " + style.paint("error", safe_line(f"- {one.before}"))
    if one.after:
        yield "  " + style.paint("help", safe_line(f"+ {one.after}"))
    if one.status == OPEN:
        yield "  " + style.paint(
            "quiet", safe_line(f"whether it decides anything differently is {_why(one)}")
        )
    elif one.example:
        yield "  a case that would catch it:"
        yield from (f"  {safe_line(line)}" for line in one.example.rstrip("\n").split("\n"))
    else:
        yield "  " + style.paint("quiet", "it decides differently, but no case of facts alone shows it")


def _why(one: FoundMutant) -> str:
    return one.why if one.why.startswith("not decided") else f"not decided: {one.why}"
