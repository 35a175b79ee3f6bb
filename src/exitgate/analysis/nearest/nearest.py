"""For each other result the smallest changes that bring it about, or that there are none."""

from __future__ import annotations

from exitgate.analysis.nearest.build import Builder
from exitgate.analysis.nearest.closer import closer
from exitgate.analysis.nearest.played import deciding
from exitgate.analysis.nearest.scene import result_of
from exitgate.analysis.nearest.search import Limits, Search, Spent
from exitgate.model.change import Change, change_of
from exitgate.model.outlook import FAR, FOUND, NONE, OPEN, Nearest
from exitgate.model.verdict import CONTINUE, EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.nearest.scene import Result, Scene

LIMITS = Limits()
#: Small numbers in words.
WORDS = {2: "two", 3: "three"}


def nearest(scene: Scene, limits: Limits = LIMITS) -> tuple[Nearest, ...]:
    """
    Return for each result that the stages of a scene can give, but the one it has, what it takes.

    Those that take least come first. What is found was decided so by the engine.
    """
    now = scene.result
    spent = Spent(limits, scene)
    builder = Builder(scene)
    searches = {
        result: Search(scene, builder.goals(result), spent) for result in results(scene) if result != now
    }
    found: dict[Result, Nearest] = {}
    for changes in range(1, limits.changes + 1):
        for result, search in searches.items():
            if result in found:
                continue
            done = search.go(changes)
            if not done:
                found[result] = Nearest(result, OPEN, fewer=_least(search, changes), why=spent.why())
            elif search.found:
                found[result] = _changes(scene, search, result, changes)
            elif not search.beyond:
                found[result] = _none(result, NONE, search, changes + 1)
    for result, search in searches.items():
        if result not in found:
            found[result] = _none(result, FAR, search, limits.changes + 1)
    return tuple(sorted(found.values(), key=_order))


def results(scene: Scene) -> tuple[Result, ...]:
    """Return the results that rules of the stages give, in chain order, and CONTINUE."""
    rules = [rule for stage in scene.played.stages for rule in deciding(scene.played.policy, stage)]
    exits: list[Result] = [(EXIT, rule.exit_class) for rule in rules if rule.effect == "exit"]
    return tuple(dict.fromkeys([(CONTINUE, None), *exits]))


def _least(search: Search, fewer: int) -> int:
    """Return `fewer` where it is proved that no change of fewer facts does it; else 1."""
    return fewer if search.exact else 1


def _none(result: Result, status: str, search: Search, fewer: int) -> Nearest:
    """Return that no change does it as far as that is proved; what only some values show is not decided."""
    if search.exact:
        return Nearest(result, status, fewer=fewer)
    changes = "no change" if status == NONE else f"no {WORDS.get(fewer - 1, str(fewer - 1))} changes"
    return Nearest(result, OPEN, why=f"{changes} of the values tried would do it, which is not a proof")


def _changes(scene: Scene, search: Search, result: Result, fewer: int) -> Nearest:
    made = []
    for point in search.found:
        decision = scene.decide(point)
        if result_of(decision) == result:
            made.append(closer(scene, point, change_of(scene.edits(point), decision)))
    if not made:
        why = "the engine decides differently from what its rules promise"
        return Nearest(result, OPEN, fewer=_least(search, fewer), why=why)
    return Nearest(result, FOUND, _each_once(made), _least(search, fewer))


def _each_once(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return of the changes of the same facts the smallest, all in order of effort."""
    best: dict[tuple[str, ...], Change] = {}
    for change in sorted(changes, key=_effort):
        best.setdefault(tuple(sorted(edit.name for edit in change.edits)), change)
    return tuple(best.values())


def _effort(change: Change) -> tuple[object, ...]:
    return change.effort, tuple(edit.name for edit in change.edits), str(change.edits[0].after)


def _order(one: Nearest) -> tuple[object, ...]:
    rank = {FOUND: 0, OPEN: 1, FAR: 2, NONE: 3}[one.status]
    effort = one.changes[0].effort if one.changes else (one.fewer, (0, 0.0))
    return rank, effort, one.result[0], one.result[1] or ""
