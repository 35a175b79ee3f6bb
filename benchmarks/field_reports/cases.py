"""Reports of wrong decisions as a file holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Report:
    """
    One report.

    Args:
        id: Stable id within its file.
        basis: What the right answer rests on: `fix`, `seed`, `reporter` or `judgement`.
        sources: Where it was reported.
        kind: Topic.
        title: One line.
        response: Text of the agent in the current iteration, or None.
        history: Its texts in earlier iterations, oldest first.
        plan: The task list after this iteration, or None.
        prompt: What the agent was asked, or None.
        state: Facts that do not come from text, by neutral name.
        other: Inputs of further kinds, by name: `state_file`, `policy`.
        expect: Neutral fact name -> value; None is unknown or absent.
        decision: `STOP`, `CONTINUE` or None.
        reasons: Reasons for stopping, any of which is right; empty when none is named.
    """

    id: str
    basis: str
    sources: tuple[str, ...]
    kind: str
    title: str
    response: str | None
    history: tuple[str, ...]
    plan: str | None
    prompt: str | None
    state: Mapping[str, Any]
    other: Mapping[str, Any]
    expect: Mapping[str, Any]
    decision: str | None
    reasons: tuple[str, ...] = field(default=())


_TEXTS = ("response", "history", "plan", "prompt", "state")


def read_reports(path: Path) -> tuple[Report, ...]:
    """Return the reports of a file. Raises OSError, or ValueError for a file of another form."""
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(loaded, list):
        raise ValueError(f"{path}: a list of reports is wanted")  # noqa: TRY004  one type for callers
    return tuple(_report(one, path) for one in loaded)


def _report(raw: object, path: Path) -> Report:
    if not isinstance(raw, dict) or "id" not in raw:
        raise ValueError(f"{path}: a report without an id")
    given, expect = raw.get("input_files") or {}, raw.get("expect") or {}
    reason = expect.get("reason")
    return Report(
        id=str(raw["id"]),
        basis=str(raw.get("basis", "")),
        sources=tuple(str(one) for one in raw.get("source") or ()),
        kind=str(raw.get("kind", "")),
        title=str(raw.get("title", "")),
        response=given.get("response"),
        history=tuple(given.get("history") or ()),
        plan=given.get("plan"),
        prompt=given.get("prompt"),
        state=given.get("state") or {},
        other={name: value for name, value in given.items() if name not in _TEXTS},
        expect=expect.get("facts") or {},
        decision=expect.get("decision"),
        reasons=tuple(expect.get("reason_any_of") or ([reason] if reason else [])),
    )
