"""Two policies on all runs: where they part, grouped by how, and what is written differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from exitgate.analysis.diff.textual import text_changes
from exitgate.analysis.results.comparison import Side
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE, RIGHT
from exitgate.surfaces.studio.workspace.asked import Part, column_of
from exitgate.surfaces.studio.workspace.column import Column, NotReadError
from exitgate.surfaces.studio.workspace.moved import sense
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.rows import Cells, RunLine, cells
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Behind the name of a policy: as it is saved, whatever its draft says.
SAVED = "@saved"
#: Runs of a group that are named.
NAMED = 500
GRADES = (RIGHT, LATE, PREMATURE, MISSED)


class Key(NamedTuple):
    """
    How two policies part: by when and as what they stop, and by the rules that stop.

    `kind` is ``earlier`` (the first one), ``later``, ``only_a``, ``only_b``, ``class`` or ``rule``.
    """

    kind: str
    rule_a: str | None
    rule_b: str | None


class Parted(Struct, frozen=True):
    """A run on which two policies part."""

    line: RunLine
    a: Cells
    b: Cells

    @property
    def at(self) -> int:
        """The first iteration in which one of the two stops."""
        return min(at for at in (_at(self.a), _at(self.b)) if at is not None)


def comparing(workspace: Workspace) -> Part:
    """Return the comparison of two policies."""

    def compare(_: str, query: Mapping[str, str]) -> object:
        try:
            return comparison(workspace, query.get("a", ""), query.get("b", ""))
        except NotReadError:
            raise refusal("these runs are being read again", "wait until they are read") from None

    return Part({"compare": compare})


def comparison(workspace: Workspace, a: str, b: str) -> dict[str, object]:
    """
    Return two policies on all runs, as JSON.

    Args:
        workspace: The runs.
        a, b: Names of policies; with `SAVED` behind it, one as it is saved.

    Raises:
        ExitgateError: 65, the studio does not have such a policy.
        NotReadError: Its runs are being read again.
    """
    columns = _column(workspace, a), _column(workspace, b)
    saved = a.endswith(SAVED), b.endswith(SAVED)
    groups: dict[Key, list[Parted]] = {}
    totals = [Counter[str](), Counter[str]()]
    with workspace.lock:
        for line in workspace.lines:
            label = workspace.labelled.of(line.run.id)
            found = [
                cells(line, column.before(line.n - 1) if old else column.verdicts(line.n - 1), label)
                for column, old in zip(columns, saved, strict=True)
            ]
            for total, one in zip(totals, found, strict=True):
                _count(total, one)
            key = _key(*found)
            if key is not None:
                groups.setdefault(key, []).append(Parted(line, *found))
        policies = [
            column.saved.policy if old else column.settled.policy
            for column, old in zip(columns, saved, strict=True)
        ]
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0].kind, str(item[0])))
    parted = sum(map(len, groups.values()))
    return {
        "a": a, "b": b, "runs": len(workspace.lines), "same": len(workspace.lines) - parted,
        "groups": [_group(key, runs, workspace) for key, runs in ordered],
        "totals": [{**{name: total[name] for name in ("stops", *GRADES, "wasted")}} for total in totals],
        "changes": changes(*policies),
    }  # fmt: skip


def changes(before: CompiledPolicy, after: CompiledPolicy) -> list[dict[str, object]]:
    """Return what the second policy has otherwise than the first, as JSON."""
    if before.digest == after.digest:
        return []
    return [
        {
            "section": one.section, "name": one.name, "kind": one.kind, "was": one.was, "now": one.now,
            "details": [
                {"property": part.property, "before": part.before, "after": part.after}
                for part in one.details
            ],
        }
        for one in text_changes(Side(before.name, before), Side(after.name, after))
    ]  # fmt: skip


def _column(workspace: Workspace, name: str) -> Column:
    return column_of(workspace, name.removesuffix(SAVED))


def _count(total: Counter[str], one: Cells) -> None:
    total["stops"] += one.stop is not None
    total["wasted"] += 0 if one.waste is None else one.waste[0]
    if one.grade is not None:
        total[one.grade] += 1


def _at(one: Cells) -> int | None:
    at = None if one.stop is None else one.stop["at"]
    assert at is None or isinstance(at, int)
    return at


def _key(a: Cells, b: Cells) -> Key | None:
    """Return how two policies part on a run; None where they stop it alike."""
    first, second = _at(a), _at(b)
    if first is None and second is None:
        return None
    if a.stop is None or b.stop is None or first is None or second is None:
        kind = "only_b" if first is None else "only_a"
    elif first != second:
        kind = "earlier" if first < second else "later"
    elif a.stop["class"] != b.stop["class"]:
        kind = "class"
    elif _rule(a) != _rule(b):
        kind = "rule"
    else:
        return None
    return Key(kind, _rule(a), _rule(b))


def _rule(one: Cells) -> str | None:
    return None if one.stop is None else str(one.stop["rule"] or one.stop["outcome"])


def _group(key: Key, runs: list[Parted], workspace: Workspace) -> dict[str, object]:
    senses = Counter(sense(one.a, one.b) for one in runs)
    # The clearest example: one that a person has labelled, with few iterations.
    example = min(runs, key=lambda one: (one.a.grade is None, one.line.run.iterations, one.line.n))
    return {
        "kind": key.kind, "rules": [key.rule_a, key.rule_b], "count": len(runs),
        "better": senses["better"], "worse": senses["worse"],
        "runs": [[one.line.n, one.at] for one in runs[:NAMED]],
        "example": {
            "n": example.line.n, "at": example.at, "strips": [example.a.strip, example.b.strip],
            "stops": [example.a.stop, example.b.stop], "grades": [example.a.grade, example.b.grade],
            **workspace.labelled.json(example.line.run.id),
        },
    }  # fmt: skip
