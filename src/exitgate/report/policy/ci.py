"""The summary of `exitgate ci`: a line for each step, then what the steps printed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import Struct

from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, OK
from exitgate.report.decision.markdown import prose
from exitgate.report.terminal import Style, columns, pad, safe_block, safe_line

SCHEMA = "exitgate/ci@2"
#: State -> glyph, and the role that paints it.
GLYPHS = {
    "passed": ("●", "true"),
    "findings": ("✗", "error"),
    "failed": ("✗", "error"),
    "nothing to do": ("○", "quiet"),
    "not run": ("·", "quiet"),
}


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


def ci_json(stages: Sequence[Stage], code: int) -> str:
    """Return the steps with their reports, as they printed them where they are JSON."""
    return json.dumps(
        {
            "schema": SCHEMA,
            "code": code,
            "steps": [
                {
                    "step": stage.step,
                    "state": stage.state,
                    "code": stage.code,
                    "seconds": round(stage.seconds, 3),
                    "report": _reports(stage.out),
                    "remarks": stage.err or None,
                    "undecided": list(stage.undecided),
                }
                for stage in stages
            ],
        },
        indent=2,
        ensure_ascii=False,
    ) + "\n"  # fmt: skip


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
