"""What `doctor` found, as people and programs read it: a glyph and a word for each thing, and its origin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from exitgate.report.formats.output import Output, output_text
from exitgate.report.terminal import Style, columns, pad, safe, wrap

FOUND, ABSENT, WARNING, FAILS = "found", "absent", "warning", "fails"

State = Annotated[str, Meta(extra_json_schema={"enum": [FOUND, ABSENT, WARNING, FAILS]})]

#: State -> glyph, and the role that paints it.
GLYPHS = {
    FOUND: ("●", "true"),
    ABSENT: ("○", "quiet"),
    WARNING: ("!", "warning"),
    FAILS: ("✗", "error"),
}


class Finding(Struct, frozen=True):
    """
    The result of one check.

    Args:
        subject: What it is: ``policy``, ``plan``, ``ledger``.
        state: `FOUND`; `ABSENT`, which is all right; `WARNING`; or `FAILS`: it keeps `check` from deciding.
        text: What was found, for people.
        origin: Where it is from, or where it was looked for; may be empty.
        help: What to do, or empty.
    """

    subject: str
    state: str
    text: str
    origin: str = ""
    help: str = ""


def findings_text(findings: Sequence[Finding], style: Style) -> str:
    """Return a line or more for each finding, and how many fail or warn."""
    subjects = max(columns(safe(one.subject)) for one in findings)
    states = max(columns(one.state) for one in findings)
    lines: list[str] = []
    for one in findings:
        lines += _finding(one, subjects, states, style)
    return "\n".join([*lines, "", _summary(findings, style)]) + "\n"


class FindingOutput(Output, frozen=True):
    """
    One finding.

    Args:
        subject: What it is about.
        state: How it is.
        text: What was found.
        origin: Where that comes from; null where there is nothing to say.
        help: What to do; null where there is nothing to do.
    """

    subject: str
    state: State
    text: str
    origin: str | None
    help: str | None


class DoctorOutput(Output, frozen=True):
    """
    What `exitgate doctor --format json` prints.

    Args:
        decides: Whether `exitgate check` can decide here.
        findings: In the order in which a check needs them.
    """

    decides: bool
    findings: tuple[FindingOutput, ...]


class HookFileOutput(Output, frozen=True):
    """
    A file of settings of an agent host.

    Args:
        scope: Whose settings it has.
        path: Where it is.
        there: Whether it exists.
        events: Event -> command of our hook.
        others: Commands of other hooks on these events.
        problem: What is wrong with it; null for nothing.
    """

    scope: str
    path: str
    there: bool
    events: dict[str, str]
    others: tuple[str, ...]
    problem: str | None


class HostOutput(Output, frozen=True):
    """
    An agent host.

    Args:
        host: Its id.
        title: Its name.
        program: Where its program is; null where it is not on PATH.
        found: Whether it is here.
        installed: Whether our hook is in its settings.
        files: Its files of settings.
    """

    host: str
    title: str
    program: str | None
    found: bool
    installed: bool
    files: tuple[HookFileOutput, ...]


def findings_json(findings: Sequence[Finding]) -> str:
    """Return the findings, and whether `check` can decide."""
    told = (
        FindingOutput(one.subject, one.state, one.text, one.origin or None, one.help or None)
        for one in findings
    )
    return output_text(DoctorOutput(not any(one.state == FAILS for one in findings), tuple(told)))


def _finding(one: Finding, subjects: int, states: int, style: Style) -> list[str]:
    glyph, role = GLYPHS[one.state]
    head = f"{glyph} {pad(safe(one.subject), subjects)}  {pad(one.state, states)}  "
    first, *rest = wrap(safe(one.text), style.width, head)
    painted = style.paint(role, glyph) + " " + style.paint("name", pad(safe(one.subject), subjects)) + "  "
    lines = [painted + style.paint(role, pad(one.state, states)) + first[len(head) - 2 :], *rest]
    margin = " " * columns(head)
    if one.origin:
        lines += [style.paint("quiet", line) for line in wrap(safe(one.origin), style.width, margin)]
    if one.help:
        helped = wrap(safe(one.help), style.width, f"{margin}help: ")
        helped[0] = margin + style.paint("help", "help") + helped[0][len(margin) + 4 :]
        lines += helped
    return lines


def _summary(findings: Sequence[Finding], style: Style) -> str:
    fails = sum(one.state == FAILS for one in findings)
    warned = sum(one.state == WARNING for one in findings)
    told = f", {warned} warning{'' if warned == 1 else 's'}" if warned else ""
    if fails:
        failed = f"{fails} failure{'' if fails == 1 else 's'}"
        return style.paint("error", f"✗ check cannot decide: {failed}{told}")
    return style.paint("true", f"● check can decide{told}")
