"""One value of the wrong kind anywhere in a policy: it is told, and nothing that only follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from cases import EVERY, each

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.yaml.document import load_yaml

TEXT = """\
policy: p
format: 1
version: 1.0.0
parameters:
  limit: {type: count, default: 3, min: 1, doc: So many.}
  pause: {type: duration, default: 30m}
lists: {later: [Later, Someday]}
facts:
  tasks: {extract: checklist, optional_sections: {list: later}}
  said: {extract: output, from: response, unreadable: {lines: 0}}
  score: {points: [{when: tasks.done > $limit, add: 80}, {when: '@late', add: 3}], range: [0, 100]}
  half: {formula: score / 2}
  progress: {extract: progress, signals: [tasks.done, half]}
conditions:
  late: tasks.open > $limit
  later: {when: {all: ['@late', said.lines > 3]}, doc: Much later.}
mask: {lexicon: secrets}
circuit:
  open: [{id: still, when: (not progress.made) for $limit consecutive iterations}]
  close: progress.made
  cooldown: $pause
views:
  exit_state: {path: state.json, confidence: score, errors: $limit}
rules:
  - {id: a, when: circuit.state is OPEN, exit: halted, locked: true, because: "{circuit.reason}"}
  - {id: b, when: '@later and half > 10', exit: stuck, because: "{half} of {$limit}", advice: Go on.}
  - {id: c, when: {any: [score > 30, tasks.complete]}, warn: true, mode: shadow, until: 2027-03-01}
otherwise: {continue: true, because: "{score}"}
undetermined: {exit_after: 5}
invariants: [{id: i, given: '@late and score > 3', never: complete}]
profiles: {fast: {limit: 2, pause: 5m}}
"""

#: Codes of names that are not there.
UNKNOWN_NAMES = {"EP401", "EP402", "EP403", "EP445", "EP462", "EP468", "EP473", "EP481"}


def paths(value: object, here: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if here:
        yield here
    for key, child in value.items() if isinstance(value, dict) else ():
        yield from paths(child, (*here, key))
    for number, child in enumerate(value) if isinstance(value, list) else ():
        yield from paths(child, (*here, number))


def plain() -> dict[str, object]:
    found = load_yaml(TEXT, "p.yaml").root.plain()
    assert isinstance(found, dict)
    return found


def test_the_policy_itself_loads(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(plain()))
    load_policy("./p.yaml", base=str(tmp_path))


WRONG: dict[str, object] = {"list": [[{"x": [[]]}]], "map": {"no such key": [[]]}, "null": None}
#: Every place with one of them in turn; the soak has each in every place.
PLACES = [
    pytest.param(path, wrong, id=f"{kind}-{'.'.join(map(str, path))}")
    for at, path in enumerate(paths(plain()))
    for turn, (kind, wrong) in enumerate(WRONG.items())
    if EVERY or (at + turn) % len(WRONG) == 0
]


@each(("path", "wrong"), PLACES)
def test_nothing_that_follows(path: tuple[str | int, ...], wrong: object, tmp_path: Path) -> None:
    document: object = deepcopy(plain())
    holder = document
    for step in path[:-1]:
        holder = holder[step]  # type: ignore[index]
    holder[path[-1]] = wrong  # type: ignore[index]
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(document))
    try:
        load_policy("./p.yaml", base=str(tmp_path))
    except ExitgateError as error:
        told = [found for found in error.diagnostics if found.code in UNKNOWN_NAMES]
        assert told == [], [str(found.message) for found in error.diagnostics]
