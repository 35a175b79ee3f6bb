"""Places of leaves: in every file that a policy is written in, however its conditions are laid out."""

from __future__ import annotations

from pathlib import Path

from cases import each
from small_suites import FACTS, HEAD

from exitgate.analysis.coverage.sites import WrittenSites, sites, written_sites
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.shipped import policies


def stretch(texts: WrittenSites, place: Location) -> str:
    """Return what stands at a place, line ends and indentation as one space."""
    lines = texts.texts[place.file].split("\n")[place.line - 1 : place.end_line]
    lines[-1] = lines[-1][: place.end_column - 1]
    lines[0] = lines[0][place.column - 1 :]
    return " ".join(" ".join(lines).split())


@each("name", policies())
def test_each_leaf_of_a_shipped_policy_stands_where_it_is_said_to(name: str) -> None:
    policy = load_policy(name)
    found = sites(policy)
    places = written_sites(policy.path, found)
    count = 0
    for site in found:
        for leaf in site.leaves():
            text = unparse(leaf)
            for place in places.leaves[(*site.key, text)]:
                count += 1
                assert unparse(parse(stretch(places, place).replace("''", "'"))).upper() == text.upper(), (
                    place
                )
        assert site.name.removeprefix("open ") in stretch(places, places.sites[site.key])
    assert count >= 7 or name == "verified"  # which has no rules without a probe to pass


LAID_OUT = """
conditions:
  tree:
    all:
      - tasks.done > 1
      - any: ["tasks.total > 2", not: "tasks.total > 3"]
rules:
  - id: folded
    when: >-
      tasks.done > 4
      and (tasks.total > 5
      or tasks.done > 4)
    exit: complete
    because: a
  - id: quoted
    when: "@tree and \\
      tasks.done > 6"
    exit: stuck
    because: b
  - id: waits
    when: 'tasks.done > 7'
    exit: wait
    retry_after: 5m
    because: c
"""


def test_folded_quoted_and_taken_apart(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(HEAD + FACTS + LAID_OUT, encoding="utf-8")
    policy = load_policy(str(file))
    places = written_sites(policy.path, sites(policy))
    assert [stretch(places, p) for p in places.leaves["rule", "folded", "tasks.done > 4"]] == [
        "tasks.done > 4"
    ] * 2
    for key in (
        ("condition", "tree", "tasks.done > 1"),
        ("condition", "tree", "tasks.total > 2"),
        ("condition", "tree", "tasks.total > 3"),
        ("rule", "quoted", "tasks.done > 6"),
        ("rule", "waits", "tasks.done > 7"),
        ("rule", "folded", "tasks.total > 5"),
    ):
        assert [stretch(places, place) for place in places.leaves[key]] == [key[2]]


def test_rules_of_a_policy_that_is_extended_stand_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "below.yaml").write_text(HEAD + FACTS + LAID_OUT, encoding="utf-8")
    file = tmp_path / "above.yaml"
    file.write_text(
        "policy: above\nformat: 1\nversion: 1.0.0\nextends: ./below.yaml\nrules:\n"
        "  - {id: own, before: folded, when: tasks.done is 9, exit: review, because: d}\n"
        "  - {id: quoted, replace: true, when: tasks.done is 8, exit: review, because: e}\n",
        encoding="utf-8",
    )
    policy = load_policy(str(file))
    places = written_sites(policy.path, sites(policy))
    assert Path(places.sites["rule", "own"].file).name == "above.yaml"
    assert Path(places.leaves["rule", "quoted", "tasks.done is 8"][0].file).name == "above.yaml"
    assert Path(places.leaves["rule", "folded", "tasks.total > 5"][0].file).name == "below.yaml"
    assert {Path(name).name for name in places.texts} == {"above.yaml", "below.yaml"}
