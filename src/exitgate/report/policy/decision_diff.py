"""On which inputs two policies decide differently, as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from exitgate.analysis.results.answer import PROVED, UNDECIDED
from exitgate.report.terminal import Style, safe, verdict_role, wrap
from exitgate.report.wording import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.results.comparison import Decided, Kind, Result, Run, Side, Unobservable


def decisions_text(
    decided: Decided, unseen: Unobservable, sides: tuple[Side, Side], style: Style, cases: Sequence[str] = ()
) -> list[str]:
    """
    Return lines: each kind of input with its example, how sure that is, and what facts cannot show.

    `cases` holds for each kind its example as a case for tests.yaml; with none, none is shown.
    """
    lines = ["", style.paint("strong", "Decisions")]
    lines += wrap(verdict_on(decided), style.width, "  ", "  ")
    for number, kind in enumerate(decided.kinds):
        lines += ["", *_kind(kind, decided, sides, style)]
        if number < len(cases):
            lines += [style.paint("quiet", "      " + safe(line)) for line in cases[number].splitlines()]
    if decided.warned:
        lines += ["", style.paint("strong", "Warnings")]
        for kind in decided.warned:
            lines += _warned(kind, sides, style)
    if quiet := warnings_text(decided):
        lines += ["", *wrap(quiet, style.width, "  ", "  ")]
    said = [*only_one_has(decided, sides), *unobservable_lines(unseen)]
    if said:
        lines += ["", style.paint("strong", "Not visible in the same facts")]
        for text in said:
            lines += wrap(text, style.width, "  ", "    ")
    return lines


def kinds_text(decided: Decided) -> str:
    """Return how many kinds of input are decided differently, as far as that is known."""
    count = len(decided.kinds)
    known = decided.rest.status == PROVED
    if not count:
        return "no input is decided differently" if known else "no difference found; not decided"
    head = "one kind of input is" if count == 1 else f"{count} kinds of input are"
    return f"{head} decided differently{'' if known else ' so far'}"


def verdict_on(decided: Decided) -> str:
    """Return in a sentence how many kinds there are and how sure it is that there are no others."""
    head = kinds_text(decided)
    if decided.rest.status == UNDECIDED:
        return (
            f"{head}; others are not decided: {decided.rest.why}"
            if decided.kinds
            else f"{head}: {decided.rest.why}"
        )
    if decided.kinds:
        return f"{head}, and no other; proved"
    return f"{head}: {'that is proved' if decided.rest.points else 'the rules are the same'}"


def warnings_text(decided: Decided) -> str:
    """Return that it is not decided whether other warnings differ, and why; else the empty text."""
    quiet = decided.quiet
    return f"whether other warnings differ is not decided: {quiet.why}" if quiet.status == UNDECIDED else ""


def share_text(kind: Kind, decided: Decided) -> str:
    """Return how many of the points looked at are of a kind."""
    of = f"{decided.points:,} point{'' if decided.points == 1 else 's'}" + ("" if decided.every else " drawn")
    return f"{kind.points:,} of {of}" if kind.points else f"rare: none of {of}"


def result_text(result: Result) -> str:
    """Return ``EXIT complete`` or ``CONTINUE``, with the outcome where it says more than the rule."""
    words = result.verdict + (f" {result.exit_class}" if result.exit_class else "")
    return words if result.outcome in (result.rule, "otherwise") else f"{words} ({result.outcome})"


def by_text(result: Result) -> str:
    """Return which rule decided."""
    return f"by `{safe(result.rule)}`" if result.rule is not None else "by no rule"


def run_lines(run: Run, sides: tuple[Side, Side]) -> Iterator[str]:
    """Yield the facts of an example, iterations that are the same shown as one."""
    first = 0
    for at, facts in enumerate(run):
        if at + 1 < len(run) and run[at + 1] == facts:
            continue
        said = facts_text(facts, sides)
        if len(run) == 1:
            yield said
        elif first == at:
            yield f"iteration {at + 1} of {len(run)}: {said}"
        else:
            yield f"iterations {first + 1} to {at + 1} of {len(run)}: {said}"
        first = at + 1


def facts_text(facts: Mapping[str, object], sides: tuple[Side, Side]) -> str:
    """Return facts with their values, by name."""
    found = []
    for name, value in sorted(facts.items()):
        spec = next((s.policy.facts[name] for s in sides if name in s.policy.facts), None)
        found.append(f"{safe(name)} {value_text(value, spec.type if spec is not None else None)}")
    return ", ".join(found) or "nothing is known"


def only_one_has(decided: Decided, sides: tuple[Side, Side]) -> Iterator[str]:
    """Yield what is said of facts that only one of the two can have."""
    for side, names in zip(sides, (decided.only_before, decided.only_after), strict=True):
        if names:
            yield f"only {safe(side.label)} reads {', '.join(map(safe, names))}"


def unobservable_lines(unseen: Unobservable) -> Iterator[str]:
    """Yield what may change decisions although facts do not show it."""
    if unseen.reading:
        names = ", ".join(map(safe, unseen.reading))
        yield f"extraction differs: {names}; the two may find different facts in the same text"
    if unseen.breaker:
        names = ", ".join(map(safe, unseen.breaker))
        yield f"the breaker differs: {names}; `circuit.state` may differ in the same run"
    if unseen.silence:
        yield "silence differs: the number of decisions without a known fact that end a run"


def _kind(kind: Kind, decided: Decided, sides: tuple[Side, Side], style: Style) -> list[str]:
    one, other = kind.before, kind.after
    words = [
        style.paint(verdict_role(result.verdict, result.exit_class), result_text(result))
        for result in (one, other)
    ]
    stage = "" if kind.stage == "after_iteration" else f", {kind.stage.replace('_', ' ')}"
    share = style.paint("quiet", share_text(kind, decided))
    lines = [f"  {words[0]} → {words[1]}{stage}  {share}", f"    {by_text(one)} → {by_text(other)}"]
    for text in run_lines(kind.run, sides):
        lines += wrap(text, style.width, "    ", "      ")
    return lines


def _warned(kind: Kind, sides: tuple[Side, Side], style: Style) -> Iterator[str]:
    for glyph, role, one, other in (
        ("-", "error", kind.before, kind.after),
        ("+", "true", kind.after, kind.before),
    ):
        for rule in one.warnings:
            if rule in other.warnings:
                continue
            stage = "" if kind.stage == "after_iteration" else f"  {kind.stage.replace('_', ' ')}"
            yield f"  {style.paint(role, glyph)} {style.paint('strong', safe(rule))}{stage}"
            for text in run_lines(kind.run, sides):
                yield from wrap(text, style.width, "      ", "        ")
