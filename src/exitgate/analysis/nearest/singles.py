"""Every change of one fact, or of one parameter, that gives another result: for each name the smallest."""

from __future__ import annotations

from exitgate.analysis.nearest.closer import closer
from exitgate.analysis.nearest.scene import result_of
from exitgate.model.change import Change, change_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.nearest.scene import Result, Scene


def singles(scene: Scene) -> Iterator[Change]:
    """Yield for each fact and each other result the smallest change of that fact and what follows from it."""
    now = scene.result
    for number, slot in enumerate(scene.slots):
        reached: set[tuple[str, Result]] = set()
        for one in range(1, len(slot.choices)):
            point = (*scene.start[:number], one, *scene.start[number + 1 :])
            if len(slot.choices[one].edits) > 1:
                continue
            decision = scene.decide(point)
            key = slot.choices[one].edits[0].name, result_of(decision)
            if key[1] != now and key not in reached:
                reached.add(key)
                yield closer(scene, point, change_of(scene.edits(point), decision))
