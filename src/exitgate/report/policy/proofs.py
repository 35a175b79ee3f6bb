"""What was asked of policies and what came of it, as reports tell it."""

from __future__ import annotations

import json

from msgspec import Struct

from exitgate.analysis.results.answer import PROVED, UNDECIDED
from exitgate.report.decision.markdown import cell
from exitgate.report.formats.github import annotation
from exitgate.report.terminal import pad, safe, safe_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.model.diagnostic import Location
    from exitgate.report.terminal import Style


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

SCHEMA = "exitgate/prove@2"


def prove_json(policies: tuple[PolicyProofs, ...]) -> str:
    """Return one object; a number of points is a text, as it may have hundreds of digits."""
    plain = {
        "schema": SCHEMA,
        "policies": [
            {
                "policy": policy.name,
                "version": policy.version,
                "path": policy.path,
                "by": policy.by,
                "counts": policy.counted(),
                "proofs": [_proof_plain(one) for one in policy.proofs],
            }
            for policy in policies
        ],
    }
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _proof_plain(one: ProofResult) -> dict[str, object]:
    plain: dict[str, object] = {
        "kind": one.kind,
        "subject": one.subject,
        "status": one.status,
        "answer": one.answer,
        "says": one.says,
        "lines": list(one.lines),
        "stage": one.stage,
        "points": str(one.points),
        "place": str(one.place) if one.place is not None else None,
        "run": [dict(values) for values in one.run] if one.run is not None else None,
    }
    return {**plain, "case": one.case} if one.case else plain


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
    if one.place is None or one.place.file.startswith("shipped:"):
        yield annotation(level, text, title=title)
    else:
        yield annotation(
            level, text, file=one.place.file, line=one.place.line, col=one.place.column, title=title
        )
