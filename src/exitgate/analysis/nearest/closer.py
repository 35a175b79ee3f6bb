"""Numbers moved as near to what they are as keeps the result: for where no constant marks the border."""

from __future__ import annotations

from exitgate.analysis.nearest.scene import result_of
from exitgate.engine.record import Record
from exitgate.model.change import Change, Edit, change_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.nearest.scene import Point, Scene

#: Halvings on the way from a number that brings the result about to the nearest that does.
HALVINGS = 40


def closer(scene: Scene, point: Point, change: Change) -> Change:
    """
    Return the change with its numbers halved towards what they are as long as the result stays.

    Only facts that are computed with, or compared with each other: for others a constant marks the
    border. Counts that other facts follow from stay as they are too.
    """
    record = scene.record(point)
    for number, chosen in enumerate(point):
        choice = scene.slots[number].choices[chosen]
        if chosen and len(choice.values) == 1 and scene.loose.intersection(choice.values):
            record, change = _halved(scene, record, choice.edits[0], change)
    return change


def _halved(scene: Scene, record: Record, edit: Edit, change: Change) -> tuple[Record, Change]:
    """Return the record and the change with one of its numbers as near as it can be."""
    name, low, high = edit.name, edit.before, edit.after
    if not (_is_number(low) and _is_number(high)):
        return record, change
    whole = scene.played.policy.facts[name].type.kind == "count"
    others = tuple(one for one in change.edits if one.name != name)
    for _ in range(HALVINGS):
        middle = (low + high) / 2  # type: ignore[operator]
        step = round(middle) if whole else round(middle, 2)
        if step in (low, high):
            break
        tried = Record({**record, name: step}, record.stand_ins, record.remembered)
        decision = scene.played.decide(scene.played.whole(tried))
        if result_of(decision) == change.result:
            high, record = step, tried
            change = change_of((*others, edit.but(after=step)), decision)
        else:
            low = step
    return record, change


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
