"""Values of facts over the iterations, for the table beside the lines."""

from __future__ import annotations

from exitgate.dryrun.page.evidence import read_names
from exitgate.dryrun.page.view import FactRow
from exitgate.model.value import Unknown
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.dryrun.result import RunResult
    from exitgate.facts.mask import Mask
    from exitgate.policy.compiled import CompiledPolicy

#: Characters of a value in a cell, and in the list of values that never changed.
CELL, ALONE = 24, 80


def facts(
    results: Sequence[RunResult],
    policies: Sequence[CompiledPolicy],
    columns: Sequence[int],
    mask: Mask,
) -> tuple[tuple[FactRow, ...], tuple[tuple[str, str], ...]]:
    """
    Return the facts that rules read: those that changed with a value for each of `columns`, and those that
    did not with their one value. Policies that see the same share a row.
    """
    seen: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for result, policy in zip(results, policies, strict=True):
        for name in sorted(read_names(policy)):
            values = tuple(_shown(result, policy, name, number, mask) for number in columns)
            seen.setdefault((name, values), []).append(result.policy)
    readers: dict[str, int] = {}
    for name, _ in seen:
        readers[name] = readers.get(name, 0) + 1
    rows: list[FactRow] = []
    still: list[tuple[str, str]] = []
    for (name, values), who in sorted(seen.items()):
        label = ", ".join(dict.fromkeys(who)) if readers[name] > 1 else ""
        if len(set(values)) == 1:
            still.append((f"{name} ({label})" if label else name, _cut(values[0], ALONE)))
        else:
            rows.append(FactRow(name, label, tuple(_cut(value, CELL) for value in values)))
    return tuple(rows), tuple(still)


def _shown(result: RunResult, policy: CompiledPolicy, name: str, number: int, mask: Mask) -> str:
    if number > len(result.decided):
        return ""
    value = result.decided[number - 1].record.get(name, Unknown("not recorded"))
    if isinstance(value, Unknown):
        return "unknown"
    spec = policy.facts.get(name)
    text = value_text(value, spec.type if spec is not None else None)
    return mask.mask(text)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
