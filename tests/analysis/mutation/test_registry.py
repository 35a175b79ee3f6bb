"""A condition that asks first whether its facts are known is never unknown, and gets no default."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_policies import afters, compiled, rule

from exitgate.analysis.mutation.registry import definite

CONDITIONS = """\
conditions:
  done: {when: tasks.complete is known and tasks.complete}
  bare: {when: tasks.complete}
  many: {when: tasks.done is known and tasks.total is known and tasks.done * 2 < tasks.total}
  half: {when: tasks.done is known and tasks.done < tasks.total}
  gone: {when: tasks.total is unknown or tasks.total == 0}
  was: {when: previous(tasks.complete) is known and previous(tasks.complete)}
  then: {when: tasks.complete is known and previous(tasks.complete)}
  over: {when: "@done or not @gone"}
  under: {when: "@done or @bare"}
  row: {when: streak(@done) >= 2}
  given: {when: tasks.complete or else false}
"""


def test_conditions_are_definite_where_they_ask_for_all_they_read(tmp_path: Path) -> None:
    policy = compiled(tmp_path, CONDITIONS + rule("'@over'"))
    assert definite(policy.conditions) == {"@done", "@many", "@gone", "@was", "@over", "@given"}


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("'@over'", []),
        ("'(@done) for 2 consecutive iterations'", []),
        ("'@under'", ["@under or else true"]),
        ("'(@bare) for 2 consecutive iterations'", ["(@bare or else true) for 2 consecutive iterations"]),
    ],
)
def test_what_is_definite_gets_no_default_in_any_iteration(
    when: str, expected: list[str], tmp_path: Path
) -> None:
    assert afters(compiled(tmp_path, CONDITIONS + rule(when)), "unknown", "one") == expected
