"""A last iteration with values that a person gives its facts, and all that follows from them."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.slots import counts_with_dependents, dependents
from exitgate.analysis.space.dependencies import fields_of_blocks
from exitgate.core.engine.record import Record
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.compiled import CompiledPolicy

_COUNTS = ("done", "total")


class CountsError(Exception):
    """Counts that do not fit each other; the text says which."""


def pulled(policy: CompiledPolicy, base: Record, values: Mapping[str, object]) -> Record:
    """
    Return a record with other values of some facts.

    Shares and rests follow from counts where the record bears that out, a field of a block makes the block
    present, and an unknown value is what the policy takes it for.

    Args:
        policy: The policy.
        base: The record of the iteration.
        values: By the names of facts, `Unknown` for one that is not known.

    Raises:
        CountsError: More would be done than there is.
    """
    found = dict(base)
    stand_ins = set(base.stand_ins)

    def put(name: str, value: object) -> None:
        stand_in = policy.unreadable.get(name) if isinstance(value, Unknown) else None
        found[name] = value if stand_in is None else stand_in
        (stand_ins.discard if stand_in is None else stand_ins.add)(name)

    for present, fields in fields_of_blocks(policy):
        given = {name for name in fields if not isinstance(values.get(name, _NOT_GIVEN), Unknown)}
        if given and base.get(present) is False:
            put(present, True)
        elif present in values and values[present] is not True:
            for name in fields:
                put(name, _NOT_GIVEN)
    for name, value in values.items():
        put(name, value)
    for group in dict.fromkeys(name.rpartition(".")[0] for name in values if name.rpartition(".")[0]):
        counts = {part: values[f"{group}.{part}"] for part in _COUNTS if f"{group}.{part}" in values}
        parts = dependents(base, group)
        if not counts or not parts:
            continue
        if any(isinstance(count, Unknown) for count in counts.values()):
            follow: Mapping[str, object] | None = {f"{group}.{part}": _NOT_GIVEN for part in parts}
        else:
            follow = counts_with_dependents(base, group, **counts)
        if follow is None:
            raise CountsError(f"`{group}.done` is more than `{group}.total`")
        for name, value in follow.items():
            if name not in values:
                put(name, value)
    return Record(found, frozenset(stand_ins), base.remembered, base.apart, base.look, base.whole)


_NOT_GIVEN = Unknown("not known", "what-if")
