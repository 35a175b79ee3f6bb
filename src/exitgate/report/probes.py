"""Answers of probes as a table, as JSON, and as `explain` tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from exitgate.core.facts.registry import probes_asked
from exitgate.core.ledger.typed import believable
from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.formats.output import Count, Output, Seconds
from exitgate.report.terminal import Style, columns, pad, safe

SCHEMA: Final = "exitgate/probes@1"
#: Seconds from which the time that it took is shown.
_SHORTEST = 0.05
#: Whether it passed -> how that is shown, and its role.
_SIGNS = {True: ("passed", "complete"), False: ("failed", "trouble"), None: ("no answer", "exit")}


class PlaceOutput(Output, frozen=True):
    """
    Where a probe says what it says.

    Args:
        path: Its report, or `output`.
        line: Number from 1.
        text: The line, secrets hidden.
    """

    path: str
    line: Count
    text: str


class AnswerOutput(Output, frozen=True):
    """
    What one probe said.

    Args:
        name: Of the settings.
        status: `answered`, `refused`, `late`, `broken` or `changed`.
        passed: Whether it agrees; null where that is not known.
        reason: Why there is no answer, or what a judge gave as its reason; may be empty.
        exit_status: Of the command; null without one.
        total: Results in its report; null without one.
        failed: How many of them failed; null without a report.
        skipped: How many were not run; null without a report.
        failing: Names of those that failed.
        coverage: Percent of the lines that were run; null where the report does not say it.
        seconds: How long it took.
        cost: In USD; null where no cost is reported.
        evidence: Places in its report, or the last lines of its output.
        notes: What you should know besides.
    """

    name: str
    status: str
    passed: bool | None
    reason: str
    exit_status: int | None
    total: Count | None
    failed: Count | None
    skipped: Count | None
    failing: tuple[str, ...]
    coverage: float | None
    seconds: Seconds
    cost: float | None
    evidence: tuple[PlaceOutput, ...]
    notes: tuple[str, ...]


class ProbesOutput(Output, frozen=True):
    """
    What `exitgate probe --format json` prints.

    Args:
        schema: Name and version of this form.
        passed: Whether all of them passed; null where that is not known.
        probes: In the order in which they were asked.
    """

    schema: Literal["exitgate/probes@1"]
    passed: bool | None
    probes: tuple[AnswerOutput, ...]


def probes_output(answers: Mapping[str, JsonObject]) -> ProbesOutput:
    """Return the answers, as the ledger keeps them, for JSON."""
    said = [answer.flag("passed") for answer in answers.values()]
    passed = False if False in said else None if None in said else True
    return ProbesOutput(SCHEMA, passed, tuple(answer_output(name, one) for name, one in answers.items()))


def answer_output(name: str, answer: JsonObject) -> AnswerOutput:
    """Return one answer for JSON."""
    return AnswerOutput(
        name=name,
        status=answer.text("status", ""),
        passed=answer.flag("passed"),
        reason=answer.text("reason", ""),
        exit_status=answer.whole("exit_status"),
        total=answer.whole("total"),
        failed=answer.whole("failed"),
        skipped=answer.whole("skipped"),
        failing=answer.texts("failing"),
        coverage=answer.number("coverage"),
        seconds=answer.number("seconds", 0.0),
        cost=answer.number("cost"),
        evidence=tuple(PlaceOutput(*piece) for piece in pieces(answer)),
        notes=answer.texts("notes"),
    )


def probes_text(answers: Mapping[str, JsonObject], style: Style, *, lines: int = 6) -> str:
    """Return a line for each probe, and below it what it says of failures; `lines` of output at most."""
    width = max((columns(name) for name in answers), default=0)
    found: list[str] = []
    for name, answer in answers.items():
        word, role = came_out(answer)
        found.append(
            f"{pad(safe(name), width)}  {style.paint(role, pad(word, 9))}  {summary(answer)}".rstrip()
        )
        found += [f"    {safe(text)}" for text in told_of(answer, lines)]
        found += [f"    note: {safe(note)}" for note in answer.texts("notes")]
    return "\n".join(found) + "\n" if found else ""


def came_out(answer: JsonObject) -> tuple[str, str]:
    """Return `passed`, `failed` or `no answer`, and the role that it is painted in."""
    return _SIGNS[answer.flag("passed")]


def told_of(answer: JsonObject, lines: int) -> list[str]:
    """Return names of what failed, else the last `lines` of the output; nothing of a probe that passed."""
    if answer.flag("passed") is True:
        return []
    failing = list(answer.texts("failing"))
    return failing or [f"{path}:{line}: {text}" for path, line, text in pieces(answer)[-lines:]]


def probes_of(line: JsonObject) -> dict[str, JsonObject]:
    """Return what probes said in a line of the ledger."""
    return {name: object_of(answer) for name, answer in line.object("probes").items()}


def probe_rows(policy: CompiledPolicy, answers: Mapping[str, JsonObject]) -> list[tuple[str, str]]:
    """Return probe and what it said and why it was asked, or that it was not needed."""
    rows: list[tuple[str, str]] = []
    for name, answer in answers.items():
        said = ", ".join(filter(None, (came_out(answer)[0], summary(answer))))
        rows.append((name, f"{said}; {asked_text(answer)}"))
    named = [name for entry in policy.extractions for name in probes_asked(entry.extractor, entry.options)]
    left = [name for name in dict.fromkeys(named) if name not in answers]
    return rows + [(name, "not asked: the decision did not hang on it") for name in left]


def asked_text(answer: JsonObject) -> str:
    """Return why a probe was asked, and whether an earlier answer of it still counted."""
    why = answer.object("why")
    facts = " and ".join(f"`{fact}`" for fact in why.texts("facts"))
    rule = why.text("rule", "")
    asked = f"asked because rule `{rule}` hung on {facts}" if rule else "asked in every iteration"
    return f"the answer of #{answer.get('reused')} still counts; {asked}" if "reused" in answer else asked


def summary(answer: JsonObject) -> str:
    """Return what a probe said in a few words: counts, reason, time."""
    said: list[str] = []
    total, failed, status = (counted_in(answer, name) for name in ("total", "failed", "exit_status"))
    coverage, seconds, cost = (amount_in(answer, name) for name in ("coverage", "seconds", "cost"))
    if failed is not None and total is not None:
        said.append(f"{failed} of {total} failed")
    elif status:
        said.append(f"exit status {status}")
    if coverage is not None:
        said.append(f"{coverage:.1f}% of the lines run")
    if answer.text("reason"):
        said.append(safe(answer.text("reason", "")))
    if seconds and seconds >= _SHORTEST:
        said.append(f"{seconds:.1f} s")
    if cost:
        said.append(f"{cost:.4f} USD")
    return ", ".join(said)


def counted_in(answer: JsonObject, name: str) -> int | None:
    """Return a count or a status; None for none and for what nothing counts up to."""
    found = answer.whole(name)
    return None if found is None or believable(found) is None else found


def amount_in(answer: JsonObject, name: str) -> float | None:
    """Return seconds, USD or percent; None for none and for what cannot be."""
    return believable(answer.number(name))


def pieces(answer: JsonObject) -> list[tuple[str, int, str]]:
    """Return path, line and text of each piece of evidence."""
    return [
        (str(piece[0]), int(piece[1]), str(piece[2]))
        for piece in answer.array("evidence")
        if isinstance(piece, list | tuple) and len(piece) == 3 and isinstance(piece[1], int)
    ]
