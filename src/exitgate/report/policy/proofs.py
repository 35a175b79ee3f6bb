"""What was asked of policies and what came of it, as reports tell it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from exitgate.analysis.results.answer import PROVED, UNDECIDED
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.shipped import ELSEWHERE
from exitgate.report.decision.markdown import cell
from exitgate.report.formats.github import annotation, annotation_at
from exitgate.report.formats.output import Digits, Output, Position, Stage
from exitgate.report.terminal import Style, pad, safe, safe_line, wrap

#: Status -> glyph and the role that paints it.
GLYPHS = {
    "proved": ("●", "true"),
    "shown": ("●", "true"),
    "noted": ("!", "warning"),
    "broken": ("✗", "error"),
    "not decided": ("?", "unknown"),
}
#: Kind of question -> heading.
HEADINGS = {
    "invariant": "invariants",
    "silence": "silence",
    "rule": "rules",
    "overlap": "order of rules",
    "bound": "bound",
    "class": "results",
}


class ProofResult(Struct, frozen=True):
    """
    One question and its answer.

    Args:
        kind, subject: What it is about.
        status: One of `GLYPHS`.
        says: The answer as a sentence part; may be empty.
        lines: Facts of each iteration and what else explains it.
        case: A case for a tests.yaml, or empty.
        place: Where the subject is, or None.
        stage: The stage asked.
        points: Points that were settled.
        run: Facts of each iteration as plain data, or None.
        answer: Of the analysis, one of `exitgate.analysis.results.answer.STATUSES`.
    """

    kind: str
    subject: str
    status: str
    says: str
    lines: tuple[str, ...] = ()
    case: str = ""
    place: Location | None = None
    stage: str = "after_iteration"
    points: int = 0
    run: tuple[Mapping[str, object], ...] | None = None
    answer: str = PROVED


class PolicyProofs(Struct, frozen=True):
    """All that was asked of one policy; `by` says who answered."""

    name: str
    version: str
    path: str
    by: str
    proofs: tuple[ProofResult, ...]

    def counted(self) -> dict[str, int]:
        """Return how many answers of each status there are, in the order of `GLYPHS`."""
        statuses = [proof.status for proof in self.proofs]
        return {status: statuses.count(status) for status in GLYPHS if status in statuses}


def summed(policies: tuple[PolicyProofs, ...]) -> str:
    """Return the counts of all policies in a line."""
    sums: dict[str, int] = {}
    for policy in policies:
        for status, count in policy.counted().items():
            sums[status] = sums.get(status, 0) + count
    return (
        ", ".join(f"{sums[status]} {status}" for status in GLYPHS if status in sums)
        or "no question was asked"
    )


def undecided_text(policies: tuple[PolicyProofs, ...]) -> tuple[str, ...]:
    """Return a line for each question that is not decided, orders of rules left out."""
    return tuple(
        f"{policy.name}: {HEADINGS[one.kind]}, {one.subject}: {one.says}"
        for policy in policies
        for one in policy.proofs
        if one.status == UNDECIDED and one.kind != "overlap"
    )


# Answers about policies for people: a line for each question, what breaks a promise below it.

INDENT = "      "
#: Names longer than this do not widen the column of names.
WIDEST = 34


def prove_text(policies: tuple[PolicyProofs, ...], style: Style) -> str:
    """Return everything, the sum in the last line."""
    blocks = ["\n".join(_policy(policy, style)) for policy in policies]
    statuses = {proof.status for policy in policies for proof in policy.proofs}
    glyph, role = GLYPHS[next((one for one in ("broken", UNDECIDED) if one in statuses), "proved")]
    return "\n\n".join([*blocks, style.paint(role, f"{glyph} {summed(policies)}")]) + "\n"


def _policy(policy: PolicyProofs, style: Style) -> Iterator[str]:
    by = style.paint("quiet", f"({safe(policy.path)}, by {policy.by})")
    yield f"{style.paint('strong', safe(policy.name))} {safe(policy.version)} {by}"
    kind = ""
    width = min(max((len(one.subject) for one in policy.proofs), default=0), WIDEST)
    for one in policy.proofs:
        if one.kind != kind:
            kind = one.kind
            yield style.paint("strong", HEADINGS[kind])
        yield from _proof(one, width, style)


def _proof(one: ProofResult, width: int, style: Style) -> Iterator[str]:
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


# Answers about policies as Markdown for pull requests: a table, counterexamples folded below it.


def prove_markdown(policies: tuple[PolicyProofs, ...]) -> str:
    """Return a section for each policy."""
    lines: list[str] = []
    for policy in policies:
        lines += [
            f"### {policy.name} {policy.version}",
            "",
            "| | question | about | answer |",
            "|---|---|---|---|",
        ]
        for one in policy.proofs:
            says = ": ".join(filter(None, (one.status, one.says)))
            glyph = GLYPHS[one.status][0]
            lines.append(f"| {glyph} | {HEADINGS[one.kind]} | `{cell(one.subject)}` | {cell(says)} |")
        lines.append("")
        for one in policy.proofs:
            lines += _details(one)
    return "\n".join([*lines, summed(policies)]) + "\n"


def _details(one: ProofResult) -> Iterator[str]:
    if one.status == "broken" and (one.lines or one.case):
        yield f"<details><summary>{one.subject} is broken</summary>"
        yield ""
        yield "```yaml"
        yield from (f"# {line}" for line in one.lines)
        yield from one.case.rstrip("\n").split("\n")
        yield "```"
        yield ""
        yield "</details>"
        yield ""


# Answers about policies as JSON, `exitgate/prove@2`: `schemas/prove.schema.json`.

SCHEMA: Final = "exitgate/prove@2"


Status = Annotated[str, Meta(extra_json_schema={"enum": [*GLYPHS]})]
Question = Annotated[str, Meta(extra_json_schema={"enum": [*HEADINGS]})]
Answer = Annotated[str, Meta(extra_json_schema={"enum": ["proved", "refuted", "not decided"]})]
By = Annotated[str, Meta(extra_json_schema={"enum": ["walk", "z3", "walk and z3"]})]


class ProofOutput(Output, frozen=True):
    """
    One question and its answer.

    Args:
        kind: What was asked.
        subject: What it is about: id of an invariant or rule, a stage, a class.
        status: proved: it is as promised, for every input; shown: an input shows that it can be; noted: worth
            knowing, breaks nothing; broken: exit code 69; not decided: neither is known.
        answer: To the claim that no input is as the question asks; refuted: `run` is one.
        says: The answer as a sentence part; may be empty.
        lines: What else explains it.
        stage: The stage asked.
        points: Points that were settled; a text, as there may be hundreds of digits.
        place: Place of the subject: FILE:LINE:COLUMN, or null.
        run: Facts of each iteration of the example, oldest first, unknown ones left out; null without one.
        case: The example as a case of a tests.yaml.
    """

    kind: Question
    subject: str
    status: Status
    answer: Answer
    says: str
    lines: tuple[str, ...]
    stage: Stage
    points: Digits
    place: str | None
    run: tuple[dict[str, Any], ...] | None
    case: str | UnsetType = UNSET


class PolicyProofsOutput(Output, frozen=True):
    """
    One policy.

    Args:
        policy: Its name.
        version: Its version.
        path: Where it was read from.
        by: Who answered.
        counts: How many answers of each status there are.
        proofs: In the order in which they were asked.
    """

    policy: str
    version: str
    path: str
    by: By
    counts: dict[Status, Position]
    proofs: tuple[ProofOutput, ...]


class ProveOutput(Output, frozen=True):
    """
    What `exitgate prove --format json` prints: every question that was asked about policies, and its answer.

    Args:
        schema: Name and version of this form.
        policies: In the order in which they were named.
    """

    schema: Literal["exitgate/prove@2"]
    policies: tuple[PolicyProofsOutput, ...]


def prove_json(policies: tuple[PolicyProofs, ...]) -> str:
    """Return one object; a number of points is a text, as it may have hundreds of digits."""
    plain = to_builtins(ProveOutput(SCHEMA, tuple(map(_policy_output, policies))))
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _policy_output(policy: PolicyProofs) -> PolicyProofsOutput:
    proofs = tuple(map(_proof_output, policy.proofs))
    counts = dict(policy.counted())
    return PolicyProofsOutput(policy.name, policy.version, policy.path, policy.by, counts, proofs)


def _proof_output(one: ProofResult) -> ProofOutput:
    return ProofOutput(
        one.kind,
        one.subject,
        one.status,
        one.answer,
        one.says,
        tuple(one.lines),
        one.stage,
        str(one.points),
        str(one.place) if one.place is not None else None,
        tuple(dict(values) for values in one.run) if one.run is not None else None,
        one.case or UNSET,
    )


# Broken promises and undecided questions as annotations at their lines.

#: Status -> level of the annotation; the others are in the sum.
LEVELS = {"broken": "error", "not decided": "warning"}


def prove_github(policies: tuple[PolicyProofs, ...]) -> str:
    """Return workflow commands: one for each broken or undecided question, and the sum."""
    lines = [line for policy in policies for one in policy.proofs for line in _annotations(policy, one)]
    return "".join(
        f"{line}\n" for line in [*lines, annotation("notice", summed(policies), title="exitgate prove")]
    )


def _annotations(policy: PolicyProofs, one: ProofResult) -> Iterator[str]:
    level = LEVELS.get(one.status)
    if level is None:
        return
    title = f"{policy.name}: {one.subject} {one.status}"
    text = "\n".join(filter(None, (one.says, *one.lines, one.case.rstrip("\n")))) or one.status
    shown = None if one.place is None or one.place.file.startswith(ELSEWHERE) else one.place
    yield annotation_at(shown, level, text, title)
