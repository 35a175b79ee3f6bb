"""What became of the mutants of a policy, as every form of output reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.report.decision.markdown import cell, code, prose
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.formats.output import (
    Count,
    DiagnosticOutput,
    Output,
    Percent,
    PlaceOutput,
    diagnostic_outputs,
    output_text,
    place_output,
)
from exitgate.report.terminal import Style, safe, safe_block, safe_line

#: A case or an invariant noticed it; none did, and a run shows that it decides otherwise; it is proved that
#: it decides the same on every input; neither is decided.
KILLED, SURVIVED, EQUIVALENT, OPEN = "killed", "survived", "equivalent", "open"
STATUSES = (KILLED, SURVIVED, EQUIVALENT, OPEN)


class FoundMutant(Struct, frozen=True):
    """
    One mutant and what became of it.

    Args:
        id, kind, subject, place, before, after: As `exitgate.analysis.mutation.mutant.Mutant` says.
        status: One of `STATUSES`.
        by: For a killed one: the name of the case that noticed it, or ``invariant ID``.
        points: Points that the analysis walked, 0 where it was not asked.
        why: For an open one: why it is not decided.
        example: For a survivor: a case for `tests:` that would have noticed it, or the empty text.
        excuse: Why it may survive, or the empty text.
    """

    id: str
    kind: str
    subject: str
    place: Location | None
    before: str
    after: str
    status: str
    by: str = ""
    points: int = 0
    why: str = ""
    example: str = ""
    excuse: str = ""

    @property
    def is_left(self) -> bool:
        """Whether somebody has to look at it: it survived and is not excused."""
        return self.status == SURVIVED and not self.excuse

    @property
    def is_open(self) -> bool:
        """Whether it is not decided what becomes of it, and it is not excused."""
        return self.status == OPEN and not self.excuse


class FoundMutants(Struct, frozen=True):
    """
    The mutants of one policy under one file of tests.

    Args:
        file: The tests, as they are reported.
        policy, version: Of the policy.
        cases: How many cases they were compared with.
        mutants: In the order of the policy.
        stale: Diagnostics on excuses for mutants that do not survive.
        tests_seconds: Time of the processor for the policy's own tests.
        seconds: Of all this, the tests included.
    """

    file: str
    policy: str
    version: str
    cases: int
    mutants: tuple[FoundMutant, ...]
    stale: tuple[Diagnostic, ...] = ()
    tests_seconds: float = 0.0
    seconds: float = 0.0

    @property
    def left(self) -> tuple[FoundMutant, ...]:
        """Those that somebody has to look at."""
        return tuple(one for one in self.mutants if one.is_left)

    @property
    def open(self) -> tuple[FoundMutant, ...]:
        """Those of which it is not decided whether they survive."""
        return tuple(one for one in self.mutants if one.is_open)

    def counts(self) -> Mapping[str, int]:
        """Return how many there are of each status, excused ones apart, under ``excused``."""
        found = dict.fromkeys((*STATUSES, "excused"), 0)
        for one in self.mutants:
            found["excused" if one.excuse and one.status in (SURVIVED, OPEN) else one.status] += 1
        return found


def score(found: Iterable[FoundMutants], strict: bool = False) -> float:
    """
    Return the share of mutants that were noticed, in percent, 100 where there is none to notice.

    Equivalent and excused ones count neither way, nor do those not decided unless it is `strict`: then they
    count as not noticed.
    """
    killed = left = 0
    for one in found:
        killed += one.counts()[KILLED]
        left += len(one.left) + (len(one.open) if strict else 0)
    return 100 * killed / (killed + left) if killed + left else 100.0


# What became of mutants, for people: each that is left with a case that would notice it, then the sums.

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


# What became of mutants as Markdown, for a pull request: a table of policies, then what is left.

COLUMNS = (KILLED, SURVIVED, OPEN, EQUIVALENT, "excused")


def mutation_markdown(found: Sequence[FoundMutants]) -> str:
    """Return a Markdown document."""
    head = ["policy", "mutants", *(WORDS[key] for key in COLUMNS), "share killed"]
    rows = [
        [
            f"{one.policy} {one.version}",
            str(len(one.mutants)),
            *(str(one.counts()[key]) for key in COLUMNS),
            share_text([one]),
        ]
        for one in found
    ]
    table = [_row(head), "|" + " --- |" * len(head), *(_row([cell(part) for part in row]) for row in rows)]
    blocks = ["## Mutants", "\n".join(table)]
    for one in found:
        if one.left or one.open:
            blocks.append(f"### {prose(f'{one.policy} {one.version}')}")
        blocks += ["\n".join(_mutant_markdown(left)) for left in (*one.left, *one.open)]
        blocks += [f"- {prose(f'{told.place}: {told.message}')}" for told in one.stale]
    return "\n\n".join(blocks) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _mutant_markdown(one: FoundMutant) -> Iterator[str]:
    place = f" ({prose(str(one.place))})" if one.place is not None else ""
    yield f"**{code(one.id)}** {WORDS[one.status]}{place}"
    yield ""
    yield "```diff"
    yield safe(f"- {one.before}")
    if one.after:
        yield safe(f"+ {one.after}")
    yield "```"
    if one.status == OPEN:
        yield ""
        yield prose(one.why)
    elif one.example:
        yield ""
        yield "A case that would catch it:"
        yield ""
        yield "```yaml"
        yield safe_block(one.example.rstrip("\n"))
        yield "```"


# What became of mutants as JSON, `exitgate/mutation@2`: `schemas/mutation.schema.json`.

SCHEMA: Final = "exitgate/mutation@2"


Kind = Annotated[
    str,
    Meta(
        extra_json_schema={
            "enum": [
                "boundary", "comparison", "connective", "dropped_part", "negation", "window", "unknown",
                "member", "arithmetic", "dropped_rule", "swapped_rules", "effect", "points",
            ]
        }
    ),
]  # fmt: skip
Status = Annotated[str, Meta(extra_json_schema={"enum": [*STATUSES]})]


class MutantOutput(Output, frozen=True):
    """
    One mistake.

    Args:
        id: SUBJECT:KIND:NUMBER, the same in every run over the same policy.
        kind: What was done.
        subject: What was changed: a rule, `@condition`, computed fact, `$parameter` or `circuit.ID`.
        place: Where; null where it is not written.
        before: Text of the original.
        after: Text of the mutant; null for what is left out.
        status: What became of it.
        by: The case that noticed it, or `invariant ID`.
        why: Why it is not decided.
        case: A case for `tests:` that would have noticed it.
        excuse: Why it may survive.
    """

    id: str
    kind: Kind
    subject: str
    place: PlaceOutput | None
    before: str
    after: str | None
    status: Status
    by: str | None
    why: str | None
    case: str | None
    excuse: str | None


class CountsOutput(Output, frozen=True):
    """
    How many there are of each status; excused ones apart.

    Args:
        killed: A case or an invariant noticed it.
        survived: No case did, and a run shows that it decides otherwise.
        equivalent: It decides the same on every input, a proof.
        open: It is not decided whether it decides otherwise.
        excused: Left, and excused in the file of tests.
    """

    killed: Count
    survived: Count
    equivalent: Count
    open: Count
    excused: Count


class PolicyMutantsOutput(Output, frozen=True):
    """
    The mutants of one policy.

    Args:
        file: The file of tests.
        policy: Name of the policy.
        version: Its version.
        cases: Cases that the mutants were held against.
        percent: Share killed of those that count; equivalent and excused ones, and those not decided, do not.
        counts: How many there are of each status.
        mutants: In the order of the policy.
        diagnostics: Excuses that excuse nothing.
    """

    file: str
    policy: str
    version: str
    cases: Count
    percent: Percent
    counts: CountsOutput
    mutants: tuple[MutantOutput, ...]
    diagnostics: tuple[DiagnosticOutput, ...]


class MutationOutput(Output, frozen=True):
    """
    What `exitgate mutate --format json` prints: which small mistakes in policies their tests notice.

    Args:
        schema: Name and version of this form.
        percent: Share killed of all mutants that count, with one decimal, rounded down.
        policies: One for each file of tests.
    """

    schema: Literal["exitgate/mutation@2"]
    percent: Percent
    policies: tuple[PolicyMutantsOutput, ...]


def mutation_json(found: Sequence[FoundMutants]) -> str:
    """Return the document with its line end. It holds no times: the same run gives the same text."""
    return output_text(MutationOutput(SCHEMA, _percent(found), tuple(map(_policy_output, found))))


def _percent(found: Sequence[FoundMutants]) -> float:
    """Return the share killed with one decimal, rounded down."""
    return int(score(found) * 10) / 10


def _policy_output(one: FoundMutants) -> PolicyMutantsOutput:
    return PolicyMutantsOutput(
        one.file,
        one.policy,
        one.version,
        one.cases,
        _percent([one]),
        CountsOutput(**one.counts()),
        tuple(map(_mutant_output, one.mutants)),
        diagnostic_outputs(one.stale),
    )


def _mutant_output(one: FoundMutant) -> MutantOutput:
    return MutantOutput(
        one.id,
        one.kind,
        one.subject,
        place_output(one.place),
        one.before,
        one.after or None,
        one.status,
        one.by or None,
        one.why or None,
        one.example or None,
        one.excuse or None,
    )
