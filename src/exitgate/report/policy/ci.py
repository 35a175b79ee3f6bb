"""The summary of `exitgate ci`: a line for each step, then what the steps printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, to_builtins

from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, OK
from exitgate.report.decision.markdown import prose
from exitgate.report.formats.output import Output, Seconds
from exitgate.report.terminal import Style, columns, pad, safe_block, safe_line

SCHEMA: Final = "exitgate/ci@2"
#: State -> glyph, and the role that paints it.
GLYPHS = {
    "passed": ("●", "true"),
    "findings": ("✗", "error"),
    "failed": ("✗", "error"),
    "nothing to do": ("○", "quiet"),
    "not run": ("·", "quiet"),
}


State = Annotated[str, Meta(extra_json_schema={"enum": [*GLYPHS]})]
#: States of a step whose output is shown below the summary.
TOLD = ("findings", "failed", "nothing to do")


class Stage(Struct, frozen=True):
    """
    One step as it ran.

    Args:
        step: Its name.
        code: Exit code of its command; None where it was not run.
        out, err: What it printed.
        seconds: How long it took.
        undecided: What it did not decide, a line each.
    """

    step: str
    code: int | None = None
    out: str = ""
    err: str = ""
    seconds: float = 0.0
    undecided: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The state in words: missing tests are something to do."""
        no_tests = self.step == "test" and self.code == NOTHING_TO_DECIDE and self.err
        if self.undecided and self.code == OK:
            return f"{self.state}, {len(self.undecided)} not decided"
        return "no tests" if no_tests else self.state

    @property
    def state(self) -> str:
        """One of the keys of `GLYPHS`."""
        known = {None: "not run", OK: "passed", FINDINGS: "findings", NOTHING_TO_DECIDE: "nothing to do"}
        return known.get(self.code, "failed")


def ci_text(stages: Sequence[Stage], style: Style) -> str:
    """Return the summary, then the output of every step that did not pass, under its name."""
    wide = max(columns(stage.step) for stage in stages)
    states = max(columns(stage.shown) for stage in stages)
    lines = []
    for stage in stages:
        glyph, role = GLYPHS[stage.state]
        took = f"  {stage.seconds:.1f} s" if stage.code is not None else ""
        told = f"{style.paint(role, glyph)} {style.paint('name', pad(stage.step, wide))}  "
        lines.append(f"{told}{style.paint(role, pad(stage.shown, states))}{took}".rstrip())
    for names, printed in _printed(stages):
        lines += ["", style.paint("name", f"== {names}"), printed]
    if open_ := _undecided(stages):
        lines += ["", style.paint("name", "== not decided"), *open_]
    return "\n".join(lines) + "\n"


def ci_markdown(stages: Sequence[Stage]) -> str:
    """Return the summary as a table, and the output of each step that did not pass, folded."""
    lines = ["## exitgate", "", "| step | result | seconds |", "|---|---|---:|"]
    for stage in stages:
        took = f"{stage.seconds:.1f}" if stage.code is not None else ""
        lines.append(f"| `{stage.step}` | {GLYPHS[stage.state][0]} {stage.shown} | {took} |")
    for names, printed in _printed(stages):
        fence = _fence(printed)
        head = f"<details><summary>{names}</summary>"
        lines += ["", head, "", fence, printed, fence, "", "</details>"]
    if open_ := _undecided(stages):
        lines += ["", "Not decided:", "", *(f"- {prose(line)}" for line in open_)]
    return "\n".join(lines) + "\n"


def _undecided(stages: Sequence[Stage]) -> list[str]:
    """Return what the steps that passed did not decide."""
    return [safe_line(line) for stage in stages if stage.code == OK for line in stage.undecided]


def _printed(stages: Sequence[Stage]) -> list[tuple[str, str]]:
    """Return what is shown below the summary, each text once, with the names of its steps."""
    names: dict[str, list[str]] = {}
    for stage in stages:
        printed = safe_block(stage.out + stage.err).rstrip("\n")
        if printed and stage.state in TOLD:
            names.setdefault(printed, []).append(stage.step)
    return [(", ".join(steps), printed) for printed, steps in names.items()]


class StepOutput(Output, frozen=True):
    """
    A step.

    Args:
        step: Its name.
        state: How it came out.
        code: Exit code of its command; null where it was not run.
        seconds: How long it took.
        report: What it printed: a JSON document, a list of several, or a text; null for nothing.
        remarks: What it printed on stderr.
        undecided: What it did not decide, a line each.
    """

    step: str
    state: State
    code: int | None
    seconds: Seconds
    report: Any
    remarks: str | None
    undecided: tuple[str, ...]


class CiOutput(Output, frozen=True):
    """
    What `exitgate ci --format json` prints.

    Args:
        schema: Name and version of this form.
        code: The worst exit code.
        steps: In the order in which they run.
    """

    schema: Literal["exitgate/ci@2"]
    code: int
    steps: tuple[StepOutput, ...]


def ci_json(stages: Sequence[Stage], code: int) -> str:
    """Return the steps with their reports, as they printed them where they are JSON."""
    found = CiOutput(SCHEMA, code, tuple(map(_step, stages)))
    return json.dumps(to_builtins(found), indent=2, ensure_ascii=False) + "\n"


def _step(one: Stage) -> StepOutput:
    took, printed = round(one.seconds, 3), _reports(one.out)
    return StepOutput(one.step, one.state, one.code, took, printed, one.err or None, one.undecided)


def _reports(text: str) -> object:
    """Return the JSON documents in `text`, one after the other: one as itself, several as a list."""
    decoder, found, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return text
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found[0] if len(found) == 1 else found or None


def _fence(text: str) -> str:
    """Return a fence longer than any run of backticks in `text`."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return "`" * max(3, longest + 1)
