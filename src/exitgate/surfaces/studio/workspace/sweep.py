"""A sweep over one or two parameters of a policy: how all labelled runs end at each point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.incremental.runs import NotKeptError
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE, RIGHT
from exitgate.surfaces.studio.workspace.column import Column, NotReadError
from exitgate.surfaces.studio.workspace.policies import Draft, Value
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.rows import cells
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Points of a sweep.
MOST = 400
#: Parameters of a sweep: a line, or a table of colours.
PARAMETERS = (1, 2)


class Axis(Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter and the values that are tried."""

    name: str
    values: tuple[Value, ...]


def sweep(workspace: Workspace, name: str, axes: tuple[Axis, ...]) -> Iterator[dict[str, object]]:
    """
    Yield what each point comes to, in order; a point that the policy refuses says why.

    Args:
        workspace: The runs.
        name: Of the policy; its draft counts.
        axes: One parameter or two.

    Raises:
        KeyError: The policy is not one of these.
        ExitgateError: 64 for too many points or parameters; 65 where transcripts would have to be read again.
    """
    column = workspace.columns[name]
    points = list(product(*(axis.values for axis in axes)))
    if len(axes) not in PARAMETERS or not 0 < len(points) <= MOST:
        raise refusal(f"a sweep has one or two parameters and at most {MOST} points", code=USAGE)
    for point in points:
        values = dict(zip((axis.name for axis in axes), point, strict=True))
        yield {"values": values, **_totals(workspace, column, values)}


def _totals(workspace: Workspace, column: Column, values: Mapping[str, Value]) -> dict[str, object]:
    draft: Draft = replace(column.draft, values={**column.draft.values, **values})
    try:
        policy = column.tried(draft).policy
    except ExitgateError as error:
        return {"problem": error.diagnostics[0].message}
    counts: Counter[str] = Counter()
    wasted, cost, saves = 0, 0.0, 0
    with workspace.lock:
        try:
            decisions = column.decisions(policy)
        except NotReadError:
            names = ", ".join(f"`{name}`" for name in values)
            message = f"an extractor reads {names}: the transcripts have to be read for each value"
            raise refusal(message, "`exitgate tune` does that") from None
        for line in workspace.lines:
            label = workspace.labelled.of(line.run.id)
            try:
                verdicts = decisions.of(line.n - 1)
            except NotKeptError:
                message = (
                    f"the breaker of `{line.run.id}` was moved by others: it has to be read for each value"
                )
                raise refusal(message, "`exitgate tune` does that") from None
            if label is None:
                saves += 0 if verdicts.stop is None else line.run.iterations - verdicts.stop
                continue
            found = cells(line, verdicts, label)
            counts[found.grade or ""] += 1
            if found.waste is not None:
                wasted += found.waste[0]
                cost += found.waste[1] or 0.0
    kinds = (RIGHT, LATE, PREMATURE, MISSED)
    return {**{kind: counts[kind] for kind in kinds}, "waste": wasted, "waste_cost": cost, "saved": saves}
